import Foundation
import SwiftData
import Testing

/// Values whose type is the program's own, in places where the column or the table that they are in stays as it was: reading
/// alone tells whether they are what the models say.
@Suite struct OwnTypeTests {
  enum Worded {
    struct Lamp: Codable, Hashable {
      var state: String
      var watts: Int
    }

    @Model final class Room {
      var lamp: Lamp
      var spare: Lamp?
      init(_ lamp: Lamp, spare: Lamp?) {
        self.lamp = lamp
        self.spare = spare
      }
    }
  }

  enum Switched {
    struct Lamp: Codable, Hashable {
      var state: SwitchState
      var watts: Int
      var note: String?
    }

    @Model final class Room {
      var lamp: Lamp
      var spare: Lamp?
      init(_ lamp: Lamp, spare: Lamp?) {
        self.lamp = lamp
        self.spare = spare
      }
    }
  }

  @Test func membersAreRead() throws {
    let store = try TemporaryStore()
    try store.open(Worded.Room.self) { context in
      context.insert(Worded.Room(.init(state: "on", watts: 3), spare: .init(state: "dim", watts: 5)))
      context.insert(Worded.Room(.init(state: "off", watts: 4), spare: nil))
    }
    let before = store.bytes
    let error = store.failure(Switched.Room.self) as? StoreError
    let said = error?.explanation ?? ""
    #expect(error?.code == .schemaMismatch)
    #expect(
      said.contains("Room.spare: state was String and is ")
        && said.contains("SwitchState; and 1 of the values that there are can't be read as that"), "\(said)")
    #expect(!said.contains("Room.lamp"), "\(said)")
    #expect(store.bytes == before)
    try store.open(Worded.Room.self) { context in
      for room in try context.all(Worded.Room.self) where room.spare != nil { room.spare?.state = "off" }
    }
    let rooms = try store.open(Switched.Room.self) { context in
      try context.all(Switched.Room.self).map { "\($0.lamp.state) \($0.spare?.state.rawValue ?? "nil")" }.sorted()
    }
    #expect(rooms == ["off nil", "on off"])
  }

  enum Letters {
    @Model final class Page {
      @Attribute(.externalStorage) var lines: [String]
      init(_ lines: [String]) { self.lines = lines }
    }
  }

  enum Figures {
    @Model final class Page {
      @Attribute(.externalStorage) var lines: [Int]
      init(_ lines: [Int]) { self.lines = lines }
    }
  }

  @Test func valuesBesideTheRowsAreRead() throws {
    let store = try TemporaryStore()
    try store.open(Letters.Page.self) { context in
      for lines in [[], ["1", "2"]] { context.insert(Letters.Page(lines)) }
    }
    let before = store.bytes
    let error = store.failure(Figures.Page.self) as? StoreError
    let said = error?.explanation ?? ""
    #expect(error?.code == .schemaMismatch)
    #expect(
      said.contains("Page.lines was ") && said.contains("1 of the values that there are can't be read"), "\(said)")
    #expect(store.bytes == before)
    try store.open(Letters.Page.self) { context in
      for page in try context.all(Letters.Page.self) { page.lines = [] }
    }
    #expect(try store.open(Figures.Page.self) { try $0.all(Figures.Page.self).map(\.lines) } == [[], []])
  }

  enum Exact {
    @Model final class Rod {
      var length: Double
      init(_ length: Double) { self.length = length }
    }
  }

  enum Rough {
    struct Metres: RawRepresentable, Codable, Hashable { var rawValue: Float }

    @Model final class Rod {
      var length: Metres
      init(_ length: Metres) { self.length = length }
    }
  }

  /// A number that would be another one is none that the type has.
  @Test func numbersThatWouldBeOthersAreRefused() throws {
    let store = try TemporaryStore()
    try store.open(Exact.Rod.self) { context in for length in [0.5, 0.1] { context.insert(Exact.Rod(length)) } }
    let error = store.failure(Rough.Rod.self) as? StoreError
    #expect(
      error?.explanation.contains("1 of the values that there are can't be read") == true, "\(error?.explanation ?? "")"
    )
    try store.open(Exact.Rod.self) { context in
      for rod in try context.all(Exact.Rod.self) where rod.length == 0.1 { rod.length = 0.25 }
    }
    let lengths = try store.open(Rough.Rod.self) { try $0.all(Rough.Rod.self).map(\.length.rawValue) }
    #expect(lengths.sorted() == [0.25, 0.5])
  }
}
