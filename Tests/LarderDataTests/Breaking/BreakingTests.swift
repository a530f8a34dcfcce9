import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

@Suite struct BreakingTests {
  // MARK: Names

  @Test(arguments: StoreLocation.allCases)
  func modelNamedExcludedIsUpserted(_ place: StoreLocation) throws {
    let store = try TestStore(place, Excluded.self)
    let context = store.context()
    context.insert(Excluded(key: 1, value: "old"))
    try context.save()
    context.insert(Excluded(key: 1, value: "new"))
    try context.save()
    #expect(try store.rows("SELECT key, value FROM Excluded") == [[.integer(1), .text("new")]])
  }

  @Test(arguments: StoreLocation.allCases)
  func namesThatMeanSomethingToSQLAreNames(_ place: StoreLocation) throws {
    let store = try TestStore(place, Order.self, Nothing.self, AllOptional.self)
    let context = store.context()
    let order = Order(rowid: 7, select: "a")
    order.revealed = 77
    context.insert(order)
    context.insert(Nothing())
    context.insert(Nothing())
    context.insert(AllOptional())
    try context.save()
    let other = store.context()
    let found = try #require(try other.fetch(FetchDescriptor<Order>(predicate: #Predicate { $0.rowid == 7 })).first)
    #expect(found.revealed == 77 && found.größe == 5 && found.id == order.id)
    #expect(
      try other.fetchCount(FetchDescriptor<Order>(predicate: #Predicate { $0.select == "a" && $0.oid == 3 })) == 1)
    #expect(try other.fetchCount(FetchDescriptor<Order>(predicate: #Predicate { $0.default == nil })) == 1)
    #expect(
      try other.fetch(FetchDescriptor<Order>(sortBy: [SortDescriptor(\.version), SortDescriptor(\.größe)])).count == 1)
    #expect(try other.fetchCount(FetchDescriptor<Nothing>()) == 2)
    let nothing = try #require(try other.fetch(FetchDescriptor<Nothing>()).first)
    other.delete(nothing)
    let all = try #require(try other.fetch(FetchDescriptor<AllOptional>()).first)
    all.b = "b"
    found.default = "x"
    try other.save()
    context.insert(Order(rowid: 7, select: "b"))
    try context.save()
    #expect(try store.value("SELECT count(*) FROM \"Order\"") == .integer(1))
    #expect(try store.value("SELECT \"select\" FROM \"Order\"") == .text("b"))
    #expect(try store.value("SELECT count(*) FROM \"Nothing\"") == .integer(1))
  }

  private func open(_ models: any PersistentModel.Type...) throws {
    _ = try TestStore.open(.memory, URL(filePath: "/"), models)
  }

  @Test func namesThatCollideAreTypedErrors() {
    #expect(throws: SwiftDataError.self) { try open(Cases.item.self, Cases.Item.self) }
    #expect(throws: StoreError.self) { try open(Cases.larder_store.self) }
    #expect(throws: StoreError.self) { try open(Cases.sqlite_thing.self) }
    #expect(throws: SwiftDataError.self) { try open(Cases.Own.self) }
  }

  @Test func constraintsWhoseColumnsJoinToOneNameCanBeOpened() throws {
    try open(Cases.Ambiguous.self)
    try open(Cases.A.self, Cases.A_b.self)
  }

  @Test func aliasesAreBounded() {
    let aliases = IdentifierAliases(limit: 3)
    let identity = EntityIdentity.of(store: "a store", entity: "Crate")
    func identifier(_ key: Int64) -> PersistentIdentifier.ID { PersistentIdentifier.ID(identity: identity, key: key) }
    for key in 1...5 as ClosedRange<Int64> { aliases.record(identifier(key), as: key * 10) }
    aliases.record(identifier(5), as: 7)
    #expect((1...5).map { aliases.row(of: identifier($0), isStored: false) } == [nil, nil, 30, 40, 7])
  }

  // MARK: Keys

  @Test(arguments: StoreLocation.allCases)
  func editsMaySwapTwoKeys(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    let a = Sensor("a", label: "1")
    let b = Sensor("b", label: "2")
    context.insert(a)
    context.insert(b)
    try context.save()
    a.code = "b"
    b.code = "a"
    try context.save()
    #expect(
      try store.rows("SELECT code, label FROM Sensor ORDER BY label")
        == [[.text("b"), .text("1")], [.text("a"), .text("2")]])
  }

  @Test(arguments: StoreLocation.allCases)
  func editsMayShiftKeys(_ place: StoreLocation) throws {
    let store = try TestStore(place, Passport.self)
    let context = store.context()
    let passports = (0..<10).map { Passport(number: $0, holder: "\($0)") }
    for passport in passports { context.insert(passport) }
    try context.save()
    for passport in passports { passport.number += 1 }
    try context.save()
    #expect(try store.rows("SELECT number FROM Passport ORDER BY larder_id") == (1...10).map { [.integer($0)] })
  }

  @Test(arguments: StoreLocation.allCases)
  func keysOfEachTypeDecide(_ place: StoreLocation) throws {
    let store = try TestStore(place, Keyed.self)
    let context = store.context()
    let uuid = UUID()
    func insert(_ text: String, _ set: (Keyed) -> Void) throws -> Int {
      let keyed = Keyed(text: text)
      set(keyed)
      context.insert(keyed)
      try context.save()
      return try context.fetchCount(FetchDescriptor<Keyed>())
    }
    #expect(try insert("1") { $0.date = Date(timeIntervalSinceReferenceDate: 0.1) } == 1)
    #expect(try insert("1") { $0.date = Date(timeIntervalSinceReferenceDate: 0.1) } == 1)
    #expect(try insert("2") { $0.double = -0.0 } == 2)
    #expect(try insert("2") { $0.double = 0.0 } == 2)
    #expect(try insert("3") { $0.decimal = Decimal(string: "1.50") } == 3)
    #expect(try insert("3") { $0.decimal = Decimal(string: "1.5") } == 3)
    #expect(try insert("4") { $0.uuid = uuid } == 4)
    #expect(try insert("4") { $0.uuid = uuid } == 4)
    #expect(try insert("5") { $0.grade = .high } == 5)
    #expect(try insert("5") { $0.grade = .high } == 5)
    #expect(try insert("6") { _ in } == 6)
    #expect(try insert("6") { _ in } == 7)
  }

  @Test(arguments: StoreLocation.allCases)
  func upsertOfAnEqualSetWritesNothing(_ place: StoreLocation) throws {
    let store = try TestStore(place, Tagged.self)
    let context = store.context()
    let words = (0..<40).map { "w\($0)" }
    context.insert(
      Tagged(key: 1, tags: Set(words), weights: Dictionary(uniqueKeysWithValues: (0..<40).map { ($0, "") })))
    try context.save()
    var other = Set<String>(minimumCapacity: 1_000)
    for word in words.reversed() { other.insert(word) }
    var weights: [Int: String] = Dictionary(minimumCapacity: 1_000)
    for number in (0..<40).reversed() { weights[number] = "" }
    let tagged = try #require(try context.fetch(FetchDescriptor<Tagged>()).first)
    tagged.tags = other
    tagged.weights = weights
    #expect(!context.hasChanges)
    context.insert(Tagged(key: 1, tags: other, weights: weights))
    let log = SaveLog(context)
    try context.save()
    #expect(log.saves.last?.updated == [])
  }

  // MARK: Limits

  @Test(arguments: StoreLocation.allCases)
  func largestLimitsAreNoOverflow(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    for number in 0..<3 { context.insert(Crate(number: number)) }
    try context.save()
    let all = try context.fetch(FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number)]))
    context.delete(all[0])
    context.insert(Crate(number: 9))
    var descriptor = FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number)])
    descriptor.fetchLimit = .max
    descriptor.fetchOffset = 1
    #expect(try context.fetch(descriptor).map(\.number) == [2, 9])
    descriptor.fetchOffset = .max
    descriptor.fetchLimit = 5
    #expect(try context.fetch(descriptor).isEmpty)
    descriptor.fetchLimit = 0
    descriptor.fetchOffset = 0
    #expect(try context.fetch(descriptor).isEmpty)
    #expect(try context.fetchCount(descriptor) == 0)
    #expect(try context.fetchIdentifiers(descriptor).isEmpty)
    try context.enumerate(FetchDescriptor<Crate>(), batchSize: .max, allowEscapingMutations: true) { _ in }
    try context.enumerate(FetchDescriptor<Crate>(), batchSize: .min, allowEscapingMutations: true) { _ in }
  }

  // MARK: Rows of others

  @Test(arguments: StoreLocation.allCases)
  func rowThatSQLite3GaveOurNextIdentifierIsFetched(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    let first = Crate(number: 1)
    context.insert(first)
    try context.save()
    // Draws the identifier that our next insert would have.
    try store.execute("INSERT INTO Crate (number, text) VALUES (2, 'stranger')")
    let stranger = try #require(
      try context.fetch(FetchDescriptor<Crate>(predicate: #Predicate { $0.number == 2 })).first)
    let ours = Crate(number: 3)
    context.insert(ours)
    #expect(ours != stranger)
    let all = try context.fetch(FetchDescriptor<Crate>())
    #expect(all.map(\.number).sorted() == [1, 2, 3])
    #expect(Set(all.map(ObjectIdentifier.init)) == Set([first, stranger, ours].map(ObjectIdentifier.init)))
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Crate>()).map(\.number).sorted() == [1, 2, 3])
    stranger.text = "edited"
    try context.save()
    #expect(try store.rows("SELECT text FROM Crate WHERE number = 2") == [[.text("edited")]])
  }

  @Test(.directly("it changes the rows past the store"), arguments: StoreLocation.allCases)
  func rowThatTakesAPendingIdentifierIsFetched(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    let ours = Crate(number: 1)
    context.insert(ours)
    try store.execute(
      "INSERT INTO Crate (larder_id, number, text) VALUES (\(ours.persistentModelID.key), 2, 'stranger')")
    let all = try context.fetch(FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number)]))
    #expect(all.map(\.number) == [1, 2])
    for crate in all where crate.text == "stranger" { context.delete(crate) }
    #expect(try context.fetch(FetchDescriptor<Crate>()).map(\.number) == [1])
    try context.save()
    #expect(try store.rows("SELECT number FROM Crate") == [[.integer(1)]])
  }

  @Test(.directly("it changes the rows past the store")) func largestIdentifierOfAnotherProgramIsNoOverflow() throws {
    let store = try TestStore(.disk, Crate.self)
    let context = store.context()
    let ours = Crate(number: 1)
    context.insert(ours)
    try store.execute("INSERT INTO Crate (larder_id, number, text) VALUES (\(Int64.max), 99, 'stranger')")
    try store.execute(
      "INSERT INTO Crate (larder_id, number, text) VALUES (\(ours.persistentModelID.key), 98, 'stranger')")
    try context.save()
    #expect(try store.value("SELECT count(*) FROM Crate") == .integer(3))
  }

  @Test func counterOutOfRangeIsNoOverflow() throws {
    for counter in [Int64.max, .max - 1, .min, -5] {
      let folder = TestFolder()
      let url = folder.url("test.store")
      do {
        let container = try TestStore.open(.disk, url, [Crate.self])
        let context = ModelContext(container)
        context.insert(Crate(number: 1))
        try context.save()
        try container.store.database.withWriter {
          try $0.execute("UPDATE larder_store SET value = \(counter) WHERE key = 'next_identifier'")
        }
      }
      let container = try TestStore.open(.disk, url, [Crate.self])
      let context = ModelContext(container)
      for number in 2..<10 { context.insert(Crate(number: number)) }
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Crate>()) == 9)
    }
  }

  @Test func tamperedSchemaIsATypedError() throws {
    for json in ["'{'", "'[]'", "1", "x'00ff'", "'[{\"name\":\"Crate\"}]'", "''", "'null'"] {
      let folder = TestFolder()
      let url = folder.url("test.store")
      do {
        let container = try TestStore.open(.disk, url, [Crate.self])
        try container.store.database.withWriter {
          try $0.execute("UPDATE larder_store SET value = \(json) WHERE key = 'schema'")
        }
      }
      #expect(throws: StoreError.self, "\(json)") { try TestStore.open(.disk, url, [Crate.self]) }
    }
  }

  // MARK: Values

  @Test(.directly("a value that cannot be read back cannot be handed over"), arguments: StoreLocation.allCases)
  func typesThatThrowInTheirCoding(_ place: StoreLocation) throws {
    let store = try TestStore(place, Fuss.self)
    let context = store.context()
    let fuss = Fuss(number: 1, value: Fussy("ok"), list: [Fussy("x")])
    context.insert(fuss)
    try context.save()
    fuss.value = Fussy("unencodable")
    #expect(throws: SaveError.self) { try context.save() }
    context.rollback()
    #expect(fuss.value == Fussy("ok"))
    fuss.list = [Fussy("unencodable")]
    #expect(throws: SaveError.self) { try context.save() }
    context.rollback()
    context.insert(Fuss(number: 2, value: Fussy("unencodable")))
    #expect(throws: SaveError.self) { try context.save() }
    #expect(try context.fetchCount(FetchDescriptor<Fuss>(predicate: #Predicate { $0.number == 2 })) == 1)
    context.rollback()
    // A value that encodes and doesn't decode: a rollback cannot read it back from its stored form.
    fuss.value = Fussy(Fussy.refused)
    fuss.value = Fussy("fine")
    context.rollback()
    #expect(fuss.value == Fussy("ok"))
    fuss.value = Fussy(Fussy.refused)
    try context.save()
    #expect(throws: FetchError.self) { try store.context().fetch(FetchDescriptor<Fuss>()) }
    // The number can still be counted and the row deleted.
    #expect(try store.context().fetchCount(FetchDescriptor<Fuss>()) == 1)
  }

  @Test(arguments: StoreLocation.allCases)
  func rowThatBecomesUnreadableLeavesTheInstanceAsItWas(_ place: StoreLocation) throws {
    let store = try TestStore(place, Fuss.self)
    let context = store.context()
    let fuss = Fuss(number: 1, value: Fussy("ok"))
    context.insert(fuss)
    try context.save()
    try store.execute("UPDATE Fuss SET number = 2, value = '\"refused\"', larder_version = larder_version + 1")
    #expect(throws: FetchError.self) { try context.fetch(FetchDescriptor<Fuss>()) }
    #expect(fuss.number == 1 && fuss.value == Fussy("ok"))
    try store.execute("UPDATE Fuss SET value = '\"again\"', larder_version = larder_version + 1")
    #expect(try context.fetch(FetchDescriptor<Fuss>()).first === fuss)
    #expect(fuss.number == 2 && fuss.value == Fussy("again"))
  }

  @Test func textThatIsNoUTF8IsRepaired() throws {
    let store = try TestStore(.disk, Crate.self)
    try store.execute("INSERT INTO Crate (number, text) VALUES (1, CAST(x'fffe41' AS TEXT))")
    #expect(try store.context().fetch(FetchDescriptor<Crate>()).map(\.text) == ["\u{FFFD}\u{FFFD}A"])
  }

  @Test(arguments: [
    "grade = 'none'", "measure = 'x'", "measure = ''", "measure = '[1]'", "numbers = '{}'", "numbers = '[1e400]'",
    "numbers = '" + String(repeating: "[", count: 100_000) + "'", "uuid = 'x'", "url = ''", "decimal = 'abc'",
    "decimal = '1e999999999'", "decimal = ''", "int8 = 300", "uint8 = -1", "ratios = '{\"a\":null}'", "uint64 = -1",
    "bool = 7", "float = 1e300", "float = -1e300",
  ])
  func tamperedValueIsATypedError(_ change: String) throws {
    let store = try TestStore(.disk, EveryValue.self)
    let context = store.context()
    context.insert(EveryValue())
    try context.save()
    try store.execute("UPDATE EveryValue SET \(change)")
    #expect(throws: FetchError.self) { try store.context().fetch(FetchDescriptor<EveryValue>()) }
  }

  @Test(arguments: StoreLocation.allCases)
  func missingModelCanBeMade(_ place: StoreLocation) throws {
    let store = try TestStore(place, EveryValue.self, Fuss.self, Nothing.self)
    let context = store.context()
    for model in [EveryValue(), Fuss(number: 1, value: Fussy("a"), list: []), Nothing()] as [any PersistentModel] {
      func enter<Model: PersistentModel>(_ model: Model) throws {
        context.insert(model)
        try context.save()
        let id = model.persistentModelID
        context.delete(model)
        try context.save()
        let missing = context.model(for: id)
        #expect(missing.persistentModelID == id)
        #expect(missing.isDeleted)
      }
      try enter(model)
    }
  }
}
