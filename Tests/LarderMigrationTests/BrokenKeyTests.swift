import DurabilityWork
import Foundation
import SwiftData
import Testing

// Keys that lead nowhere: those that were there before are carried along, and a migration makes no others.

enum Signed {
  @Model final class Page {
    var number: Int
    var word: Writing?
    init(number: Int) { self.number = number }
  }

  @Model final class Writing {
    var text: String
    init(text: String) { self.text = text }
  }
}

enum Resigned {
  @Model final class Leaf: RenamedModel {
    static var originalEntityName: String { "Page" }
    var number: Int
    @Relationship(originalName: "word") var writing: Text?
    init(number: Int) { self.number = number }
  }

  @Model final class Text: RenamedModel {
    static var originalEntityName: String { "Writing" }
    @Attribute(.unique) var text: String
    init(text: String) { self.text = text }
  }
}

enum Unique {
  @Model final class Page {
    var number: Int
    var word: Writing?
    init(number: Int) { self.number = number }
  }

  @Model final class Writing {
    @Attribute(.unique) var text: String
    init(text: String) { self.text = text }
  }
}

@Suite struct BrokenKeyTests {
  /// Two pages, one of a row that somebody has deleted.
  private func store() throws -> TemporaryStore {
    let store = try TemporaryStore()
    try store.open(Signed.Page.self, Signed.Writing.self) { context in
      for (number, text) in [(1, "a"), (2, "b")] {
        let page = Signed.Page(number: number)
        context.insert(page)
        page.word = Signed.Writing(text: text)
      }
    }
    try store.execute("DELETE FROM Writing WHERE text = 'b'")
    return store
  }

  @Test func thoseOfARenamedModelAreNoneOfTheMigrationsDoing() throws {
    let store = try store()
    let texts = try store.open(Resigned.Leaf.self, Resigned.Text.self) { context in
      try context.all(Resigned.Leaf.self).sorted { $0.number < $1.number }.map { $0.writing?.text }
    }
    #expect(texts == ["a", nil])
    #expect(try store.strings("SELECT parent FROM pragma_foreign_key_check") == ["Text"])
  }

  /// One that was there before does not hide another of the same table.
  @Test func moreThanThereWereAreRefused() throws {
    let store = try store()
    try store.execute(
      """
      INSERT INTO Writing (text) VALUES ('a');
      CREATE TABLE mark (writing INTEGER REFERENCES Writing (larder_id));
      INSERT INTO mark VALUES (1000), ((SELECT max(larder_id) FROM Writing))
      """)
    let before = store.bytes
    let options = MigrationOptions(duplicates: .keepFirst)
    let error = store.failure(Unique.Page.self, Unique.Writing.self, options: options) as? StoreError
    #expect(error?.explanation.contains("rows of mark that refer to rows which are not there") == true)
    #expect(store.bytes == before)
    try store.execute("DELETE FROM mark WHERE writing <> 1000")
    let texts = try store.open(Unique.Page.self, Unique.Writing.self, options: options) { context in
      try context.all(Unique.Writing.self).map(\.text)
    }
    #expect(texts == ["a"])
  }
}
