import Foundation
import LarderData
import SwiftData
import Synchronization
import TestSeeds
import Testing

@Model
final class Rack {
  var name: String
  @Relationship(inverse: \Jug.rack) var jugs: [Jug] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Jug {
  @Attribute(.unique) var number: Int
  var text = ""
  var rack: Rack?

  init(_ number: Int) { self.number = number }
}

/// Transactions within transactions, and what else a block may ask its context for.
@Suite struct TransactionTests {
  struct Refused: Error {}

  private func numbers(_ context: ModelContext) throws -> [Int] {
    try context.fetch(FetchDescriptor<Jug>(sortBy: [SortDescriptor(\.number)])).map(\.number)
  }

  private func stored(_ store: TestStore) throws -> [Int] { try numbers(store.context()) }

  @Test(arguments: StoreLocation.allCases)
  func innerTransactionIsSavedWithTheOuterOne(_ place: StoreLocation) throws {
    let store = try TestStore(place, Rack.self, Jug.self)
    let context = store.context()
    let saves = Mutex(0)
    let observer = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      _ in
      saves.withLock { $0 += 1 }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try context.transaction {
      context.insert(Jug(1))
      try context.transaction { context.insert(Jug(2)) }
      // Nothing is written before the block has returned.
      #expect(try stored(store) == [])
      #expect(try numbers(context) == [1, 2])
    }
    #expect(try stored(store) == [1, 2])
    #expect(saves.withLock { $0 } == 1)
    #expect(throws: Refused.self) {
      try context.transaction {
        context.insert(Jug(3))
        try context.transaction { context.insert(Jug(4)) }
        throw Refused()
      }
    }
    #expect(try stored(store) == [1, 2] && numbers(context) == [1, 2])
  }

  @Test(arguments: StoreLocation.allCases)
  func innerTransactionThatThrowsTakesItsOwnBack(_ place: StoreLocation) throws {
    let store = try TestStore(place, Rack.self, Jug.self)
    let context = store.context()
    let (rack, kept, gone) = (Rack("rack"), Jug(1), Jug(2))
    for model in [kept, gone] { context.insert(model) }
    context.insert(rack)
    rack.jugs = [kept, gone]
    try context.save()
    let new = Jug(3)
    try context.transaction {
      context.insert(new)
      kept.text = "outer"
      rack.jugs.append(new)
      #expect(throws: Refused.self) {
        try context.transaction {
          kept.text = "inner"
          gone.text = "inner"
          rack.jugs.removeFirst()
          context.delete(gone)
          context.delete(new)
          context.insert(Jug(4))
          rack.name = "other"
          throw Refused()
        }
      }
      #expect(kept.text == "outer" && gone.text == "" && rack.name == "rack")
      #expect(rack.jugs.map(\.number) == [1, 2, 3] && new.modelContext == context && !gone.isDeleted)
      // It may be tried again.
      try context.transaction { gone.text = "second" }
    }
    #expect(try stored(store) == [1, 2, 3])
    let racks = try store.context().fetch(FetchDescriptor<Rack>())
    #expect(racks.map { $0.jugs.map { "\($0.number) \($0.text)" } } == [["1 outer", "2 second", "3 "]])
    #expect(!context.hasChanges)
  }

  /// A save would keep what the block, or one around it, may still throw away.
  @Test(arguments: StoreLocation.allCases)
  func saveWithinWaitsForTheEnd(_ place: StoreLocation) throws {
    let store = try TestStore(place, Rack.self, Jug.self)
    let context = store.context()
    #expect(throws: Refused.self) {
      try context.transaction {
        context.insert(Jug(1))
        try context.save()
        #expect(try stored(store) == [])
        throw Refused()
      }
    }
    #expect(try stored(store) == [] && numbers(context) == [])
    try context.transaction {
      context.insert(Jug(1))
      try context.save()
      context.insert(Jug(2))
      try context.enumerate(FetchDescriptor<Jug>(), batchSize: 1) { jug in
        jug.text = "seen"
        try context.save()
      }
    }
    #expect(try stored(store) == [1, 2])
  }

  /// What is wrong with a model is said where the save was asked for, too.
  @Test func saveWithinSaysWhatIsWrong() throws {
    let store = try TestStore(.memory, Rack.self, Jug.self)
    let other = store.context()
    let jug = Jug(1)
    other.insert(jug)
    try other.save()
    let context = store.context()
    var isSaidAtOnce = false
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.transaction {
        context.insert(Jug(2))
        context.delete(jug)
        do { try context.save() } catch SwiftDataError.modelValidationFailure { isSaidAtOnce = true }
      }
    }
    #expect(isSaidAtOnce)
    #expect(try stored(store) == [1])
  }

  @Test func rollbackWithinDropsWhatThereIs() throws {
    let store = try TestStore(.memory, Rack.self, Jug.self)
    let context = store.context()
    try context.transaction {
      context.insert(Jug(1))
      context.rollback()
      context.insert(Jug(2))
    }
    #expect(try stored(store) == [2])
  }

  /// It drops what somebody else counts on.
  @Test(arguments: [false, true])
  func rollbackThatDropsMoreEndsTheTransaction(isInner: Bool) throws {
    let store = try TestStore(.memory, Rack.self, Jug.self)
    let context = store.context()
    let error = #expect(throws: SaveError.self) {
      try context.transaction {
        context.insert(Jug(1))
        if isInner {
          try context.transaction {
            context.insert(Jug(2))
            context.rollback()
          }
        } else {
          try context.save()
          context.rollback()
        }
        context.insert(Jug(3))
      }
    }
    #expect(error?.code == .transactionRolledBack)
    #expect(try stored(store) == [] && !context.hasChanges)
    try context.transaction { context.insert(Jug(4)) }
    #expect(try stored(store) == [4])
  }

  @Test func savesOfTheirOwnAreRefusedWithin() throws {
    let store = try TestStore(.memory, Rack.self, Jug.self)
    let context = store.context()
    try context.transaction {
      context.insert(Jug(1))
      let update = #expect(throws: SaveError.self) { try context.updateAndSave(Jug.self) { $0.set(\.text, to: "x") } }
      #expect(update?.code == .savingNotAllowed)
      let upsert = #expect(throws: SaveError.self) {
        try context.upsert([5], into: Jug.self, by: \.number) { mapping in mapping.set(\.number) { $0 } }
      }
      #expect(upsert?.code == .savingNotAllowed)
      // A deletion by predicate is pending, as any.
      context.insert(Jug(2))
      try context.delete(model: Jug.self, where: #Predicate { $0.number == 2 })
    }
    #expect(try stored(store) == [1])
  }

  /// No lock is held while a block runs.
  @Test(arguments: StoreLocation.allCases)
  func transactionsOfOtherContextsWithin(_ place: StoreLocation) throws {
    let store = try TestStore(place, Rack.self, Jug.self)
    let (context, other) = (store.context(), store.context())
    #expect(throws: Refused.self) {
      try context.transaction {
        context.insert(Jug(1))
        try other.transaction {
          other.insert(Jug(2))
          try context.transaction { context.insert(Jug(3)) }
        }
        throw Refused()
      }
    }
    #expect(try stored(store) == [2] && numbers(context) == [2])
  }

  @Test func transactionWithinWillSaveIsPartOfTheSave() throws {
    let store = try TestStore(.memory, Rack.self, Jug.self)
    nonisolated(unsafe) let context = store.context()
    let observer = NotificationCenter.default.addObserver(forName: ModelContext.willSave, object: context, queue: nil) {
      _ in
      try? context.transaction {
        context.insert(Jug(2))
        throw Refused()
      }
      try? context.transaction { context.insert(Jug(3)) }
    }
    context.insert(Jug(1))
    try context.save()
    NotificationCenter.default.removeObserver(observer)
    #expect(try stored(store) == [1, 3] && numbers(context) == [1, 3])
    #expect(!context.hasChanges)
  }

  @Test func transactionIsUndoneWithoutWhatItTookBack() throws {
    let store = try TestStore(.memory, Rack.self, Jug.self)
    let context = store.context()
    let manager = UndoManager()
    context.undoManager = manager
    let jug = Jug(1)
    context.insert(jug)
    try context.save()
    try context.transaction {
      jug.text = "outer"
      try? context.transaction {
        jug.text = "inner"
        context.insert(Jug(2))
        context.processPendingChanges()
        jug.text = "later"
        throw Refused()
      }
    }
    #expect(jug.text == "outer")
    #expect(context.undoManager === manager)
    manager.undo()
    #expect(jug.text == "")
    #expect(try numbers(context) == [1])
  }

  /// Random edits in transactions within each other, some of which throw: what was there before is there again.
  @Test(arguments: 0..<12)
  func randomInnerTransactionsAreWholeOrNotThere(_ number: UInt64) throws {
    let seed = Share.seed &+ number
    var run = try RandomTransactions(seed)
    for _ in 0..<Share.steps(8) { try run.round() }
  }
}
