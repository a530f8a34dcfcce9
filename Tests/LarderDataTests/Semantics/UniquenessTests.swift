import Foundation
import LarderData
import LarderSQLite
import SwiftData
import TestSeeds
import Testing

@Suite struct UniquenessTests {
  @Test(arguments: StoreLocation.allCases)
  func insertThatMatchesARowUpdatesIt(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let first = store.context()
    first.insert(Sensor("a", label: "old", level: 1, spot: Site(name: "here", x: 1, y: 2)))
    try first.save()
    let row = try #require(try first.fetchIdentifiers(FetchDescriptor<Sensor>()).first)

    // Another context, which has no instance of the row.
    let context = store.context()
    let inserted = Sensor("a", label: "new", level: 1, spot: Site(name: "there", x: 3, y: 4))
    context.insert(inserted)
    let formerIdentifier = inserted.persistentModelID
    #expect(formerIdentifier != row)
    let log = SaveLog(context)
    try context.save()

    #expect(inserted.persistentModelID == row)
    #expect(inserted.modelContext == context)
    #expect(!inserted.hasChanges)
    #expect(log.saves.map(\.inserted) == [[]])
    #expect(log.saves.map(\.updated) == [[row]])
    #expect(
      try store.rows("SELECT larder_id, label, spot_name, larder_version FROM Sensor")
        == [[.integer(row.key), .text("new"), .text("there"), .integer(2)]])
    let fetched = try context.fetch(FetchDescriptor<Sensor>())
    #expect(fetched.count == 1)
    #expect(fetched.first === inserted)
  }

  @Test(arguments: StoreLocation.allCases)
  func formerIdentifierStaysAnAlias(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let first = store.context()
    first.insert(Sensor("a"))
    try first.save()

    let context = store.context()
    let inserted = Sensor("a", label: "new")
    context.insert(inserted)
    let former = inserted.persistentModelID
    try context.save()
    #expect(inserted.persistentModelID != former)
    let registered: Sensor? = context.registeredModel(for: former)
    #expect(registered === inserted)
    #expect(context.model(for: former) as? Sensor === inserted)
    // In the container's other contexts, too.
    #expect((store.context().model(for: former) as? Sensor)?.label == "new")
    #expect(
      try store.context().existingModel(for: former, as: Sensor.self).persistentModelID == inserted.persistentModelID)
  }

  @Test(arguments: StoreLocation.allCases)
  func instanceInHandGetsTheInsertedValues(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    let shown = Sensor("a", label: "old")
    context.insert(shown)
    try context.save()

    let observed = Counted(0)
    withObservationTracking {
      _ = shown.label
    } onChange: {
      observed.update { $0 += 1 }
    }
    let inserted = Sensor("a", label: "new", count: 7, spot: Site(name: "there", x: 3, y: 4))
    inserted.note = "hand"
    context.insert(inserted)
    try context.save()

    #expect(shown.label == "new")
    #expect(shown.count == 7)
    #expect(shown.spot == Site(name: "there", x: 3, y: 4))
    #expect(shown.note == "hand")
    #expect(!shown.hasChanges)
    #expect(observed.value == 1)
    // The inserted one is displaced: it keeps its values and leads to the row.
    #expect(inserted.modelContext == nil)
    #expect(inserted.label == "new")
    #expect(inserted.persistentModelID == shown.persistentModelID)
    #expect(context.model(for: inserted.persistentModelID) as? Sensor === shown)
    #expect(try context.fetch(FetchDescriptor<Sensor>()).first === shown)
    // What is edited afterwards is saved against the row as it is now.
    shown.level = 9
    try context.save()
    #expect(
      try store.rows("SELECT level, label, larder_version FROM Sensor") == [[.real(9), .text("new"), .integer(3)]])
  }

  @Test(arguments: StoreLocation.allCases)
  func editsOfTheInstanceInHandGiveWayToTheInsert(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    let shown = Sensor("a", label: "old", level: 1)
    context.insert(shown)
    try context.save()
    shown.label = "edited"
    context.insert(Sensor("a", label: "inserted", level: 2))
    let log = SaveLog(context)
    try context.save()
    #expect(shown.label == "inserted")
    #expect(shown.level == 2)
    #expect(log.saves.first?.updated == [shown.persistentModelID])
    #expect(try store.rows("SELECT label, level FROM Sensor") == [[.text("inserted"), .real(2)]])
    shown.level = 3
    try context.save()
    #expect(try store.value("SELECT level FROM Sensor") == .real(3))
  }

  @Test(arguments: StoreLocation.allCases)
  func upsertOfWhatIsThereWritesNothing(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    for number in 0..<100 { context.insert(Sensor("\(number)", label: "x", level: Double(number))) }
    try context.save()
    let hooked = Counted(0)
    let key = store.container.store.observers.add { _, _ in hooked.update { $0 += 1 } }
    defer { store.container.store.observers.remove(key) }
    let published = Counted(0)
    let observer = store.container.store.observers.add { _ in published.update { $0 += 1 } }
    defer { store.container.store.observers.remove(observer) }
    let log = SaveLog(context)
    for number in 0..<100 { context.insert(Sensor("\(number)", label: "x", level: Double(number))) }
    let work = try store.writing { try context.save() }
    #expect(work.status.pagesWritten == 0)
    #expect(hooked.value == 0)
    #expect(published.value == 0)
    #expect(log.saves.allSatisfy { $0.inserted == [] && $0.updated == [] && $0.deleted == [] })
    #expect(try store.value("SELECT max(larder_version) FROM Sensor") == .integer(1))
    #expect(!context.hasChanges)
  }

  @Test(arguments: StoreLocation.allCases)
  func laterOfTwoPendingWithOneKeyWins(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    let earlier = Sensor("a", label: "earlier", level: 1)
    let later = Sensor("a", label: "later", level: 2)
    context.insert(earlier)
    context.insert(later)
    let log = SaveLog(context)
    try context.save()
    #expect(earlier.label == "later")
    #expect(earlier.level == 2)
    #expect(earlier.modelContext == context)
    #expect(later.modelContext == nil)
    #expect(later.persistentModelID == earlier.persistentModelID)
    #expect(log.saves.map(\.inserted) == [[earlier.persistentModelID]])
    #expect(log.saves.map(\.updated) == [[]])
    #expect(try store.rows("SELECT label FROM Sensor") == [[.text("later")]])
    #expect(try context.fetch(FetchDescriptor<Sensor>()).first === earlier)
  }

  @Test(arguments: StoreLocation.allCases)
  func insertThatMatchesTwoRowsNamesBoth(_ place: StoreLocation) throws {
    let store = try TestStore(place, Passport.self)
    let context = store.context()
    let one = Passport(number: 1, holder: "ann")
    let two = Passport(number: 2, holder: "bob")
    context.insert(one)
    context.insert(two)
    try context.save()
    let torn = Passport(number: 1, holder: "bob", issued: "here")
    context.insert(torn)
    let error = try #require(throws: SaveError.self) { try context.save() }
    #expect(error.code == .uniquenessConflict)
    #expect(error.entityName == "Passport")
    #expect(error.identifiers == [torn.persistentModelID, one.persistentModelID, two.persistentModelID])
    #expect(error.properties == ["number", "holder"])
    // Nothing is written, everything is still pending.
    #expect(try store.value("SELECT count(*) FROM Passport WHERE issued <> ''") == .integer(0))
    #expect(context.insertedModelsArray.count == 1)
    torn.holder = "ann"
    try context.save()
    #expect(one.issued == "here")
    #expect(try store.value("SELECT count(*) FROM Passport") == .integer(2))
  }

  @Test(arguments: StoreLocation.allCases)
  func insertThatMatchesOneRowByBothKeysUpdatesIt(_ place: StoreLocation) throws {
    let store = try TestStore(place, Passport.self)
    let context = store.context()
    let one = Passport(number: 1, holder: "ann")
    context.insert(one)
    try context.save()
    context.insert(Passport(number: 1, holder: "ann", issued: "again"))
    try context.save()
    #expect(one.issued == "again")
    // By one key alone, the other key is an attribute like others.
    context.insert(Passport(number: 1, holder: "bob", issued: "renamed"))
    try context.save()
    #expect(one.holder == "bob")
    #expect(try store.rows("SELECT number, holder FROM Passport") == [[.integer(1), .text("bob")]])
  }

  @Test(arguments: StoreLocation.allCases)
  func editThatCollidesNamesBothRows(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    let first = Sensor("a")
    let second = Sensor("b")
    context.insert(first)
    context.insert(second)
    try context.save()
    second.code = "a"
    second.level = 5
    let error = try #require(throws: SaveError.self) { try context.save() }
    #expect(error.code == .uniquenessConflict)
    #expect(error.identifiers == [second.persistentModelID, first.persistentModelID])
    #expect(error.properties == ["code"])
    #expect(second.hasChanges)
    #expect(try store.rows("SELECT code, level FROM Sensor") == [[.text("a"), .real(0)], [.text("b"), .real(0)]])
    second.code = "c"
    try context.save()
    #expect(try store.rows("SELECT code, level FROM Sensor") == [[.text("a"), .real(0)], [.text("c"), .real(5)]])
  }

  @Test(arguments: StoreLocation.allCases)
  func keyOfADeletedRowIsFree(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    let first = Sensor("a", label: "old")
    context.insert(first)
    try context.save()
    context.delete(first)
    let second = Sensor("a", label: "new")
    context.insert(second)
    let identifier = second.persistentModelID
    try context.save()
    #expect(second.persistentModelID == identifier)
    #expect(first.modelContext == nil)
    #expect(try store.rows("SELECT larder_id, label FROM Sensor") == [[.integer(identifier.key), .text("new")]])
  }

  @Test(arguments: StoreLocation.allCases)
  func severalPropertiesAreUniqueTogether(_ place: StoreLocation) throws {
    let store = try TestStore(place, Seat.self)
    let context = store.context()
    let first = Seat(row: 1, place: "a", guest: "ann")
    context.insert(first)
    context.insert(Seat(row: 1, place: "b", guest: "bob"))
    context.insert(Seat(row: 2, place: "a", guest: "cid"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Seat>()) == 3)
    context.insert(Seat(row: 1, place: "a", guest: "dan"))
    try context.save()
    #expect(first.guest == "dan")
    #expect(try context.fetchCount(FetchDescriptor<Seat>()) == 3)
  }

  @Test(arguments: StoreLocation.allCases)
  func nilIsEqualToNoOther(_ place: StoreLocation) throws {
    let store = try TestStore(place, Seat.self)
    let context = store.context()
    context.insert(Seat(row: 1, place: "a"))
    context.insert(Seat(row: 2, place: "b"))
    try context.save()
    context.insert(Seat(row: 3, place: "c"))
    try context.save()
    #expect(try store.value("SELECT count(*) FROM Seat WHERE ticket IS NULL") == .integer(3))
    context.insert(Seat(row: 4, place: "d", ticket: "t"))
    try context.save()
    context.insert(Seat(row: 5, place: "e", ticket: "t"))
    try context.save()
    #expect(try store.rows("SELECT \"row\" FROM Seat WHERE ticket = 't'") == [[.integer(5)]])
  }

  @Test(arguments: StoreLocation.allCases)
  func keysAreComparedByTheirBytes(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    context.insert(Sensor("caf\u{E9}"))
    context.insert(Sensor("cafe\u{301}"))
    context.insert(Sensor("Caf\u{E9}"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Sensor>()) == 3)
  }

  /// Random inserts by 30 keys, with deletions and edits of other attributes, against a dictionary.
  @Test(arguments: StoreLocation.allCases)
  func randomUpsertsAgreeWithADictionary(_ place: StoreLocation) throws {
    let seed = Share.seed
    print("randomUpsertsAgreeWithADictionary (\(place)): seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let store = try TestStore(place, Sensor.self)
    let contexts = [store.context(), store.context()]
    var expected: [String: Double] = [:]
    var held: [Sensor] = []
    for step in 0..<Share.steps(300) {
      let context = contexts[Int.random(in: 0..<2, using: &random)]
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let code = "key \(Int.random(in: 0..<30, using: &random))"
        let level = Double(Int.random(in: 0..<5, using: &random))
        let sensor = Sensor(code, level: level)
        context.insert(sensor)
        expected[code] = level
        if random.chance(30) { held.append(sensor) }
      }
      try context.save()
      if random.chance(20), let code = expected.keys.sorted().randomElement(using: &random) {
        let found = try context.fetch(FetchDescriptor<Sensor>(predicate: #Predicate { $0.code == code }))
        try #require(found.count == 1, "seed \(seed), step \(step)")
        context.delete(found[0])
        expected[code] = nil
        try context.save()
      }
      if random.chance(20) { held.removeAll() }
      let rows = try store.rows("SELECT code, level FROM Sensor ORDER BY code")
      let wanted = expected.sorted { $0.key < $1.key }.map { [_StoredValue.text($0.key), .real($0.value)] }
      try #require(rows == wanted, "seed \(seed), step \(step)")
      for context in contexts {
        let levels = try context.fetch(FetchDescriptor<Sensor>()).map { ($0.code, $0.level) }
        try #require(Dictionary(uniqueKeysWithValues: levels) == expected, "seed \(seed), step \(step)")
      }
    }
  }
}
