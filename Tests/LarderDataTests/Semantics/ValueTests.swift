import Foundation
import LarderData
import SwiftData
import TestSeeds
import Testing

@Suite struct ValueTests {
  private func filled() throws -> EveryValue {
    let model = EveryValue()
    model.double = 0.1
    model.float = 1.5
    model.int = -7
    model.int8 = -128
    model.int64 = .min
    model.uint8 = 255
    model.uint64 = UInt64(Int64.max)
    model.bool = true
    model.date = Date(timeIntervalSinceReferenceDate: 123.25)
    model.decimal = try #require(Decimal(string: "-1234.5600"))
    model.string = "a\u{0}b é"
    model.uuid = try #require(UUID(uuidString: "0a1b2c3d-0000-4000-8000-00000000ffff"))
    model.url = try #require(URL(string: "https://example.org/a?b=c"))
    model.data = Data([0, 255, 1])
    model.grade = .high
    model.rank = .second
    model.measure = Measure(value: 2.5, unit: "m")
    model.numbers = [3, 1, 2]
    model.tags = ["b", "a"]
    model.ratios = ["z": 1, "a": 0.5]
    model.spot = Site(name: "here", x: 1, y: -2)
    return model
  }

  @Test(arguments: StoreLocation.allCases)
  func eachTypeHasItsStoredForm(_ place: StoreLocation) throws {
    let store = try TestStore(place, EveryValue.self)
    let context = store.context()
    context.insert(try filled())
    try context.save()
    let expected: [(String, _StoredValue)] = [
      ("double", .real(0.1)), ("float", .real(1.5)), ("int", .integer(-7)), ("int8", .integer(-128)),
      ("int64", .integer(.min)), ("uint8", .integer(255)), ("uint64", .integer(.max)), ("bool", .integer(1)),
      ("date", .real(123.25)), ("decimal", .text("-1234.56")), ("string", .text("a\u{0}b é")),
      ("uuid", .text("0A1B2C3D-0000-4000-8000-00000000FFFF")), ("url", .text("https://example.org/a?b=c")),
      ("data", .blob([0, 255, 1])), ("grade", .text("high")), ("rank", .integer(2)),
      ("measure", .text(#"[2.5,"m"]"#)), ("numbers", .text("[3,1,2]")), ("tags", .text(#"["a","b"]"#)),
      ("ratios", .text(#"{"a":0.5,"z":1}"#)), ("spot_name", .text("here")), ("spot_x", .real(1)),
      ("spot_y", .real(-2)), ("home_name", .null), ("optionalDouble", .null), ("optionalDate", .null),
      ("optionalDecimal", .null),
    ]
    let row = try #require(
      try store.rows("SELECT \(expected.map { "\"\($0.0)\"" }.joined(separator: ", ")) FROM EveryValue").first)
    for ((column, value), stored) in zip(expected, row) { #expect(stored == value, "\(column)") }
  }

  @Test(arguments: StoreLocation.allCases)
  func eachValueReadsAsItWasWritten(_ place: StoreLocation) throws {
    let store = try TestStore(place, EveryValue.self)
    let context = store.context()
    let written = try filled()
    written.home = Site(name: "home", x: .infinity, y: -.infinity)
    written.optionalDouble = .greatestFiniteMagnitude
    written.optionalDate = Date(timeIntervalSince1970: 1_700_000_000.123_456)
    written.optionalDecimal = Decimal.leastFiniteMagnitude
    context.insert(written)
    try context.save()
    let read = try #require(try store.context().fetch(FetchDescriptor<EveryValue>()).first)
    #expect(read !== written)
    #expect(read.double == written.double && read.float == written.float)
    #expect(read.int == written.int && read.int8 == written.int8 && read.int64 == written.int64)
    #expect(read.uint8 == written.uint8 && read.uint64 == written.uint64 && read.bool == written.bool)
    #expect(read.date == written.date && read.decimal == written.decimal)
    #expect(read.string.utf8.elementsEqual(written.string.utf8))
    #expect(read.uuid == written.uuid && read.url == written.url && read.data == written.data)
    #expect(read.grade == written.grade && read.rank == written.rank && read.measure == written.measure)
    #expect(read.numbers == written.numbers && read.tags == written.tags && read.ratios == written.ratios)
    #expect(read.spot == written.spot && read.home == written.home)
    #expect(read.optionalDouble == written.optionalDouble && read.optionalDate == written.optionalDate)
    #expect(read.optionalDecimal == written.optionalDecimal)
  }

  @Test(arguments: StoreLocation.allCases)
  func datesLoseNoBit(_ place: StoreLocation) throws {
    let seed = Share.seed
    print("datesLoseNoBit (\(place)): seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let store = try TestStore(place, EveryValue.self)
    let context = store.context()
    var written: [PersistentIdentifier: Date] = [:]
    for _ in 0..<500 {
      let model = EveryValue()
      model.date = Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9, using: &random))
      context.insert(model)
      written[model.persistentModelID] = model.date
    }
    try context.save()
    for model in try store.context().fetch(FetchDescriptor<EveryValue>()) {
      let date = try #require(written[model.persistentModelID])
      #expect(
        model.date.timeIntervalSinceReferenceDate.bitPattern == date.timeIntervalSinceReferenceDate.bitPattern,
        "seed \(seed)")
    }
  }

  static let unstorable: [(String, @Sendable (EveryValue) -> Void)] = [
    ("double", { $0.double = .nan }), ("float", { $0.float = .nan }),
    ("date", { $0.date = Date(timeIntervalSinceReferenceDate: .nan) }), ("decimal", { $0.decimal = .nan }),
    ("optionalDouble", { $0.optionalDouble = .nan }), ("optionalDecimal", { $0.optionalDecimal = .nan }),
    ("spot", { $0.spot.x = .nan }), ("home", { $0.home = Site(name: "", x: 0, y: .nan) }),
    ("measure", { $0.measure = Measure(value: .nan, unit: "") }), ("ratios", { $0.ratios = ["a": .infinity] }),
    ("uint64", { $0.uint64 = UInt64(Int64.max) + 1 }),
  ]

  @Test(arguments: StoreLocation.allCases)
  func valueWithoutAStoredFormIsRefusedByName(_ place: StoreLocation) throws {
    for (name, spoil) in ValueTests.unstorable {
      let store = try TestStore(place, EveryValue.self)
      let context = store.context()
      let model = EveryValue()
      spoil(model)
      context.insert(model)
      let error = try #require(throws: SaveError.self, "\(name)") { try context.save() }
      #expect(error.code == .unstorableValue)
      #expect(error.properties == [name])
      #expect(error.identifiers == [model.persistentModelID])
      #expect(error.explanation.contains("EveryValue.\(name)"), "\(error)")
      #expect(try store.value("SELECT count(*) FROM EveryValue") == .integer(0))
      #expect(context.insertedModelsArray.count == 1)
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func editToAValueWithoutAStoredFormIsRefusedByName(_ place: StoreLocation) throws {
    for (name, spoil) in ValueTests.unstorable {
      let store = try TestStore(place, EveryValue.self)
      let context = store.context()
      let model = EveryValue()
      context.insert(model)
      try context.save()
      model.int = 5
      spoil(model)
      let error = try #require(throws: SaveError.self, "\(name)") { try context.save() }
      #expect(error.properties == [name])
      #expect(model.hasChanges)
      #expect(try store.rows("SELECT int, larder_version FROM EveryValue") == [[.integer(0), .integer(1)]])
      context.rollback()
      #expect(model.int == 0)
      #expect(!context.hasChanges)
      model.int = 6
      try context.save()
      #expect(try store.value("SELECT int FROM EveryValue") == .integer(6))
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func infinitiesAreKeptAndMinusZeroIsZero(_ place: StoreLocation) throws {
    let store = try TestStore(place, EveryValue.self)
    let context = store.context()
    let model = EveryValue()
    model.double = .infinity
    model.optionalDouble = -.infinity
    model.spot = Site(name: "", x: -0.0, y: 0)
    context.insert(model)
    try context.save()
    let read = try #require(try store.context().fetch(FetchDescriptor<EveryValue>()).first)
    #expect(read.double == .infinity)
    #expect(read.optionalDouble == -.infinity)
    #expect(read.spot.x.sign == .plus)
    #expect(try store.value("SELECT count(*) FROM EveryValue WHERE 1e999 = \"double\"") == .integer(1))
  }

  @Test(arguments: StoreLocation.allCases)
  func equalDecimalsHaveOneText(_ place: StoreLocation) throws {
    let store = try TestStore(place, EveryValue.self)
    let context = store.context()
    let texts = ["1.10": "1.1", "100": "100", "-0.50": "-0.5", "0.00": "0", "12345678901234567890.5": nil]
    for text in texts.keys {
      let model = EveryValue()
      model.decimal = try #require(Decimal(string: text))
      model.string = text
      context.insert(model)
    }
    let small = EveryValue()
    small.decimal = Decimal(sign: .plus, exponent: -127, significand: 7)
    let large = EveryValue()
    large.decimal = Decimal(sign: .minus, exponent: 127, significand: 7)
    context.insert(small)
    context.insert(large)
    try context.save()
    for (given, expected) in texts {
      let stored = try store.value("SELECT \"decimal\" FROM EveryValue WHERE string = '\(given)'")
      #expect(stored == .text(expected ?? given))
    }
    let read = try store.context().fetch(FetchDescriptor<EveryValue>())
    #expect(Set(read.map(\.decimal)).isSuperset(of: [small.decimal, large.decimal]))
    let wanted = try #require(Decimal(string: "1.1000"))
    let found = try context.fetch(FetchDescriptor<EveryValue>(predicate: #Predicate { $0.decimal == wanted }))
    #expect(found.map(\.string) == ["1.10"])
    #expect(try store.value("SELECT max(length(\"decimal\")) <= 168 FROM EveryValue") == .integer(1))
  }

  @Test(arguments: StoreLocation.allCases)
  func rawValueThatNoCaseHasIsAnErrorThatNamesTheRow(_ place: StoreLocation) throws {
    let store = try TestStore(place, EveryValue.self)
    let context = store.context()
    let model = EveryValue()
    context.insert(model)
    try context.save()
    try store.execute("UPDATE EveryValue SET grade = 'middling'")
    let error = try #require(throws: FetchError.self) {
      try store.context().fetch(FetchDescriptor<EveryValue>())
    }
    #expect(error.code == .unreadableValue)
    #expect(error.identifier == model.persistentModelID)
    #expect(error.explanation.contains("middling"))
    #expect(error.explanation.contains("Quality"))
  }

  static let unreadable = [
    "int8 = 300", "uint8 = -1", "\"decimal\" = '1,5'", "\"decimal\" = '1abc'", "uuid = 'no'", "numbers = '[1'",
    "measure = '{}'", "rank = 9",
  ]

  @Test(arguments: StoreLocation.allCases)
  func storedValueThatDoesNotFitIsATypedError(_ place: StoreLocation) throws {
    for change in ValueTests.unreadable {
      let store = try TestStore(place, EveryValue.self)
      let context = store.context()
      context.insert(EveryValue())
      try context.save()
      try store.execute("UPDATE EveryValue SET \(change)")
      let error = try #require(throws: FetchError.self, "\(change)") {
        try store.context().fetch(FetchDescriptor<EveryValue>())
      }
      #expect(error.code == .unreadableValue)
      // Counting reads no values, and a mended row can be read.
      #expect(try store.context().fetchCount(FetchDescriptor<EveryValue>()) == 1)
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func codableValueReadsWhatEarlierVersionsWrote(_ place: StoreLocation) throws {
    let store = try TestStore(place, EveryValue.self)
    let context = store.context()
    context.insert(EveryValue())
    try context.save()
    try store.execute("UPDATE EveryValue SET numbers = ' [ 4, 5 ] ', ratios = '{\"b\": 2, \"a\": 1}'")
    let read = try #require(try store.context().fetch(FetchDescriptor<EveryValue>()).first)
    #expect(read.numbers == [4, 5])
    #expect(read.ratios == ["a": 1, "b": 2])
    #expect(!read.hasChanges)
  }
}
