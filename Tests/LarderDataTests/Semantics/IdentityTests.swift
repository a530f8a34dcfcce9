import Foundation
import LarderData
import SwiftData
import Testing

@Suite struct IdentityTests {
  @Test(arguments: StoreLocation.allCases)
  func identifierIsPermanentAtInsert(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    let sensor = Sensor("a")
    context.insert(sensor)
    let identifier = sensor.persistentModelID
    let hash = identifier.hashValue
    let selection: Set<Sensor> = [sensor]

    try context.save()
    #expect(sensor.persistentModelID == identifier)
    #expect(sensor.persistentModelID.hashValue == hash)
    #expect(selection.contains(sensor))
    let other = try #require(try store.context().fetch(FetchDescriptor<Sensor>()).first)
    #expect(other.persistentModelID == identifier)
    #expect(try store.value("SELECT larder_id FROM Sensor") == .integer(identifier.key))
  }

  /// A program, a suite of tests say, may open any number of stores: nothing is kept of those that are gone.
  @Test func identityGoesWithTheLastIdentifier() throws {
    var identifier: PersistentIdentifier?
    let store = try {
      let store = try TestStore(.memory, Sensor.self)
      let sensor = Sensor("a")
      let context = try store.saved([sensor])
      identifier = sensor.persistentModelID
      _ = context
      return store.container.store.identifier
    }()
    #expect(EntityIdentity.isCached(store: store, entity: "Sensor"))
    let coded = try JSONEncoder().encode(try #require(identifier))
    #expect(try JSONDecoder().decode(PersistentIdentifier.self, from: coded) == identifier)
    identifier = nil
    #expect(!EntityIdentity.isCached(store: store, entity: "Sensor"))
    let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: coded)
    #expect(decoded.storeIdentifier == store && EntityIdentity.isCached(store: store, entity: "Sensor"))
  }

  @Test(arguments: StoreLocation.allCases)
  func identifierIsTemporaryUntilSaved(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    let sensor = Sensor("a")
    #expect(sensor.persistentModelID.isTemporary)
    #expect(sensor.persistentModelID.storeIdentifier == nil)
    context.insert(sensor)
    #expect(sensor.persistentModelID.isTemporary)
    #expect(sensor.persistentModelID.storeIdentifier == nil)
    try context.save()
    #expect(!sensor.persistentModelID.isTemporary)
    #expect(sensor.persistentModelID.storeIdentifier == store.container.store.identifier)
    #expect(sensor.persistentModelID.entityName == "Sensor")
  }

  @Test func objectsBeforeTheirInsertAreUnlikeEachOther() {
    let first = Sensor("a")
    let second = Sensor("a")
    #expect(first == first)
    #expect(first != second)
    #expect(first.persistentModelID == first.persistentModelID)
    #expect(first.persistentModelID != second.persistentModelID)
  }

  @Test(arguments: StoreLocation.allCases)
  func rowHasOneInstanceInAContext(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    let sensor = Sensor("a")
    context.insert(sensor)
    #expect(try context.fetch(FetchDescriptor<Sensor>()).first === sensor)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Sensor>()).first === sensor)
    #expect(context.model(for: sensor.persistentModelID) as? Sensor === sensor)
    let registered: Sensor? = context.registeredModel(for: sensor.persistentModelID)
    #expect(registered === sensor)
    #expect(try context.existingModel(for: sensor.persistentModelID) as Sensor === sensor)
  }

  @Test(arguments: StoreLocation.allCases)
  func instanceThatNobodyHoldsIsForgotten(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    var sensor: Sensor? = Sensor("a", label: "kept")
    weak let watched = sensor
    let identifier: PersistentIdentifier
    do {
      let inserted = try #require(sensor)
      context.insert(inserted)
      identifier = inserted.persistentModelID
    }
    sensor = nil
    // Pending: the context holds it.
    #expect(watched != nil)
    try context.save()
    #expect(watched == nil)
    let registered: Sensor? = context.registeredModel(for: identifier)
    #expect(registered == nil)
    #expect((context.model(for: identifier) as? Sensor)?.label == "kept")
  }

  @Test(arguments: StoreLocation.allCases)
  func equalityAndHashAreThoseOfIdentifiers(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    context.insert(Sensor("a"))
    context.insert(Sensor("b"))
    try context.save()
    let here = try context.fetch(FetchDescriptor<Sensor>())
    let elsewhere = store.context()
    let there = try elsewhere.fetch(FetchDescriptor<Sensor>())
    #expect(here[0] == there[0])
    #expect(here[0] !== there[0])
    #expect(here[0] != here[1])
    #expect(Set(here + there).count == 2)
  }

  @Test(arguments: StoreLocation.allCases)
  func rowOneOfTwoStoresDiffers(_ place: StoreLocation) throws {
    let stores = [try TestStore(place, Sensor.self), try TestStore(place, Sensor.self)]
    let identifiers = try stores.map { store in
      let context = store.context()
      let sensor = Sensor("a")
      context.insert(sensor)
      try context.save()
      return sensor.persistentModelID
    }
    #expect(identifiers[0].key == identifiers[1].key)
    #expect(identifiers[0] != identifiers[1])
    let stranger: Sensor? = stores[1].context().registeredModel(for: identifiers[0])
    #expect(stranger == nil)
    #expect(throws: FetchError.self) { try stores[1].context().existingModel(for: identifiers[0], as: Sensor.self) }
  }

  @Test(arguments: StoreLocation.allCases)
  func identifiersSurviveCoding(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self, Crate.self)
    let context = store.context()
    let sensor = Sensor("a")
    let crate = Crate(number: 1)
    context.insert(sensor)
    context.insert(crate)
    try context.save()
    for identifier in [sensor.persistentModelID, crate.persistentModelID] {
      let decoded = try JSONDecoder().decode(
        PersistentIdentifier.self, from: try JSONEncoder().encode(identifier))
      #expect(decoded == identifier)
      #expect(decoded.hashValue == identifier.hashValue)
      #expect(decoded.isTemporary == identifier.isTemporary)
    }
    let decoded = try JSONDecoder().decode(
      PersistentIdentifier.self, from: try JSONEncoder().encode(sensor.persistentModelID))
    #expect(store.context().model(for: decoded) as? Sensor == sensor)
  }

  /// Stores of one's own find the primary key there.
  @Test func identifiersAreCodedAsApples() throws {
    struct Outside: Decodable {
      struct Inside: Decodable, Equatable {
        var primaryKey: Int
        var entityName: String
        var storeIdentifier: String
        var isTemporary: Bool
      }
      var implementation: Inside
    }
    let identifier = try PersistentIdentifier.identifier(for: "shop", entityName: "Ware", primaryKey: 42)
    let coded = try JSONEncoder().encode(identifier)
    #expect(
      try JSONDecoder().decode(Outside.self, from: coded).implementation
        == Outside.Inside(primaryKey: 42, entityName: "Ware", storeIdentifier: "shop", isTemporary: false))
    let named = try PersistentIdentifier.identifier(for: "shop", entityName: "Ware", primaryKey: "a-7")
    #expect(String(decoding: try JSONEncoder().encode(named), as: UTF8.self).contains(#""primaryKey":"a-7""#))
    for identifier in [identifier, named] {
      #expect(try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(identifier)) == identifier)
    }
  }

  @Test(arguments: [
    (#"{"store":"shop","entity":"Ware","key":42,"saved":true}"#, "42"),
    (#"{"store":"shop","entity":"Ware","name":"a-7","saved":true}"#, "a-7"),
    (
      #"{"implementation":{"storeIdentifier":"shop","entityName":"Ware","primaryKey":42,"isTemporary":false,"x":1}}"#,
      "42"
    ),
    (#"{"implementation":{"storeIdentifier":"shop","entityName":"Ware","primaryKey":"a-7"}}"#, "a-7"),
  ])
  func whatWasCodedBeforeIsDecoded(_ json: String, _ key: String) throws {
    let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: Data(json.utf8))
    #expect(decoded == (try PersistentIdentifier.identifier(for: "shop", entityName: "Ware", primaryKey: key)))
    #expect(!decoded.isTemporary)
  }

  @Test(arguments: [
    #"{"implementation":{"entityName":"Ware","primaryKey":"a-7"}}"#,
    #"{"implementation":{"storeIdentifier":"shop","entityName":"Ware","primaryKey":""}}"#,
    #"{"implementation":{"storeIdentifier":"shop","entityName":"Ware"}}"#, "{}",
  ])
  func identifierOfNoRowIsRefused(_ json: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(PersistentIdentifier.self, from: Data(json.utf8))
    }
  }

  @Test func identifiersAreTheSameAfterReopening() throws {
    let folder = TestFolder()
    var before: [PersistentIdentifier] = []
    do {
      let context = ModelContext(try TestStore.open(.disk, folder.url("test.store"), [Sensor.self]))
      for code in ["a", "b", "c"] { context.insert(Sensor(code)) }
      try context.save()
      before = try context.fetchIdentifiers(FetchDescriptor<Sensor>())
    }
    let context = ModelContext(try TestStore.open(.disk, folder.url("test.store"), [Sensor.self]))
    #expect(try context.fetchIdentifiers(FetchDescriptor<Sensor>()) == before)
    context.insert(Sensor("d"))
    try context.save()
    #expect(Set(try context.fetchIdentifiers(FetchDescriptor<Sensor>())).count == 4)
  }

  @Test func twoWritersOfAFileNeverDrawTheSameIdentifier() throws {
    let folder = TestFolder()
    let container = try TestStore.open(.disk, folder.url("test.store"), [Sensor.self])
    // Another process: a store of its own on the same file, not shared by the registry.
    var options = SQLiteStore.Options(url: folder.url("test.store"))
    options.vfs = "unix"
    let elsewhere = try SQLiteStore.open(options, layouts: [Sensor._$layout])
    #expect(elsewhere !== container.store)
    var drawn: Set<Int64> = []
    for _ in 0..<10_000 {
      #expect(drawn.insert(container.store.nextIdentifier()).inserted)
      #expect(drawn.insert(elsewhere.nextIdentifier()).inserted)
    }
    #expect(!drawn.contains(0))
  }
}
