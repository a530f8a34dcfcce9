import Foundation
import LarderData
import SwiftData
import Testing

@Suite struct DeletionTests {
  @Test(arguments: StoreLocation.allCases)
  func deletionIsPendingUntilSaved(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    let crate = Crate(number: 1, text: "last")
    context.insert(crate)
    try context.save()
    let identifier = crate.persistentModelID
    context.delete(crate)
    #expect(crate.isDeleted && crate.hasChanges)
    #expect(context.deletedModelsArray.first as? Crate === crate)
    #expect(try context.fetch(FetchDescriptor<Crate>()).isEmpty)
    #expect(try context.fetchCount(FetchDescriptor<Crate>()) == 0)
    #expect(throws: FetchError.self) { try context.existingModel(for: identifier, as: Crate.self) }
    // Nobody else sees it yet.
    #expect(try store.context().fetchCount(FetchDescriptor<Crate>()) == 1)
    try context.save()
    #expect(crate.isDeleted && crate.modelContext == nil)
    #expect(crate.persistentModelID == identifier)
    #expect(crate.text == "last")
    #expect(try store.value("SELECT count(*) FROM Crate") == .integer(0))
    #expect(try store.context().fetchCount(FetchDescriptor<Crate>()) == 0)
    // A second deletion, and one of a model without a context, change nothing.
    context.delete(crate)
    context.delete(Crate(number: 2))
    #expect(!context.hasChanges)
  }

  @Test(arguments: StoreLocation.allCases)
  func editOfADeletedModelIsNotWritten(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    let crate = Crate(number: 1)
    context.insert(crate)
    try context.save()
    context.delete(crate)
    crate.number = 2
    #expect(context.changedModelsArray.isEmpty)
    let log = SaveLog(context)
    try context.save()
    #expect(log.saves.map(\.updated) == [[]])
    #expect(log.saves.map(\.deleted) == [[crate.persistentModelID]])
    crate.number = 3
    #expect(!context.hasChanges)
    try context.save()
    #expect(try store.value("SELECT count(*) FROM Crate") == .integer(0))
  }

  @Test(arguments: StoreLocation.allCases)
  func deletingAnInsertedModelForgetsIt(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    let crates = (0..<5).map { Crate(number: $0) }
    for crate in crates { context.insert(crate) }
    context.delete(crates[2])
    #expect(crates[2].modelContext == nil)
    #expect(!crates[2].isDeleted)
    #expect(try context.fetch(FetchDescriptor<Crate>()).map(\.number) == [0, 1, 3, 4])
    let log = SaveLog(context)
    try context.save()
    #expect(log.saves.first?.inserted?.count == 4)
    #expect(log.saves.first?.deleted == [])
  }

  @Test(arguments: StoreLocation.allCases)
  func insertTakesAPendingDeletionBack(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    let crate = Crate(number: 1)
    context.insert(crate)
    try context.save()
    let identifier = crate.persistentModelID
    crate.text = "edited"
    context.delete(crate)
    context.insert(crate)
    #expect(!crate.isDeleted)
    #expect(crate.persistentModelID == identifier)
    #expect(try context.fetch(FetchDescriptor<Crate>()).first === crate)
    try context.save()
    #expect(try store.rows("SELECT larder_id, text FROM Crate") == [[.integer(identifier.key), .text("edited")]])
    // Once the deletion is saved, an insert makes a new row.
    context.delete(crate)
    try context.save()
    context.insert(crate)
    try context.save()
    #expect(crate.modelContext == context)
    #expect(!crate.isDeleted)
    #expect(try store.value("SELECT count(*) FROM Crate") == .integer(1))
  }

  @Test(arguments: StoreLocation.allCases)
  func deletionByPredicateTakesRowsAndPendingModels(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    let crates = (0..<10).map { Crate(number: $0) }
    for crate in crates { context.insert(crate) }
    try context.save()
    // Without anything pending: rows go without being loaded.
    let fresh = store.context()
    try fresh.delete(model: Crate.self, where: #Predicate { $0.number < 3 })
    #expect(try fresh.fetch(FetchDescriptor<Crate>()).map(\.number) == Array(3..<10))
    try fresh.save()
    #expect(try store.value("SELECT min(number) FROM Crate") == .integer(3))
    // With pending inserts and edits, which decide what matches.
    crates[3].number = 100
    crates[9].number = 4
    context.insert(Crate(number: 5, text: "pending"))
    try context.delete(model: Crate.self, where: #Predicate { $0.number <= 5 })
    #expect(
      try context.fetch(FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number)])).map(\.number) == [6, 7, 8, 100])
    try context.save()
    #expect(try store.rows("SELECT number FROM Crate ORDER BY number") == [6, 7, 8, 100].map { [.integer($0)] })
    try context.delete(model: Crate.self)
    context.rollback()
    #expect(try context.fetchCount(FetchDescriptor<Crate>()) == 4)
    try context.delete(model: Crate.self)
    try context.save()
    #expect(try store.value("SELECT count(*) FROM Crate") == .integer(0))
    #expect(crates[6].isDeleted && crates[6].modelContext == nil)
  }

  @Test(arguments: StoreLocation.allCases)
  func modelThatIsLoadedAfterItsDeletionByPredicateIsDeleted(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    do {
      let context = store.context()
      context.insert(Crate(number: 1))
      try context.save()
    }
    let context = store.context()
    try context.delete(model: Crate.self)
    var descriptor = FetchDescriptor<Crate>()
    descriptor.includePendingChanges = false
    let loaded = try #require(try context.fetch(descriptor).first)
    #expect(loaded.isDeleted)
    try context.save()
    #expect(loaded.isDeleted)
    #expect(loaded.modelContext == nil)
  }

  @Test(arguments: StoreLocation.allCases)
  func deletionOfARowThatIsGoneIsNoError(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    let crate = Crate(number: 1)
    context.insert(crate)
    try context.save()
    let other = store.context()
    try other.delete(model: Crate.self)
    try other.save()
    context.delete(crate)
    let log = SaveLog(context)
    try context.save()
    #expect(log.saves.allSatisfy { $0.deleted?.isEmpty != false })
    #expect(crate.modelContext == nil)
  }

  @Test(arguments: StoreLocation.allCases)
  func erasingRemovesEverything(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self, Sensor.self)
    let context = store.context()
    context.insert(Crate(number: 1))
    context.insert(Sensor("a"))
    try context.save()
    try store.container.erase()
    #expect(try context.fetchCount(FetchDescriptor<Crate>()) == 0)
    #expect(try context.fetchCount(FetchDescriptor<Sensor>()) == 0)
  }
}
