import Foundation
import LarderData
import LarderSQLite
import LarderSupport
import SwiftData
import Testing

@Suite struct SavePipelineTests {
  private struct Refused: Error {}

  @Test(arguments: StoreLocation.allCases)
  func savePostsWhatItDid(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    let edited = Crate(number: 1)
    let deleted = Crate(number: 2)
    context.insert(edited)
    context.insert(deleted)
    try context.save()

    let log = SaveLog(context)
    let inserted = Crate(number: 3)
    context.insert(inserted)
    edited.number = 10
    context.delete(deleted)
    let identifiers = (inserted.persistentModelID, edited.persistentModelID, deleted.persistentModelID)
    try context.save()
    #expect(
      log.all == [
        SaveLog.Event(name: ModelContext.willSave),
        SaveLog.Event(
          name: ModelContext.didSave, inserted: [identifiers.0], updated: [identifiers.1], deleted: [identifiers.2]),
      ])
    // With nothing pending, nothing happens and nothing is posted.
    try context.save()
    #expect(log.all.count == 2)
    #expect(!context.hasChanges)
    #expect(context.insertedModelsArray.isEmpty && context.changedModelsArray.isEmpty)
    #expect(context.deletedModelsArray.isEmpty)
  }

  @Test(arguments: StoreLocation.allCases)
  func notificationsComeBeforeAndAfterTheCommit(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    let counts = Counted<[Int]>([])
    let container = store.container
    let tokens = [ModelContext.willSave, ModelContext.didSave].map { name in
      NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { _ in
        let count = try? ModelContext(container).fetchCount(FetchDescriptor<Crate>())
        counts.update { $0.append(count ?? -1) }
      }
    }
    defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
    context.insert(Crate(number: 1))
    try context.save()
    #expect(counts.value == [0, 1])
  }

  @Test(arguments: StoreLocation.allCases)
  func saveThatFailsWritesNothingAndLeavesAllPending(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self, EveryValue.self)
    let context = store.context()
    let edited = Crate(number: 1)
    let deleted = Crate(number: 2)
    context.insert(edited)
    context.insert(deleted)
    try context.save()
    let before = try store.rows("SELECT * FROM Crate")

    let inserted = Crate(number: 3)
    context.insert(inserted)
    edited.text = "edited"
    context.delete(deleted)
    let bad = EveryValue()
    bad.double = .nan
    context.insert(bad)
    let log = SaveLog(context)
    for _ in 0..<2 {
      #expect(throws: SaveError.self) { try context.save() }
      #expect(try store.rows("SELECT * FROM Crate") == before)
      #expect(try store.value("SELECT count(*) FROM EveryValue") == .integer(0))
      #expect(context.insertedModelsArray.count == 2)
      #expect(context.changedModelsArray.count == 1)
      #expect(context.deletedModelsArray.count == 1)
      #expect(inserted.persistentModelID.isTemporary)
      #expect(edited.hasChanges && deleted.isDeleted)
    }
    #expect(log.saves.isEmpty)

    bad.double = 1
    try context.save()
    #expect(
      try store.rows("SELECT number, text FROM Crate ORDER BY number")
        == [[.integer(1), .text("edited")], [.integer(3), .text("")]])
    #expect(try store.value("SELECT count(*) FROM EveryValue") == .integer(1))
  }

  @Test(arguments: StoreLocation.allCases)
  func changesMadeInWillSaveAreSaved(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    let crate = Crate(number: 1)
    context.insert(crate)
    try context.save()
    // The observer runs on the saving thread.
    nonisolated(unsafe) let captured = (context, crate)
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.willSave, object: context, queue: nil
    ) { _ in
      captured.1.text = "stamped"
      captured.0.insert(Crate(number: 3))
      // Part of the save that is under way.
      try? captured.0.save()
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let log = SaveLog(context)
    context.insert(Crate(number: 2))
    try context.save()
    #expect(log.saves.count == 1)
    #expect(log.saves.first?.inserted?.count == 2)
    #expect(log.saves.first?.updated == [crate.persistentModelID])
    #expect(!context.hasChanges)
    #expect(
      try store.rows("SELECT number, text FROM Crate ORDER BY number")
        == [[.integer(1), .text("stamped")], [.integer(2), .text("")], [.integer(3), .text("")]])
  }

  @Test(arguments: StoreLocation.allCases)
  func saveInDidSaveIsASaveOfItsOwn(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    let crate = Crate(number: 1)
    context.insert(crate)
    nonisolated(unsafe) let captured = (context, crate)
    let failures = Counted(0)
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { _ in
      guard captured.1.number < 4 else { return }
      captured.1.number += 1
      do { try captured.0.save() } catch { failures.update { $0 += 1 } }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try context.save()
    #expect(failures.value == 0)
    #expect(!context.hasChanges)
    #expect(try store.value("SELECT number FROM Crate") == .integer(4))
  }

  @Test(arguments: StoreLocation.allCases)
  func changeSetTellsWhatTheTransactionWrote(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self, Sensor.self)
    let context = store.context()
    context.author = "ann"
    let edited = Crate(number: 1)
    let deleted = Crate(number: 2)
    context.insert(edited)
    context.insert(deleted)
    try context.save()

    struct Seen: Sendable {
      var author: String?
      var entities: [String: (inserted: [Int64], updated: [ChangeSet.Update], deleted: [Int64])] = [:]
      var rowsInTransaction: Int64 = 0
      var published = 0
    }
    let seen = Counted(Seen())
    let hook = store.container.store.observers.add { changes, connection in
      let rows = try connection.int64("SELECT count(*) FROM Crate") ?? -1
      seen.update { seen in
        seen.author = changes.author
        for entity in changes.entities {
          seen.entities[entity.layout.entityName] = (entity.inserted, entity.updated, entity.deleted)
        }
        seen.rowsInTransaction = rows
      }
    }
    let observer = store.container.store.observers.add { _ in seen.update { $0.published += 1 } }
    defer {
      store.container.store.observers.remove(hook)
      store.container.store.observers.remove(observer)
    }
    let rows = (edited.persistentModelID.key, deleted.persistentModelID.key)
    edited.text = "x"
    edited.note = "y"
    context.delete(deleted)
    let sensor = Sensor("a")
    context.insert(sensor)
    try context.save()

    let result = seen.value
    #expect(result.author == "ann")
    #expect(Set(result.entities.keys) == ["Crate", "Sensor"])
    let crates = try #require(result.entities["Crate"])
    #expect(crates.inserted == [] && crates.deleted == [rows.1])
    #expect(crates.updated.map(\.row) == [rows.0])
    // text and note are the second and third property.
    #expect(crates.updated.map(\.mask) == [0b110])
    #expect(result.entities["Sensor"]?.inserted == [sensor.persistentModelID.key])
    #expect(result.rowsInTransaction == 1)
    #expect(result.published == 1)
  }

  @Test(arguments: StoreLocation.allCases)
  func hookThatThrowsUndoesTheSave(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    let sensor = Sensor("a", label: "old")
    context.insert(sensor)
    try context.save()
    let hook = store.container.store.observers.add { _, connection in
      try connection.execute("UPDATE Sensor SET level = 99")
      throw Refused()
    }
    sensor.label = "edited"
    let united = Sensor("a", label: "united")
    context.insert(united)
    let added = Sensor("b")
    context.insert(added)
    let identifiers = [united, added].map(\.persistentModelID)
    let log = SaveLog(context)
    #expect(throws: Refused.self) { try context.save() }
    #expect(log.saves.isEmpty)
    #expect(try store.rows("SELECT code, label, level FROM Sensor") == [[.text("a"), .text("old"), .real(0)]])
    #expect(sensor.label == "edited")
    #expect([united, added].map(\.persistentModelID) == identifiers)
    #expect(context.insertedModelsArray.count == 2 && context.changedModelsArray.count == 1)

    store.container.store.observers.remove(hook)
    try context.save()
    #expect(sensor.label == "united")
    #expect(
      try store.rows("SELECT code, label FROM Sensor") == [[.text("a"), .text("united")], [.text("b"), .text("")]])
  }

  @Test(arguments: StoreLocation.allCases)
  func containerThatMayNotBeSavedRefuses(_ place: StoreLocation) throws {
    let folder = TestFolder()
    let url = folder.url("test.store")
    if place == .disk {
      let context = ModelContext(try TestStore.open(.disk, url, [Crate.self]))
      context.insert(Crate(number: 1))
      try context.save()
    }
    let context = ModelContext(try TestStore.open(place, url, [Crate.self], allowsSave: false))
    let before = try context.fetch(FetchDescriptor<Crate>()).map(\.number)
    let inserted = Crate(number: 2)
    context.insert(inserted)
    let error = try #require(throws: SaveError.self) { try context.save() }
    #expect(error.code == .savingNotAllowed)
    // What is pending is there all the same, beside what is stored.
    #expect(try context.fetch(FetchDescriptor<Crate>()).map(\.number) == before + [2])
    context.rollback()
    #expect(try context.fetch(FetchDescriptor<Crate>()).map(\.number) == before)
  }

  @Test(arguments: StoreLocation.allCases)
  func transactionSavesOrUndoes(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    let crate = Crate(number: 1)
    try context.transaction { context.insert(crate) }
    #expect(try store.value("SELECT count(*) FROM Crate") == .integer(1))
    #expect(throws: Refused.self) {
      try context.transaction {
        crate.number = 2
        context.insert(Crate(number: 3))
        throw Refused()
      }
    }
    #expect(crate.number == 1)
    #expect(!context.hasChanges)
    #expect(try context.fetchCount(FetchDescriptor<Crate>()) == 1)
  }

  @Test(arguments: StoreLocation.allCases)
  func editOfARowThatAnotherContextDeletedGoesWithIt(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    let crate = Crate(number: 1)
    context.insert(crate)
    try context.save()
    let other = store.context()
    try other.delete(model: Crate.self)
    try other.save()
    crate.number = 2
    context.insert(Crate(number: 3))
    try context.save()
    #expect(!context.hasChanges)
    #expect(crate.modelContext == nil && crate.isDeleted && crate.number == 2)
    #expect(try store.context().fetch(FetchDescriptor<Crate>()).map(\.number) == [3])
  }

  @Test(arguments: StoreLocation.allCases)
  func editsOfDifferentPropertiesInTwoContextsBothStay(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let first = store.context()
    let here = Crate(number: 1, text: "a")
    first.insert(here)
    try first.save()
    let second = store.context()
    let there = try #require(try second.fetch(FetchDescriptor<Crate>()).first)
    there.text = "there"
    try second.save()
    here.number = 2
    try first.save()
    #expect(
      try store.rows("SELECT number, text, larder_version FROM Crate") == [[.integer(2), .text("there"), .integer(3)]])
    #expect(try first.fetch(FetchDescriptor<Crate>()).first === here)
    #expect(here.text == "there")
    #expect(here.number == 2)
    here.text = "again"
    try first.save()
    #expect(try store.value("SELECT text FROM Crate") == .text("again"))
  }
}
