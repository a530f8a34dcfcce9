import Foundation
import LarderData
import SwiftData
import Testing

/// Whose values a property has, where models say what it was called before.
@Suite struct OriginalNameTests {
  enum First {
    @Model final class Note {
      var a: String
      var b: String
      var c: String
      init(a: String, b: String, c: String) {
        self.a = a
        self.b = b
        self.c = c
      }
    }

    @Model final class Pair {
      var a: String
      var b: String
      init(a: String, b: String) {
        self.a = a
        self.b = b
      }
    }
  }

  /// What was `a` has gone, and the others have moved up.
  enum Shifted {
    @Model final class Note {
      @Attribute(originalName: "b") var a: String
      @Attribute(originalName: "c") var b: String
      init(a: String, b: String) {
        self.a = a
        self.b = b
      }
    }
  }

  enum Swapped {
    @Model final class Pair {
      @Attribute(originalName: "b") var a: String
      @Attribute(originalName: "a") var b: String
      init(a: String, b: String) {
        self.a = a
        self.b = b
      }
    }
  }

  /// A name that is left, and later given to another property.
  enum Word1 {
    @Model final class Word {
      var a: String
      init(a: String) { self.a = a }
    }
  }

  enum Word2 {
    @Model final class Word {
      @Attribute(originalName: "a") var b: String
      init(b: String) { self.b = b }
    }
  }

  enum Word3 {
    @Model final class Word {
      var b: String
      var a = "new"
      init(b: String) { self.b = b }
    }
  }

  private func note() throws -> TemporaryStore {
    let store = try TemporaryStore()
    try store.open(First.Note.self) { $0.insert(First.Note(a: "old", b: "1", c: "2")) }
    return store
  }

  /// Its values would be those that were to go.
  @Test func aShiftOverAPropertyThatGoesIsRefused() throws {
    let store = try note()
    let before = store.bytes
    let error = store.failure(Shifted.Note.self) as? StoreError
    #expect(error?.code == .schemaMismatch)
    #expect(error?.explanation.contains("Note.a has the original name \"b\"") == true, "\(error?.explanation ?? "")")
    #expect(store.bytes == before)
  }

  /// An earlier program that opens the store meanwhile knows nothing of it.
  @Test func aSwapIsDoneOnce() throws {
    let store = try TemporaryStore()
    try store.open(First.Pair.self) { $0.insert(First.Pair(a: "1", b: "2")) }
    func swapped() throws -> [String] {
      try store.open(Swapped.Pair.self) { try $0.all(Swapped.Pair.self).map { "\($0.a) \($0.b)" } }
    }
    #expect(try swapped() == ["2 1"])
    #expect(try swapped() == ["2 1"])
    let earlier = try store.open(First.Pair.self) { try $0.all(First.Pair.self).map { "\($0.a) \($0.b)" } }
    #expect(earlier == ["2 1"])
    #expect(try swapped() == ["2 1"])
  }

  /// What is remembered is of the property that had the name, and not of a new one.
  @Test func aNewPropertyOfTheFormerNameIsAnother() throws {
    let store = try TemporaryStore()
    try store.open(Word1.Word.self) { $0.insert(Word1.Word(a: "1")) }
    #expect(try store.open(Word2.Word.self) { try $0.all(Word2.Word.self).map(\.b) } == ["1"])
    #expect(try store.open(Word3.Word.self) { try $0.all(Word3.Word.self).map { $0.a + $0.b } } == ["new1"])
    // Both are there, and nothing says that this was done before.
    let error = store.failure(Word2.Word.self) as? StoreError
    #expect(error?.explanation.contains("the store has both \"a\" and \"b\"") == true, "\(error?.explanation ?? "")")
  }
}
