import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// Several configurations of a container lead to a store each; a context works on all of them.
@Suite struct SeveralStoresTests {
  @Test(arguments: StoreLocation.allCases)
  func eachModelLiesInItsConfigurationsStore(_ place: StoreLocation) throws {
    let two = try TwoStores(place)
    let context = two.context()
    let (crate, sensor) = (Crate(number: 1), Sensor("a"))
    context.insert(crate)
    context.insert(sensor)
    let log = SaveLog(context)
    try context.save()
    // One save, told once.
    #expect(log.saves.count == 1)
    #expect(log.saves.first?.inserted?.count == 2)
    #expect(!context.hasChanges)
    for (layout, other) in [(Crate._$layout, "Sensor"), (Sensor._$layout, "Crate")] {
      let strangers = "SELECT count(*) FROM sqlite_schema WHERE name = '\(other)'"
      #expect(try two.store(layout).database.read { try $0.int64(strangers) } == 0)
    }
    #expect(try two.counts() == [1, 1])
    let names = ["crates", "sensors"]
    let identifiers = names.map { two.container.storeIdentifier(forConfigurationNamed: $0) }
    #expect(identifiers == [crate.persistentModelID.storeIdentifier, sensor.persistentModelID.storeIdentifier])
    #expect(identifiers[0] != identifiers[1])
    #expect(identifiers.map { two.container.configurationName(forStoreIdentifier: $0 ?? "") } == names)

    let other = two.context()
    let found: Crate = try other.existingModel(for: crate.persistentModelID)
    #expect(found.number == 1)
    let key = "a"
    #expect(try other.fetch(FetchDescriptor<Sensor>(predicate: #Predicate { $0.code == key })).count == 1)
    #expect((other.model(for: sensor.persistentModelID) as? Sensor)?.code == "a")
  }

  @Test func aConfigurationWithoutASchemaKeepsTheRest() throws {
    let folder = TestFolder()
    let container = try ModelContainer(
      for: Crate.self, Sensor.self, Seat.self,
      configurations: ModelConfiguration(url: folder.url("main.store")),
      ModelConfiguration(for: Sensor.self, isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(Crate(number: 1))
    context.insert(Seat(row: 1, place: "a"))
    context.insert(Sensor("gone at the end"))
    try context.save()
    #expect(folder.names.filter { $0.hasSuffix(".store") } == ["main.store"])
    let again = try ModelContainer(
      for: Crate.self, Seat.self, configurations: ModelConfiguration(url: folder.url("main.store")))
    #expect(try ModelContext(again).fetchCount(FetchDescriptor<Crate>()) == 1)
    #expect(try ModelContext(again).fetchCount(FetchDescriptor<Seat>()) == 1)
  }

  @Test(arguments: StoreLocation.allCases)
  func whatOthersSaveInAnyOfTheStoresIsTakenOver(_ place: StoreLocation) throws {
    let two = try TwoStores(place)
    let writer = two.context()
    writer.insert(Crate(number: 1, text: "old"))
    writer.insert(Sensor("a", label: "old"))
    try writer.save()
    let reader = two.context()
    let crate = try #require(try reader.fetch(FetchDescriptor<Crate>()).first)
    let sensor = try #require(try reader.fetch(FetchDescriptor<Sensor>()).first)
    for one in try writer.fetch(FetchDescriptor<Crate>()) { one.text = "new" }
    for one in try writer.fetch(FetchDescriptor<Sensor>()) { one.label = "new" }
    try writer.save()
    _ = try reader.fetchCount(FetchDescriptor<Crate>())
    #expect(crate.text == "new" && sensor.label == "new")
  }

  @Test(arguments: StoreLocation.allCases)
  func rollbackAndUndoConcernAllStores(_ place: StoreLocation) throws {
    let two = try TwoStores(place)
    let context = two.context()
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    let (crate, sensor) = (Crate(number: 1, text: "old"), Sensor("a", label: "old"))
    context.insert(crate)
    context.insert(sensor)
    try context.save()
    crate.text = "edited"
    sensor.label = "edited"
    context.rollback()
    #expect(crate.text == "old" && sensor.label == "old" && !context.hasChanges)
    crate.text = "new"
    sensor.label = "new"
    try context.save()
    manager.undo()
    try context.save()
    #expect(crate.text == "old" && sensor.label == "old")
    #expect(try two.store(Sensor._$layout).database.read { try $0.string("SELECT label FROM Sensor") } == "old")
  }

  @Test(arguments: StoreLocation.allCases)
  func erasingEmptiesAllStoresAndTellsEverybody(_ place: StoreLocation) throws {
    let two = try TwoStores(place)
    let context = two.context()
    let crate = Crate(number: 1)
    context.insert(crate)
    context.insert(Sensor("a"))
    try context.save()
    let told = Counted(false)
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: nil, queue: nil) { note in
      // Other tests save, too.
      guard note.object == nil else { return }
      let key = ModelContext.NotificationKey.invalidatedAllIdentifiers.rawValue
      if note.userInfo?[key] as? Bool == true { told.update { $0 = true } }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try two.container.erase()
    #expect(try two.counts() == [0, 0])
    #expect(told.value)
    #expect(try context.fetch(FetchDescriptor<Crate>()).isEmpty)
    #expect(crate.isDeleted && crate.modelContext == nil)
  }

  @Test func aStoreThatMayNotBeSavedRefusesTheWholeSave() throws {
    let folder = TestFolder()
    _ = try TwoStores(in: folder)
    let two = try TwoStores(in: folder, sensorsAllowSave: false)
    let context = two.context()
    context.insert(Crate(number: 1))
    try context.save()
    context.insert(Crate(number: 2))
    context.insert(Sensor("a"))
    #expect { try context.save() } throws: { ($0 as? SaveError)?.code == .savingNotAllowed }
    #expect(try two.counts() == [1, 0])
    context.rollback()
    #expect { try two.container.erase() } throws: { ($0 as? StoreError)?.code == .readOnly }
    #expect(try two.counts() == [1, 0])
  }

  @Test func aChangeWithinWillSaveDoesNotEscapeThat() throws {
    let two = try TwoStores(.memory, sensorsAllowSave: false)
    let context = two.context()
    context.insert(Crate(number: 1))
    let holder = Holder(context)
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.willSave, object: context, queue: nil
    ) { _ in holder.context.insert(Sensor("a")) }
    defer { NotificationCenter.default.removeObserver(token) }
    #expect { try context.save() } throws: { ($0 as? SaveError)?.code == .savingNotAllowed }
    #expect(try two.counts() == [0, 0])
  }

  // @unchecked: the notification comes where the save is.
  private struct Holder: @unchecked Sendable {
    let context: ModelContext
    init(_ context: ModelContext) { self.context = context }
  }
}
