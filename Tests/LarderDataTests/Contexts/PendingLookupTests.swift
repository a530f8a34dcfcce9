import Foundation
import SwiftData
import TestSeeds
import Testing

@testable import LarderData

@Model
final class Errand {
  var key: Int
  var name: String
  var isDone = false
  var note: String?

  init(_ key: Int) {
    self.key = key
    name = "errand \(key)"
  }
}

/// Look-ups in a loop cost as much for the thousandth object that is pending as for the first: columns that are read of
/// objects, and rows that are read of the store, are counted.
@Suite(.directly("another store is asked for all that it has, each time")) struct PendingLookupTests {
  private func store(_ place: StoreLocation, saved count: Int) throws -> (TestStore, ModelContext) {
    let store = try TestStore(place, Errand.self)
    let context = store.context()
    for key in 0..<count { context.insert(Errand(key)) }
    try context.save()
    return (store, store.context())
  }

  private func reads(_ context: ModelContext) throws -> Int {
    try context.core.tracker(for: Errand._$layout).objectValues.readCount
  }

  private static let count = 600

  @Test(arguments: StoreLocation.allCases)
  func lookupsAmongInsertedObjectsReadEachOnce(_ place: StoreLocation) throws {
    let (owner, context) = try store(place, saved: 0)
    defer { withExtendedLifetime(owner) {} }
    var last: PersistentIdentifier?
    for key in 0..<Self.count {
      if let last {
        #expect(
          try context.fetch(FetchDescriptor<Errand>(predicate: #Predicate { $0.persistentModelID == last })).map(\.key)
            == [key - 1])
        let ids = [last]
        #expect(
          try context.fetchCount(FetchDescriptor<Errand>(predicate: #Predicate { ids.contains($0.persistentModelID) }))
            == 1)
      }
      let name = "errand \(key - 1)"
      let found = try context.fetch(
        FetchDescriptor<Errand>(predicate: #Predicate { $0.key == key || $0.name == name || $0.note == name }))
      #expect(found.map(\.key) == (key > 0 ? [key - 1] : []))
      let keys = [key, key - 2]
      #expect(
        try context.fetchCount(FetchDescriptor<Errand>(predicate: #Predicate { keys.contains($0.key) && !$0.isDone }))
          == (key > 1 ? 1 : 0))
      let errand = Errand(key)
      context.insert(errand)
      last = errand.persistentModelID
    }
    #expect(try reads(context) < 40 * Self.count)
  }

  /// After some have left the list, places are found again.
  @Test func insertedObjectsAreFoundByIdentifierAfterOthersHaveLeft() throws {
    let (owner, context) = try store(.memory, saved: 0)
    defer { withExtendedLifetime(owner) {} }
    let errands = (0..<20).map { Errand($0) }
    for errand in errands { context.insert(errand) }
    context.delete(errands[3])
    context.delete(errands[10])
    for (key, errand) in errands.enumerated() {
      let id = errand.persistentModelID
      let found = try context.fetch(FetchDescriptor<Errand>(predicate: #Predicate { $0.persistentModelID == id }))
      #expect(found.map(\.key) == (key == 3 || key == 10 ? [] : [key]))
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func otherKeysForObjectsThatAreFoundByKey(_ place: StoreLocation) throws {
    let (owner, context) = try store(place, saved: Self.count)
    defer { withExtendedLifetime(owner) {} }
    for key in 0..<Self.count {
      let found = try context.fetch(FetchDescriptor<Errand>(predicate: #Predicate { $0.key == key }))
      #expect(found.count == 1)
      found.first?.key = key + 10_000
      if key >= 100 {
        let other = key + 9_900
        #expect(try context.fetchCount(FetchDescriptor<Errand>(predicate: #Predicate { $0.key == other })) == 1)
        #expect(try context.fetchCount(FetchDescriptor<Errand>(predicate: #Predicate { $0.key == key })) == 0)
      }
    }
    #expect(try reads(context) < 20 * Self.count)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Errand>(predicate: #Predicate { $0.key >= 10_000 })) == Self.count)
  }

  /// Setters tell of the first edit of a property only; an object that is in an index tells of all.
  @Test func editsOfEditedObjectsAreSeen() throws {
    let (owner, context) = try store(.memory, saved: 100)
    defer { withExtendedLifetime(owner) {} }
    let errands = try context.fetch(FetchDescriptor<Errand>(sortBy: [SortDescriptor(\.key)]))
    for errand in errands { errand.key += 1_000 }
    func keys(_ key: Int) throws -> [String] {
      try context.fetch(FetchDescriptor<Errand>(predicate: #Predicate { $0.key == key })).map(\.name)
    }
    #expect(try keys(1_007) == ["errand 7"])
    errands[7].key = 5
    errands[8].key = 5
    #expect(try keys(1_007) == [])
    #expect(try keys(5) == ["errand 7", "errand 8"])
    errands[7].key = 1_007
    #expect(try keys(5) == ["errand 8"])
    context.rollback()
    #expect(try keys(5) == ["errand 5"])
    #expect(try keys(1_007) == [])
    for errand in errands { errand.key += 2_000 }
    #expect(try keys(2_007) == ["errand 7"])
    #expect(try keys(7) == [])
  }

  @Test(arguments: StoreLocation.allCases)
  func theFirstIsTakenUntilThereIsNone(_ place: StoreLocation) throws {
    let (owner, context) = try store(place, saved: Self.count)
    defer { withExtendedLifetime(owner) {} }
    var first = FetchDescriptor<Errand>(sortBy: [SortDescriptor(\.key)])
    first.fetchLimit = 1
    var keys: [Int] = []
    while let errand = try context.fetch(first).first {
      keys.append(errand.key)
      context.delete(errand)
    }
    #expect(keys == Array(0..<Self.count))
    let front = try #require(context.core.tracker(for: Errand._$layout).firstRows)
    // Each row once; more only where the snapshot was given back in between.
    #expect(front.count <= Self.count)
    context.rollback()
    #expect(try context.fetch(first).first?.key == 0)
  }

  @Test(arguments: StoreLocation.allCases)
  func theFirstUndoneIsDoneUntilThereIsNone(_ place: StoreLocation) throws {
    let (owner, context) = try store(place, saved: Self.count)
    defer { withExtendedLifetime(owner) {} }
    var first = FetchDescriptor<Errand>(predicate: #Predicate { !$0.isDone }, sortBy: [SortDescriptor(\.key)])
    first.fetchLimit = 1
    var keys: [Int] = []
    while let errand = try context.fetch(first).first {
      keys.append(errand.key)
      errand.isDone = true
    }
    #expect(keys == Array(0..<Self.count))
    #expect(try reads(context) < 20 * Self.count)
    let one = try #require(try context.fetch(FetchDescriptor<Errand>(predicate: #Predicate { $0.key == 40 })).first)
    one.isDone = false
    #expect(try context.fetch(first).map(\.key) == [40])
  }

  /// Limited fetches agree with what an array gives, whatever was done in between.
  @Test func limitedFetchesAgreeWithArrays() throws {
    let seed = Share.seed
    for round in 0..<12 as Range<UInt64> { try limitedFetchesAgreeWithArrays(round, seed) }
  }

  private func limitedFetchesAgreeWithArrays(_ number: UInt64, _ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed &+ number)
    let (owner, context) = try store(number.isMultiple(of: 2) ? .memory : .disk, saved: 60)
    defer { withExtendedLifetime(owner) {} }
    context.undoManager = number.isMultiple(of: 3) ? UndoManager() : nil
    context.autosaveEnabled = false
    let other = owner.context()
    var history: [String] = []
    for step in 0..<250 {
      let all = try context.fetch(FetchDescriptor<Errand>())
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<40:
        guard let one = all.randomElement(using: &random) else { continue }
        history.append("delete \(one.name)")
        context.delete(one)
      case 40..<65:
        for one in all.shuffled(using: &random).prefix(5) {
          history.append("edit \(one.name)")
          one.isDone.toggle()
          one.key = Int.random(in: 0..<80, using: &random)
        }
      case 65..<75:
        let key = Int.random(in: 0..<80, using: &random)
        history.append("insert \(key)")
        context.insert(Errand(key))
      case 75..<80:
        history.append("rollback")
        context.rollback()
      case 80..<84:
        history.append("save")
        try context.save()
      case 84..<88 where context.undoManager != nil:
        history.append("undo")
        context.undoManager?.undo()
      case 88..<92:
        history.append("insert by another")
        other.insert(Errand(Int.random(in: 0..<80, using: &random)))
        try other.save()
      default: break
      }
      var descriptor = FetchDescriptor<Errand>(sortBy: [
        SortDescriptor(\.key, order: step % 2 == 0 ? .forward : .reverse)
      ])
      let isFiltered = Bool.random(using: &random)
      if isFiltered { descriptor.predicate = #Predicate { !$0.isDone } }
      let whole = try context.fetch(descriptor).map(\.persistentModelID)
      let (limit, offset) = (Int.random(in: 0...6, using: &random), Int.random(in: 0...3, using: &random))
      descriptor.fetchLimit = limit
      descriptor.fetchOffset = offset
      let found = try context.fetch(descriptor).map(\.persistentModelID)
      #expect(
        found == Array(whole.dropFirst(offset).prefix(limit)),
        "LARDER_SEED=\(seed), round \(number), step \(step): \(history.suffix(20))")
      let inMemory = try context.fetch(FetchDescriptor<Errand>()).filter { !isFiltered || !$0.isDone }
      #expect(
        Set(whole) == Set(inMemory.map(\.persistentModelID)),
        "LARDER_SEED=\(seed), round \(number), step \(step): \(history.suffix(20))")
    }
  }
}
