import Foundation
import LarderData
import SwiftData
import Testing

/// A container opens for types that end the program for values which it never has, whatever these are; and their values are
/// stored.
@Suite(.serialized) struct CheckedTypesTests {
  /// None is before 1900.
  struct Year: Codable, Equatable {
    let number: Int
    init(_ number: Int) {
      precondition(number > 1_900, "no year")
      self.number = number
    }
    init(from decoder: any Decoder) throws {
      self.init(try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number))
    }
  }

  /// Three letters, when they are written.
  struct Code: Codable, Equatable {
    let letters: String
    init(_ letters: String) { self.letters = letters }
    func encode(to encoder: any Encoder) throws {
      if letters.count != 3 { fatalError("no code") }
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(letters, forKey: .letters)
    }
  }

  /// Takes what it decodes for granted.
  struct Trusting: Codable, Equatable {
    let place: URL
    let day: String
    init(_ place: URL, _ day: String) { (self.place, self.day) = (place, day) }
    init(from decoder: any Decoder) {
      let values = try! decoder.container(keyedBy: CodingKeys.self)
      place = try! values.decode(URL.self, forKey: .place)
      day = try! values.decode(String.self, forKey: .day)
      _ = place.host()!
      _ = day.split(separator: "-")[2]
    }
  }

  /// Counts down to its number, which is above zero.
  struct Steps: Codable, Equatable {
    var number: Int
    var least = 1
    init(_ number: Int) { self.number = number }
    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      number = try values.decode(Int.self, forKey: .number)
      least = try values.decode(Int.self, forKey: .least)
      var rest = number
      while rest < 5 { rest = min(rest, number) }
    }
  }

  /// Waits for what does not come.
  struct Waiting: Codable, Equatable {
    var number: Int
    init(_ number: Int) { self.number = number }
    init(from decoder: any Decoder) throws {
      number = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number)
      while number < 5 { usleep(100_000) }
    }
  }

  /// Ends the program in an orderly way.
  struct Leaving: Codable, Equatable {
    var number: Int
    init(_ number: Int) { self.number = number }
    init(from decoder: any Decoder) throws {
      number = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number)
      if number < 5 { exit(1) }
    }
  }

  struct LeavingAtOnce: Codable, Equatable {
    var number: Int
    init(_ number: Int) { self.number = number }
    init(from decoder: any Decoder) throws {
      number = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number)
      if number < 5 { _exit(1) }
    }
  }

  struct Level: RawRepresentable, Codable, Equatable {
    let rawValue: Int
    init(rawValue: Int) {
      precondition(rawValue >= 10, "no level")
      self.rawValue = rawValue
    }
  }

  struct Tag: RawRepresentable, Codable, Hashable {
    let rawValue: String
    init(rawValue: String) {
      precondition(rawValue.hasPrefix("#"), "no tag")
      self.rawValue = rawValue
    }
  }

  enum Season: String, Codable { case spring, autumn }

  struct Whole: Codable, Equatable {
    var year: Year
    var code: Code?
    var level: Level
    var season: Season
    var tag: Tag?
  }

  struct Box<Value: Codable & Equatable>: Codable, Equatable {
    var value: Value
    var note: String?
  }

  @Model
  final class Record {
    var number: Int
    var year: Year
    var laterYear: Year?
    var years: [Year] = [Year(2_000)]
    var named: [String: Year] = [:]
    var code: Code
    var codes: [Code?] = []
    var trusting: Trusting
    var otherTrusting: Trusting?
    var level: Level
    var otherLevel: Level?
    var levels: [Level] = []
    var tag = Tag(rawValue: "#new")
    var tagged: [Tag: Int] = [:]
    var season: Season
    var whole: Whole
    var otherWhole: Whole?
    var boxedYear: Box<Year>
    var boxedLevel: Box<Level>?
    var boxedNumber: Box<Int>
    var steps = Steps(9)
    var waiting = Waiting(9)
    var leaving = Leaving(9)
    var leavingAtOnce = LeavingAtOnce(9)
    @Attribute(.externalStorage) var apart: Year
    @Attribute(.codable) var kept: Whole

    init(number: Int, _ place: URL) {
      let (year, code, level) = (Year(1_990 + number), Code("abc"), Level(rawValue: 10 + number))
      let whole = Whole(year: year, code: code, level: level, season: .autumn, tag: Tag(rawValue: "#a"))
      self.number = number
      self.year = year
      self.code = code
      trusting = Trusting(place, "2000-01-02")
      self.level = level
      season = .autumn
      self.whole = whole
      boxedYear = Box(value: year)
      boxedNumber = Box(value: number)
      apart = year
      kept = whole
    }

    func fillOptionals() {
      laterYear = Year(2_001)
      named = ["a": year]
      codes = [code, nil]
      otherTrusting = trusting
      otherLevel = level
      levels = [level]
      tagged = [Tag(rawValue: "#b"): 1]
      otherWhole = Whole(year: year, code: nil, level: level, season: .spring, tag: nil)
      boxedLevel = Box(value: level, note: "x")
    }
  }

  @Test func containerOpensAndValuesAreStored() throws {
    let container = try ModelContainer(
      for: Record.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let place = try #require(URL(string: "https://example.org/"))
    for number in [0, 1] {
      let record = Record(number: number, place)
      context.insert(record)
      if number == 1 { record.fillOptionals() }
    }
    try context.save()

    let read = try ModelContext(container).fetch(FetchDescriptor<Record>(sortBy: [SortDescriptor(\.number)]))
    try #require(read.count == 2)
    for (number, record) in read.enumerated() {
      let wanted = Record(number: number, place)
      if number == 1 { wanted.fillOptionals() }
      func check<Value: Equatable>(_ property: KeyPath<Record, Value>) {
        #expect(record[keyPath: property] == wanted[keyPath: property], "\(property) of \(number)")
      }
      check(\.year)
      check(\.laterYear)
      check(\.years)
      check(\.named)
      check(\.code)
      check(\.codes)
      check(\.trusting)
      check(\.otherTrusting)
      check(\.level)
      check(\.otherLevel)
      check(\.levels)
      check(\.tag)
      check(\.tagged)
      check(\.season)
      check(\.whole)
      check(\.otherWhole)
      check(\.boxedYear)
      check(\.boxedLevel)
      check(\.boxedNumber)
      check(\.steps)
      check(\.waiting)
      check(\.leaving)
      check(\.leavingAtOnce)
      check(\.apart)
      check(\.kept)
    }
  }

  #if os(Linux)
    final class Round {
      let former: Round?
      init(after former: Round?) { self.former = former }
    }

    /// Goes round in a circle, and allocates in each round: some use up the stack within malloc().
    struct Circling<Room: CirclingRoom>: Codable, Equatable {
      var number: Int
      var other: Int

      func encode(to encoder: any Encoder) throws { try goOn(encoder, nil, []) }

      private func goOn(_ encoder: any Encoder, _ former: Round?, _ numbers: [Int]) throws {
        if numbers.count == 1 { return }
        try withUnsafeTemporaryAllocation(byteCount: Room.bytes, alignment: 16) { _ in
          try goOn(encoder, Round(after: former), Array(repeating: 0, count: 8 + Room.bytes / 16))
        }
      }
    }

    protocol CirclingRoom { static var bytes: Int { get } }
    enum Narrow: CirclingRoom { static var bytes: Int { 16 } }
    enum Wider<Room: CirclingRoom>: CirclingRoom { static var bytes: Int { Room.bytes + 16 } }

    /// What fails in the midst of malloc() has locked a part of the heap: its own, and not the program's.
    @Test func typesThatUseUpTheStackHoldNobodyUp() {
      func check<Room: CirclingRoom>(_ room: Room.Type, _ more: Int) {
        #expect(_AnyPropertyCodec.makeCodec(for: Circling<Room>.self)?.members == nil)
        if more > 0 { check(Wider<Room>.self, more - 1) }
      }
      check(Narrow.self, 31)
    }
  #endif

  /// What can be told apart stays so: the coding that the compiler writes has a column for each member.
  @Test func formsOfCodingsAreTold() {
    func members(_ type: any Any.Type) -> Int? { _AnyPropertyCodec.makeCodec(for: type)?.members?.count }
    #expect(members(Box<Int>.self) == 2 && members(Box<Season>.self) == 2)
    #expect(members(Year.self) == nil && members(Code.self) == nil && members(Trusting.self) == nil)
    #expect(members(Waiting.self) == nil)
    #expect(members(Steps.self) == nil && members(Leaving.self) == nil && members(LeavingAtOnce.self) == nil)
    #expect(members(Whole.self) == nil && members(Box<Year>.self) == nil && members(Box<Level>.self) == nil)
  }
}
