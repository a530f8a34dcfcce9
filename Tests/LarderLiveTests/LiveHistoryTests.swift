import Foundation
import LarderData
import LarderSQLite
import Patience
import SwiftData
import Synchronization
import TestSeeds
import Testing

/// Random commits of several contexts, on threads of their own and on the main actor, beside live queries of many kinds.
///
/// Each commit keeps the tonnage of all ships together as it is, so that whoever sees a state between two commits sees
/// another sum. What an observer shows when it is told must be what a fetch gives at that moment; nobody is told of what
/// he has seen; and when all is quiet each has been told of the last state.
///
/// `LARDER_SEED` and `ROUNDS` (of 20 histories) in the environment; each run prints its seed.
@Suite(.serialized) struct LiveHistoryTests {
  static let seeds: [UInt64] = {
    let first = Share.seed
    print("live queries, LARDER_SEED=\(first)")
    return (0..<UInt64((Share.multiplier ?? 1) * 20)).map { first &+ $0 }
  }()

  @MainActor
  @Test(arguments: LiveHistoryTests.seeds)
  func observersAgreeWithFetches(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let docks = try Docks(Bool.random(using: &random) ? .disk : .memory)
    try docks.elsewhere { context in
      let harbours = (0..<3).map { Harbour("h\($0)", country: "c\($0)") }
      for harbour in harbours { context.insert(harbour) }
      for number in 0..<8 {
        context.insert(
          Ship("s\(number)", flag: "f\(number % 3)", tonnage: 100, port: harbours.randomElement(using: &random)))
      }
    }
    let context = docks.container.mainContext
    context.autosaveEnabled = false
    let watchers = try LiveHistoryTests.descriptors(&random).enumerated().map { try Watcher($1, number: $0, context) }
    let sections = try Sections(context)
    let follower = Follower()
    let sequence = Task { @MainActor in try await follower.follow(context) }

    let other = docks.isOnDisk ? try docks.asAnotherProcess() : docks.container
    let fleets = [docks.container, Bool.random(using: &random) ? other : docks.container].enumerated().map {
      Fleet($1, seed &* 31 &+ UInt64($0))
    }
    let sailing = fleets.map { fleet in Task { await fleet.sail() } }
    context.mergePolicy = .error
    for _ in 0..<25 {
      switch Int.random(in: 0..<5, using: &random) {
      case 0:
        // The main context itself, which what it edits belongs to. It stays pending for a while.
        Fleet.change(in: context, &random)
      case 4:
        switch Int.random(in: 0..<3, using: &random) {
        case 0: do { try context.save() } catch { context.rollback() }
        case 1: context.rollback()
        default:
          // One that was never saved goes again, or a deletion is taken back.
          if let ship = context.insertedModelsArray.compactMap({ $0 as? Ship }).first, ship.tonnage == 0 {
            context.delete(ship)
          } else if let ship = context.deletedModelsArray.compactMap({ $0 as? Ship }).first {
            context.insert(ship)
          }
        }
      case 1: try await Task.sleep(for: .microseconds(Int.random(in: 0..<500, using: &random)))
      default: await fleets[0].commit()
      }
      await Task.yield()
      for watcher in watchers where Int.random(in: 0..<10, using: &random) == 0 { try watcher.check() }
    }
    for task in sailing { await task.value }
    do { try context.save() } catch { context.rollback() }
    let sum = try context.fetch(ships()).map(\.persistentModelID)
    try await until("the last commits, seed \(seed)") { try watchers.allSatisfy { try $0.isCurrent() } }
    for watcher in watchers {
      #expect(watcher.faults.isEmpty, "seed \(seed): \(watcher.faults)")
    }
    try await until("the sequence's last results, seed \(seed)") { follower.seen == sum }
    sequence.cancel()
    try await sequence.value
    #expect(follower.faults.isEmpty, "seed \(seed): \(follower.faults)")
    try await until("the last sections, seed \(seed)") { sections.isCurrent }
    #expect(sections.faults.isEmpty, "seed \(seed): \(sections.faults)")
  }

  private static func descriptors(_ random: inout SeededGenerator) -> [FetchDescriptor<Ship>] {
    let limit = Int.random(in: 60..<140, using: &random)
    let flag = "f\(Int.random(in: 0..<3, using: &random))"
    let country = "c\(Int.random(in: 0..<3, using: &random))"
    var first = ships(#Predicate { $0.tonnage >= limit }, sortBy: [SortDescriptor(\.tonnage), SortDescriptor(\.name)])
    first.fetchLimit = 3
    return [
      ships(), ships(#Predicate { $0.tonnage > limit }), ships(#Predicate { $0.flag == flag }),
      ships(#Predicate { $0.flag == flag && $0.tonnage < limit }, sortBy: [SortDescriptor(\.tonnage)]),
      ships(#Predicate { $0.port?.country == country }),
      ships(#Predicate { $0.name.count + $0.tonnage > limit && $0.notes != flag }),
      ships(#Predicate { $0.port?.tags.contains(flag) == true }),
      ships(sortBy: [SortDescriptor(\.port?.name, comparator: .lexical), SortDescriptor(\.name, comparator: .lexical)]),
      first,
    ]
  }
}

/// Follows a sequence, which sees whole commits only.
@MainActor
private final class Follower {
  private(set) var faults: [String] = []
  private(set) var seen: [PersistentIdentifier] = []
  private var hasBegun = false
  private var results: [Ship] = []

  func follow(_ context: ModelContext) async throws {
    for try await change in context.liveChanges(ships()) {
      // What is pending in the context is part of what it shows, beside what others save.
      let sum = change.results.reduce(0) { $0 + $1.tonnage }
      if sum != 800, !context.hasChanges { faults.append("a sum of \(sum)") }
      let now = change.results.map(\.persistentModelID)
      if hasBegun, change.difference.isEmpty, change.updated.isEmpty {
        // An object that is pending, or was, may have taken another's place.
        if change.results.elementsEqual(results, by: ===) { faults.append("told of nothing") }
      }
      (hasBegun, results) = (true, change.results)
      if seen.applying(change.difference) != now { faults.append("a difference that does not lead to the results") }
      seen = now
    }
  }
}

/// Ships by the country of their ports, shown as they are told.
@MainActor
private final class Sections {
  private let observer: ResultsObserver<Ship, String>
  private(set) var faults: [String] = []
  private var shown: [ResultsSection<Ship, String>] = []
  /// How often there had been others by then.
  private var showings = 0

  init(_ context: ModelContext) throws {
    observer = try ResultsObserver(fetchDescriptor: ships(), sectionBy: \.flag, modelContext: context)
    track()
  }

  private var sections: [ResultsSection<Ship, String>] { observer.sections.map(Array.init) ?? [] }

  private func track() {
    withObservationTracking {
      shown = sections
      showings = observer.sectionsChangeCount
    } onChange: { [weak self] in
      Task { @MainActor in self?.told() }
    }
  }

  private func told() {
    // Two changes may lie before this: there and back.
    if observer.sectionsChangeCount <= showings + 1, observer.publishedSections.map(Array.init) == shown {
      faults.append("sections: told of nothing")
    }
    track()
  }

  var isCurrent: Bool { shown == sections }
}

/// Looks at an observer whenever it tells, as a view would.
@MainActor
private final class Watcher {
  private let observer: ResultsObserver<Ship, Never>
  private let context: ModelContext
  private let descriptor: FetchDescriptor<Ship>
  private let number: Int
  private var shown: [Ship] = []
  /// How often there had been others by then: where one lay between, the same results are news.
  private var showings = 0
  private(set) var faults: [String] = []

  init(_ descriptor: FetchDescriptor<Ship>, number: Int, _ context: ModelContext) throws {
    self.number = number
    self.descriptor = descriptor
    self.context = context
    observer = try ResultsObserver(fetchDescriptor: descriptor, modelContext: context)
    track()
  }

  private func track() {
    withObservationTracking {
      shown = Array(observer.results)
      showings = observer.resultsChangeCount
    } onChange: { [weak self] in
      // It is told before the change; both happen on the main actor.
      Task { @MainActor in self?.told() }
    }
  }

  private func told() {
    // As it was told: what is committed since is not looked at yet.
    if observer.resultsChangeCount <= showings + 1, observer.publishedResults.elementsEqual(shown, by: ===) {
      faults.append("\(number): told of nothing, \(observer.resultsChangeCount - showings)")
    }
    do { try check() } catch { faults.append("\(error)") }
    track()
  }

  /// What is shown is what a fetch gives.
  func check() throws {
    let results = Array(observer.results)
    // What a relationship leads to may be loaded of a later commit.
    if let predicate = descriptor.predicate, number != 4, number != 6 {
      for ship in results where try !predicate.evaluate(ship) {
        faults.append("\(number): \(ship.name) is shown, and does not match")
      }
    }
    var fetched = try context.fetch(descriptor)
    if results.elementsEqual(fetched, by: ===) { return }
    // The fetch may have seen a later commit, again and again.
    for _ in 0..<100 {
      let results = Array(observer.results)
      if results.elementsEqual(fetched, by: ===) { return }
      fetched = try context.fetch(descriptor)
      if results.elementsEqual(fetched, by: ===) { return }
    }
    faults.append("\(number): \(results.map(\.name)) is shown, and \(fetched.map(\.name)) is there")
  }

  /// Whether it has been told of what there is by now.
  func isCurrent() throws -> Bool { shown.elementsEqual(try context.fetch(descriptor), by: ===) }
}

/// Somebody else, with a context of his own.
private actor Fleet {
  private let container: ModelContainer
  private var contexts: [ModelContext]
  private var random: SeededGenerator

  init(_ container: ModelContainer, _ seed: UInt64) {
    self.container = container
    random = SeededGenerator(seed: seed)
    contexts = (0..<3).map { _ in ModelContext(container) }
    // What another has changed meanwhile is not written over: the sum stays as it is.
    for context in contexts { context.mergePolicy = .error }
  }

  func sail() async {
    for _ in 0..<20 {
      commit()
      try? await Task.sleep(for: .microseconds(Int.random(in: 0..<300, using: &random)))
    }
  }

  func commit() {
    let context = contexts[Int.random(in: 0..<contexts.count, using: &random)]
    Fleet.change(in: context, &random)
    do { try context.save() } catch { context.rollback() }
  }

  /// Moves tonnage from ship to ship, and changes what else there is.
  static func change(in context: ModelContext, _ random: inout SeededGenerator) {
    guard let all = try? context.fetch(ships()), all.count > 1 else { return }
    let ship = all[Int.random(in: 0..<all.count, using: &random)]
    let other = all[Int.random(in: 0..<all.count, using: &random)]
    switch Int.random(in: 0..<7, using: &random) {
    case 0, 1:
      let amount = Int.random(in: -30...30, using: &random)
      if ship !== other {
        ship.tonnage -= amount
        other.tonnage += amount
      }
    case 2: ship.flag = "f\(Int.random(in: 0..<3, using: &random))"
    case 3: ship.notes = "f\(Int.random(in: 0..<3, using: &random))"
    case 4:
      // A ship goes when another has taken its cargo. Two may delete the same one.
      if ship === other || all.count <= 4 { return }
      if ship.tonnage == 0 { return context.delete(ship) }
      other.tonnage += ship.tonnage
      ship.tonnage = 0
    case 5:
      let half = ship.tonnage / 2
      ship.tonnage -= half
      context.insert(Ship("n\(Int.random(in: 0..<100, using: &random))", flag: ship.flag, tonnage: half))
    default:
      let harbours = (try? context.fetch(FetchDescriptor<Harbour>())) ?? []
      if Bool.random(using: &random) {
        ship.port = harbours.randomElement(using: &random)
      } else {
        let harbour = harbours.randomElement(using: &random)
        harbour?.country = "c\(Int.random(in: 0..<3, using: &random))"
        harbour?.tags = ["f\(Int.random(in: 0..<3, using: &random))"]
      }
    }
  }
}
