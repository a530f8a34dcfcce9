import Foundation
import SwiftData
import Synchronization
import Testing

@testable import LarderData

@Suite struct AttributeMigrationTests {
  @Test func addedRemovedRenamedAndDefaultedAttributes() throws {
    let store = try TemporaryStore()
    try store.open(Before.Note.self) { context in
      for index in 0..<5 { context.insert(Before.Note(title: "note \(index)", stars: index, gone: "x")) }
    }
    let notes = try store.open(After.Note.self) { context in
      try context.all(After.Note.self).sorted { $0.stars < $1.stars }.map {
        "\($0.name) \($0.stars) \($0.colour) \($0.summary ?? "nil") \($0.place.x) \($0.tags)"
      }
    }
    #expect(notes == (0..<5).map { "note \($0) \(Double($0)) blue nil 7 [\"a\"]" })
    // And once more, now that nothing is to be done.
    let names = try store.open(After.Note.self) { try $0.all(After.Note.self).map(\.name).sorted() }
    #expect(names == (0..<5).map { "note \($0)" })
  }

  /// An older program has fewer properties, and must not take what a newer one has stored.
  @Test func valuesThatWouldGoAreRefusedWhereTheyAreToStay() throws {
    let store = try TemporaryStore()
    try store.open(Before.Note.self) { context in
      for index in 0..<3 { context.insert(Before.Note(title: "note \(index)", stars: index, gone: "x")) }
    }
    let before = store.bytes
    let options = MigrationOptions(removedValues: .refuse)
    let error = store.failure(After.Note.self, options: options) as? StoreError
    #expect(error?.code == .valueLoss)
    #expect(error?.explanation.contains("Note.gone (3 rows)") == true, "\(error?.explanation ?? "")")
    #expect(store.bytes == before)
    // Where nobody has a value, nothing is lost.
    try store.open(Before.Note.self) { try $0.delete(model: Before.Note.self) }
    try store.open(After.Note.self, options: options) { _ in }
  }

  @Test func valuesThatGoAreSaid() throws {
    let store = try TemporaryStore()
    try store.open(Before.Note.self) { $0.insert(Before.Note(title: "note", stars: 1, gone: "x")) }
    let said = Mutex<[String]>([])
    let listener: @Sendable (String) -> Void = { line in said.withLock { $0.append(line) } }
    try Log.$listener.withValue(listener) {
      try store.open(After.Note.self) { _ in }
      try store.open(After.Note.self) { _ in }
    }
    let lines = said.withLock { $0 }
    #expect(lines.count == 1 && lines[0].contains("Note.gone (1 row)"), "\(lines)")
  }

  @Test func whatIsNoLongerOptionalTakesItsDefault() throws {
    let store = try TemporaryStore()
    try store.open(Before.Meter.self) { context in
      context.insert(Before.Meter(value: nil, label: "a"))
      context.insert(Before.Meter(value: 3, label: nil))
    }
    let meters = try store.open(After.Meter.self) { context in
      try context.all(After.Meter.self).map { "\($0.value) \($0.label ?? "nil")" }.sorted()
    }
    #expect(meters == ["3 nil", "9 a"])
  }

  @Test func whatIsNoLongerOptionalWithoutADefaultIsRefusedWhereValuesAreMissing() throws {
    let store = try TemporaryStore()
    try store.open(Before.Plain.self) { context in
      context.insert(Before.Plain(text: nil))
      context.insert(Before.Plain(text: "there"))
    }
    let before = store.bytes
    let error = store.failure(After.Plain.self) as? StoreError
    #expect(error?.code == .schemaMismatch)
    #expect(
      error?.explanation.contains("Plain.text is no longer optional, and there are rows without a value (1)") == true)
    #expect(store.bytes == before)
    try store.open(Before.Plain.self) { context in
      for one in try context.all(Before.Plain.self) where one.text == nil { one.text = "given" }
    }
    let texts = try store.open(After.Plain.self) { try $0.all(After.Plain.self).map(\.text).sorted() }
    #expect(texts == ["given", "there"])
  }

  @Test func aNewValueWithoutADefaultIsRefusedWhereThereAreRows() throws {
    let store = try TemporaryStore()
    try store.open(Before.Bare.self) { _ in }
    try store.open(After.Bare.self) { context in context.insert(After.Bare(name: "a", code: 4)) }
    #expect(store.failure(Later.Bare.self) as? StoreError != nil)
    let codes = try store.open(After.Bare.self) { try $0.all(After.Bare.self).map(\.code) }
    #expect(codes == [4])
  }

  @Test func numbersWidenAndNarrowAsFarAsNothingIsLost() throws {
    let store = try TemporaryStore()
    try store.open(Before.Figure.self) { context in
      context.insert(Before.Figure(small: 100, large: 1 << 40, whole: 12, flag: true))
    }
    let wide = try store.open(After.Figure.self) { context in
      try context.all(After.Figure.self).map { "\($0.small) \($0.large) \($0.whole) \($0.flag)" }
    }
    #expect(wide == ["100 1099511627776.0 12 1"])
    let error = store.failure(Later.Figure.self) as? StoreError
    #expect(error?.explanation.contains("Figure.small was Int64 and is Int8") == false)
    #expect(error?.explanation.contains("Figure.large was Double") == true)
  }

  @Test func valuesThatANarrowerTypeCannotHoldAreRefused() throws {
    let store = try TemporaryStore()
    try store.open(Before.Count.self) { $0.insert(Before.Count(value: 300)) }
    let error = store.failure(After.Count.self) as? StoreError
    #expect(
      error?.explanation.contains(
        "Count.value was Int and is Int8, and there are values that this can't hold (in 1 row)") == true)
    try store.open(Before.Count.self) { context in try context.all(Before.Count.self)[0].value = -128 }
    let values = try store.open(After.Count.self) { try $0.all(After.Count.self).map(\.value) }
    #expect(values == [-128])
  }

  @Test func anotherMeaningOfTheSameColumnIsRefused() throws {
    let store = try TemporaryStore()
    try store.open(Before.Moment.self) { $0.insert(Before.Moment(time: Date(timeIntervalSinceReferenceDate: 5))) }
    let error = store.failure(After.Moment.self) as? StoreError
    #expect(error?.explanation.contains("Moment.time was Date (REAL) and is Double (REAL)") == true)
  }

  @Test func enumerationsTakeTheRawValues() throws {
    let store = try TemporaryStore()
    try store.open(Before.Switch.self) { $0.insert(Before.Switch(state: "on")) }
    let states = try store.open(After.Switch.self) { try $0.all(After.Switch.self).map(\.state) }
    #expect(states == [.on])
    // And back, whose values need not be those of the enumeration any more.
    try store.open(Before.Switch.self) { context in try context.all(Before.Switch.self)[0].state = "broken" }
    let error = store.failure(After.Switch.self) as? StoreError
    #expect(
      error?.explanation.contains(
        "Switch.state was String and is SwitchState, and 1 of the values that there are can't be read") == true)
  }

  @Test func compositesKeepTheirMembersAndGetNewOnes() throws {
    let store = try TemporaryStore()
    try store.open(Before.Spot.self) { context in
      context.insert(Before.Spot(at: .init(x: 1, y: 2), maybe: nil))
      context.insert(Before.Spot(at: .init(x: 3, y: 4), maybe: .init(x: 5, y: 6)))
    }
    let spots = try store.open(After.Spot.self) { context in
      try context.all(After.Spot.self).map { spot in
        "\(spot.place.x) \(spot.place.y) \(spot.place.z.map(String.init) ?? "nil") \(spot.maybe?.x ?? -1)"
      }.sorted()
    }
    #expect(spots == ["1 2 nil -1", "3 4 nil 5"])
  }

  @Test func membersThatMustBeThereAreRequiredWhereTheStructIs() throws {
    let store = try TemporaryStore()
    try store.open(Before.Spot.self) { context in
      context.insert(Before.Spot(at: .init(x: 1, y: 2), maybe: .init(x: 5, y: 6)))
    }
    let error = store.failure(Later.Spot.self) as? StoreError
    #expect(
      error?.explanation.contains("Spot.maybe.z is new, and there are rows that have no value for it (1)") == true)
    try store.open(Before.Spot.self) { context in try context.all(Before.Spot.self)[0].maybe = nil }
    let spots = try store.open(Later.Spot.self) { try $0.all(Later.Spot.self).map { $0.maybe?.z } }
    #expect(spots == [nil])
  }

  @Test func aTextIsNoListOfTexts() throws {
    let store = try TemporaryStore()
    try store.open(Before.Switch.self) { $0.insert(Before.Switch(state: "on")) }
    let error = store.failure(Later.Switch.self) as? StoreError
    #expect(error?.explanation.contains("Switch.state was String (TEXT) and is [String] (TEXT)") == true)
  }

  @Test func valuesMoveOutOfTheirRowsAndBack() throws {
    let store = try TemporaryStore()
    try store.open(Before.Photo.self) { context in
      context.insert(Before.Photo(image: Data([1, 2, 3])))
      context.insert(Before.Photo(image: nil))
    }
    func images(_ photos: [Data?]) -> [String] { photos.map { $0.map { "\([UInt8]($0))" } ?? "nil" }.sorted() }
    let outside = try store.open(After.Photo.self) { context in images(try context.all(After.Photo.self).map(\.image)) }
    #expect(outside == ["[1, 2, 3]", "nil"])
    let inside = try store.open(Before.Photo.self) { context in images(try context.all(Before.Photo.self).map(\.image))
    }
    #expect(inside == ["[1, 2, 3]", "nil"])
  }

  @Test func twoOriginalNamesOfOneValueAreRefused() throws {
    let store = try TemporaryStore()
    try store.open(Before.Pair.self) { $0.insert(Before.Pair(one: "1", two: "2")) }
    let error = store.failure(After.Pair.self) as? StoreError
    #expect(error?.explanation.contains("\"first\" and \"second\", which both come from \"one\"") == true)
  }

  @Test func namesMoveOnInAChain() throws {
    let store = try TemporaryStore()
    try store.open(Before.Chain.self) { $0.insert(Before.Chain(a: "1", b: "2")) }
    func read(_ context: ModelContext) throws -> [String] {
      try context.all(After.Chain.self).map { "\($0.b) \($0.c)" }
    }
    let moved = try store.open(After.Chain.self) { try read($0) }
    #expect(moved == ["1 2"])
    // What was renamed once is not renamed again when something else changes.
    let later = try store.open(Later.Chain.self) { try $0.all(Later.Chain.self).map { "\($0.b) \($0.c) \($0.d)" } }
    #expect(later == ["1 2 0"])
  }
}

/// A point as it was, and as it became.
struct Point2: Codable, Hashable {
  var x: Int
  var y: Int
}

struct Point3: Codable, Hashable {
  var x: Int
  var y: Int
  var z: Int?
}

struct Point4: Codable, Hashable {
  var x: Int
  var y: Int
  var z: Int
}

enum SwitchState: String, Codable {
  case on, off
}
