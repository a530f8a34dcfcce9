@_spi(Measuring) import LarderData
import SwiftData

// What other contexts, objects that nobody changes, the history and live queries cost a save.

extension Suite {
  private static let others = 10
  private static let singleSaves = 101
  private static let historySaves = 9
  private static let liveQueries = 1_000

  func contexts() async throws {
    try await saveBesideOthers()
    try await saveOneAmongMany()
    try await saveIntoHistory()
    try await saveBesideLiveQueries()
  }

  private func filledContainer() throws -> ModelContainer {
    let container = try stores.container()
    let context = ModelContext(container)
    for dto in records.dtos {
      context.insert(
        Quake(
          code: dto.code, magnitude: dto.magnitude, time: dto.time, place: dto.place, longitude: dto.longitude,
          latitude: dto.latitude))
    }
    try context.save()
    return container
  }

  /// Every row is changed by one context; others hold an object of each, or there are no others. What is told to them is
  /// part of the save, and what they make of it is not.
  private func saveBesideOthers() async throws {
    let container = try filledContainer()
    let context = ModelContext(container)
    context.autosaveEnabled = false
    let quakes = try context.fetch(FetchDescriptor<Quake>())
    func change() { for quake in quakes { quake.magnitude += 1 } }
    change()
    try context.save()

    var alone = 0.0
    var beside = 0.0
    for isBeside in [oursFirst, !oursFirst] {
      var held: [(context: ModelContext, quakes: [Quake])] = []
      if isBeside {
        for _ in 0..<Self.others {
          let other = ModelContext(container)
          held.append((other, try other.fetch(FetchDescriptor<Quake>())))
        }
      }
      change()
      let time = try await nanoseconds { try context.save() }
      if isBeside { beside = time } else { alone = time }
      for (other, quakes) in held {
        _ = try other.fetchCount(FetchDescriptor<Quake>())
        try require(quakes.first?.magnitude == other.fetchedMagnitude, "the others have what was saved")
      }
    }
    measurements.add(
      "save of changed rows that ten contexts hold, to none", budget: Budget.otherContexts, rows: records.count,
      ours: beside, limit: alone)
  }

  /// One object is changed and saved, in a context that holds all of them; plain C commits the same.
  private func saveOneAmongMany() async throws {
    let limit = try stores.limit(.flat)
    try limit.insert(records, records.count)
    let context = ModelContext(try filledContainer())
    context.autosaveEnabled = false
    let quakes = try context.fetch(FetchDescriptor<Quake>())
    var ours: [Double] = []
    var theirs: [Double] = []
    for turn in 0..<Self.singleSaves {
      quakes[0].magnitude += 1
      ours.append(try await nanoseconds { try context.save() })
      let record = turn.isMultiple(of: 2) ? changed : records
      theirs.append(try await nanoseconds { try limit.upsert(record, 1) })
    }
    try require(quakes.count == records.count, "all are held")
    measurements.add(
      "save of one object of many, beyond plain C's commit, to 100 µs", budget: Budget.single, rows: 1,
      ours: max(0, ours.median - theirs.median), limit: Budget.singleNanoseconds)
  }

  /// Every row is changed and saved, with a transaction in the history and without one.
  private func saveIntoHistory() async throws {
    let container = try filledContainer()
    let context = ModelContext(container)
    context.autosaveEnabled = false
    let quakes = try context.fetch(FetchDescriptor<Quake>())
    func change() { for quake in quakes { quake.magnitude += 1 } }
    change()
    try context.save()
    var times: [Bool: [Double]] = [:]
    for turn in 0..<Self.historySaves {
      for isRecorded in turn.isMultiple(of: 2) ? [true, false] : [false, true] {
        container.larderRecordsHistory = isRecorded
        change()
        times[isRecorded, default: []].append(try await nanoseconds { try context.save() })
      }
    }
    let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count
    try require(transactions == Self.historySaves + 2, "half of the saves are in the history")
    measurements.add(
      "save of changed rows with history, to none", budget: Budget.history, rows: records.count,
      ours: (times[true] ?? []).median, limit: (times[false] ?? []).median)
  }

  /// One object is changed and saved, where nobody watches and beside a thousand live queries of its model: half of them for
  /// the rows of one value each, half for a property that is not changed.
  private func saveBesideLiveQueries() async throws {
    let container = try filledContainer()
    let context = ModelContext(container)
    context.autosaveEnabled = false
    let quakes = try context.fetch(FetchDescriptor<Quake>())
    func save() async throws -> Double {
      var times: [Double] = []
      for _ in 0..<Self.singleSaves {
        quakes[0].magnitude += 1
        times.append(try await nanoseconds { try context.save() })
      }
      return times.median
    }
    _ = try await save()
    var alone = 0.0
    var beside = 0.0
    for isBeside in [oursFirst, !oursFirst] {
      var observers: [ResultsObserver<Quake, Never>] = []
      if isBeside {
        let other = ModelContext(container)
        for number in 1...Self.liveQueries / 2 {
          let code = quakes[number].code
          let longitude = 180.0 + Double(number)
          observers.append(try ResultsObserver(filterBy: #Predicate { $0.code == code }, modelContext: other))
          observers.append(try ResultsObserver(filterBy: #Predicate { $0.longitude > longitude }, modelContext: other))
        }
      }
      let time = try await save()
      if isBeside { beside = time } else { alone = time }
      try require(observers.allSatisfy { $0.fetchError == nil }, "the queries are well")
    }
    measurements.add(
      "save of one object beside a thousand live queries, beyond one beside none, to 1 ms", budget: Budget.live,
      rows: 1,
      ours: max(0, beside - alone), limit: Budget.liveNanoseconds)
  }
}

extension ModelContext {
  /// The magnitude that the first quake has in the store.
  fileprivate var fetchedMagnitude: Double? {
    var descriptor = FetchDescriptor<Quake>()
    descriptor.fetchLimit = 1
    return try? fetch(descriptor).first?.magnitude
  }
}
