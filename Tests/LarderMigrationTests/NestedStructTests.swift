import Foundation
import SwiftData
import Testing

/// Structs within structs, of which some are optional.
@Suite struct NestedStructTests {
  enum Plain {
    struct Inner: Codable, Hashable {
      var y: Int?
      var z: String?
    }
    struct Whole: Codable, Hashable {
      var x: Int
      var inner: Inner?
    }

    @Model final class Note {
      var whole: Whole
      init(_ whole: Whole) { self.whole = whole }
    }
  }

  enum Strict {
    struct Inner: Codable, Hashable { var y: Int }
    struct Whole: Codable, Hashable {
      var x: Int
      var inner: Inner?
    }

    @Model final class Note {
      var whole: Whole = Whole(x: 0, inner: nil)
      init(_ whole: Whole) { self.whole = whole }
    }
  }

  /// What an optional struct must have by now, no column says.
  @Test func whatAnOptionalMemberMustHaveIsRead() throws {
    let store = try TemporaryStore()
    try store.open(Plain.Note.self) { context in
      context.insert(Plain.Note(.init(x: 5, inner: .init(y: nil, z: nil))))
      context.insert(Plain.Note(.init(x: 6, inner: .init(y: 1, z: nil))))
      context.insert(Plain.Note(.init(x: 7, inner: nil)))
    }
    let before = store.bytes
    let error = store.failure(Strict.Note.self) as? StoreError
    #expect(
      error?.explanation.contains("Note.whole has other members than it had; and 1 of the values that there are can't")
        == true,
      "\(error?.explanation ?? "")")
    #expect(store.bytes == before)
    try store.open(Plain.Note.self) { context in
      for note in try context.all(Plain.Note.self) where note.whole.x == 5 { note.whole.inner?.y = 2 }
    }
    let notes = try store.open(Strict.Note.self) { context in
      try context.all(Strict.Note.self).map { "\($0.whole.x) \($0.whole.inner?.y ?? -1)" }.sorted()
    }
    #expect(notes == ["5 2", "6 1", "7 -1"])
  }

  enum Bare {
    struct Whole: Codable, Hashable { var x: Int }

    @Model final class Note {
      var whole: Whole?
      init(_ whole: Whole?) { self.whole = whole }
    }
  }

  enum Given {
    struct Inner: Codable, Hashable {
      var y: Int?
      var z: String?
    }
    struct Whole: Codable, Hashable {
      var x: Int
      var inner: Inner?
    }

    @Model final class Note {
      var whole: Whole = Whole(x: 7, inner: Inner(y: 3, z: "z"))
      init(_ whole: Whole) { self.whole = whole }
    }
  }

  /// What the declaration gives is there whole or not at all, for objects and for predicates; also to those that had nil.
  @Test func whatADeclarationGivesIsWhole() throws {
    let store = try TemporaryStore()
    try store.open(Bare.Note.self) { context in
      for whole in [Bare.Whole(x: 4), nil] { context.insert(Bare.Note(whole)) }
    }
    try store.open(Given.Note.self) { context in
      let notes = try context.all(Given.Note.self).sorted { $0.whole.x < $1.whole.x }
      #expect(notes.map(\.whole.x) == [4, 7])
      #expect(notes.map(\.whole.inner) == [Given.Inner(y: 3, z: "z"), Given.Inner(y: 3, z: "z")])
      let found = try context.fetch(FetchDescriptor<Given.Note>(predicate: #Predicate { $0.whole.inner?.y == 3 }))
      #expect(found.count == 2)
    }
  }

  enum Fuller {
    struct Inner: Codable, Hashable {
      var y: Int?
      var z: String?
      var w: Int
    }
    struct Whole: Codable, Hashable {
      var x: Int
      var inner: Inner?
    }

    @Model final class Note {
      var whole: Whole = Whole(x: 7, inner: Inner(y: nil, z: nil, w: 9))
      init(_ whole: Whole) { self.whole = whole }
    }
  }

  /// A member that is new within one that is nil has no value.
  @Test func nothingIsWithinNil() throws {
    let store = try TemporaryStore()
    try store.open(Plain.Note.self) { context in
      context.insert(Plain.Note(.init(x: 1, inner: nil)))
      context.insert(Plain.Note(.init(x: 2, inner: .init(y: 5, z: nil))))
    }
    try store.open(Fuller.Note.self) { context in
      let notes = try context.all(Fuller.Note.self).sorted { $0.whole.x < $1.whole.x }
      #expect(notes.map(\.whole.inner) == [nil, .init(y: 5, z: nil, w: 9)])
      let found = try context.fetch(FetchDescriptor<Fuller.Note>(predicate: #Predicate { $0.whole.inner?.w == 9 }))
      #expect(found.map(\.whole.x) == [2])
    }
  }

  enum Before {
    struct Whole: Codable, Hashable {
      // swift-format-ignore: AlwaysUseLowerCamelCase
      var inner_x: Int
    }

    @Model final class Note {
      var whole: Whole
      init(_ whole: Whole) { self.whole = whole }
    }
  }

  enum After {
    struct Inner: Codable, Hashable { var y: Int? }
    struct Whole: Codable, Hashable {
      // swift-format-ignore: AlwaysUseLowerCamelCase
      var inner_x: Int
      var inner: Inner?
    }

    @Model final class Note {
      var whole: Whole
      init(_ whole: Whole) { self.whole = whole }
    }
  }

  /// A member whose name begins with another's is none of its members.
  @Test func aNameThatBeginsAlikeIsNoMember() throws {
    let store = try TemporaryStore()
    try store.open(Before.Note.self) { $0.insert(Before.Note(.init(inner_x: 4))) }
    let wholes = try store.open(After.Note.self) { try $0.all(After.Note.self).map(\.whole) }
    #expect(wholes == [After.Whole(inner_x: 4, inner: nil)])
  }

  enum Switched {
    struct Extra: Codable, Hashable { var n: Int }
    struct Lamp: Codable, Hashable {
      var state: SwitchState
      var watts: Int
      var extra: Extra?
    }

    @Model final class Room {
      var lamp: Lamp?
      init(_ lamp: Lamp?) { self.lamp = lamp }
    }
  }

  enum Worded {
    struct Lamp: Codable, Hashable {
      var state: String
      var watts: Int
    }

    @Model final class Room {
      var lamp: Lamp
      init(_ lamp: Lamp) { self.lamp = lamp }
    }
  }

  /// As the row will be: also where the whole is optional by now, and where it gets an optional member.
  @Test func rowsAreReadAsTheyWillBe() throws {
    let store = try TemporaryStore()
    try store.open(Worded.Room.self) { $0.insert(Worded.Room(.init(state: "dim", watts: 1))) }
    let error = store.failure(Switched.Room.self) as? StoreError
    #expect(
      error?.explanation.contains("1 of the values that there are can't be read") == true, "\(error?.explanation ?? "")"
    )
    try store.open(Worded.Room.self) { context in
      for room in try context.all(Worded.Room.self) { room.lamp.state = "on" }
    }
    let lamps = try store.open(Switched.Room.self) { try $0.all(Switched.Room.self).map(\.lamp) }
    #expect(lamps == [.init(state: .on, watts: 1, extra: nil)])
  }

  enum Placed {
    struct Spot: Codable, Hashable {
      var name: String
      var n: Int
    }

    @Model final class Note {
      var title: String
      var place: Spot
      init(_ title: String, _ place: Spot) {
        self.title = title
        self.place = place
      }
    }
  }

  enum Flat {
    @Model final class Note {
      var title: String
      // swift-format-ignore: AlwaysUseLowerCamelCase
      var place_name: String = "new"
      // swift-format-ignore: AlwaysUseLowerCamelCase
      var place_n: Int = 3
      init(_ title: String) { self.title = title }
    }
  }

  /// Their columns have the same names.
  @Test func membersThatWentAreNoProperties() throws {
    let store = try TemporaryStore()
    try store.open(Placed.Note.self) { $0.insert(Placed.Note("a", .init(name: "old", n: 9))) }
    let notes = try store.open(Flat.Note.self) { try $0.all(Flat.Note.self).map { "\($0.place_name) \($0.place_n)" } }
    #expect(notes == ["new 3"])
  }
}
