import SwiftData

// What other contexts, and objects that nobody changes, cost a save.

extension Suite {
  private static let others = 10
  private static let singleSaves = 101

  func contexts() async throws {
    try await saveBesideOthers()
    try await saveOneAmongMany()
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
}

extension ModelContext {
  /// The magnitude that the first quake has in the store.
  fileprivate var fetchedMagnitude: Double? {
    var descriptor = FetchDescriptor<Quake>()
    descriptor.fetchLimit = 1
    return try? fetch(descriptor).first?.magnitude
  }
}
