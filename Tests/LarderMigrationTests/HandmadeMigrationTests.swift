import DurabilityWork
import Foundation
import LarderData
import LarderMigration
import LarderSQLite
import SwiftData
import Testing

// A store to which somebody has added things by hand, and what of them a migration keeps.

enum Plain {
  @Model final class Note {
    var title: String
    var pages: Int
    init(title: String, pages: Int) {
      self.title = title
      self.pages = pages
    }
  }
}

enum Fuller {
  /// One property more.
  @Model final class Note {
    var title: String
    var pages: Int
    var mood = "calm"
    init(title: String, pages: Int) {
      self.title = title
      self.pages = pages
    }
  }
}

enum Shorter {
  /// One property less.
  @Model final class Note {
    var title: String
    init(title: String) { self.title = title }
  }
}

enum Measured {
  /// A property of another type.
  @Model final class Note {
    var title: String
    var pages: Double
    init(title: String, pages: Double) {
      self.title = title
      self.pages = pages
    }
  }
}

enum Retitled {
  /// Another name, and one for a property.
  @Model final class Memo: RenamedModel {
    static var originalEntityName: String { "Note" }
    @Attribute(originalName: "title") var heading: String
    var pages: Int
    init(heading: String, pages: Int) {
      self.heading = heading
      self.pages = pages
    }
  }
}

@Suite struct HandmadeMigrationTests {
  private func store(_ sql: String) throws -> TemporaryStore {
    let store = try TemporaryStore()
    try store.open(Plain.Note.self) { context in
      for (title, pages) in [("a", 1), ("b", 2)] { context.insert(Plain.Note(title: title, pages: pages)) }
    }
    try store.execute(sql)
    return store
  }

  private static let columns = """
    ALTER TABLE Note ADD COLUMN "my tag, (odd)" TEXT NOT NULL DEFAULT 'x, y)' COLLATE NOCASE -- mine
      CHECK ("my tag, (odd)" <> '(');
    ALTER TABLE Note ADD COLUMN twice INTEGER AS (pages * 2);
    UPDATE Note SET "my tag, (odd)" = 'tag of ' || title WHERE title = 'a'
    """

  @Test func columnsAreKeptWithTheirValues() throws {
    let store = try store(Self.columns)
    try store.open(Fuller.Note.self) { context in
      let moods = try context.all(Fuller.Note.self).map(\.mood)
      #expect(moods == ["calm", "calm"])
      context.insert(Fuller.Note(title: "c", pages: 3))
    }
    let rows = try store.strings("SELECT title || ': ' || \"my tag, (odd)\" || twice FROM Note ORDER BY title")
    #expect(rows == ["a: tag of a2", "b: x, y)4", "c: x, y)6"])
    #expect(try store.strings("SELECT title FROM Note WHERE \"my tag, (odd)\" = 'TAG OF A'") == ["a"])
    #expect(throws: SQLiteError.self) { try store.execute("UPDATE Note SET \"my tag, (odd)\" = '('") }
  }

  @Test func columnsAreKeptUnderAnotherNameOfTheModel() throws {
    let store = try store(Self.columns)
    let count = try store.open(Retitled.Memo.self) { try $0.all(Retitled.Memo.self).count }
    #expect(count == 2)
    let rows = try store.strings("SELECT heading || ': ' || \"my tag, (odd)\" || twice FROM Memo ORDER BY 1")
    #expect(rows == ["a: tag of a2", "b: x, y)4"])
  }

  private static let things = """
    ALTER TABLE Note ADD COLUMN tag TEXT;
    CREATE INDEX mine ON Note (pages, tag) WHERE title <> '';
    CREATE UNIQUE INDEX mine_too ON note (lower(title));
    CREATE VIEW long AS SELECT title AS title, count FROM counts JOIN Note ON word = title;
    CREATE VIEW counts AS SELECT title AS word, count(*) AS count FROM note GROUP BY title;
    CREATE TABLE journal (title TEXT) STRICT;
    CREATE TRIGGER noted AFTER INSERT ON note BEGIN INSERT INTO journal VALUES (new.title); END;
    CREATE TRIGGER changed AFTER UPDATE OF title ON Note WHEN old.title <> new.title
      BEGIN INSERT INTO journal VALUES (old.title || new.title); END;
    CREATE TRIGGER by_view INSTEAD OF DELETE ON long BEGIN DELETE FROM Note WHERE title = old.title; END
    """

  private func names(_ store: TemporaryStore) throws -> [String] {
    try store.strings(
      "SELECT type || ' ' || name || ' ' || tbl_name FROM sqlite_schema "
        + "WHERE type <> 'table' AND name NOT LIKE 'larder%' ORDER BY 1")
  }

  @Test func indexesTriggersAndViewsAreKept() throws {
    let store = try store(Self.things)
    let before = try names(store)
    #expect(before.count == 7)
    try store.open(Fuller.Note.self) { $0.insert(Fuller.Note(title: "c", pages: 3)) }
    #expect(try names(store).map { $0.lowercased() } == before.map { $0.lowercased() })
    // Not for rows that have only changed their place.
    #expect(try store.strings("SELECT title FROM journal") == ["c"])
    try store.execute("DELETE FROM long WHERE title = 'a'; UPDATE Note SET title = 'd' WHERE title = 'b'")
    #expect(try store.strings("SELECT title FROM long ORDER BY 1") == ["c", "d"])
    #expect(try store.strings("SELECT title FROM journal") == ["c", "bd"])
    #expect(throws: SQLiteError.self) { try store.execute("UPDATE Note SET title = 'x'") }
  }

  @Test func theyFollowWhatIsRenamed() throws {
    let store = try store(Self.things)
    try store.open(Retitled.Memo.self) { $0.insert(Retitled.Memo(heading: "c", pages: 3)) }
    let tables = try store.strings("SELECT tbl_name FROM sqlite_schema WHERE name IN ('mine', 'mine_too')")
    #expect(tables == ["Memo", "Memo"])
    try store.execute("UPDATE Memo SET heading = 'd' WHERE heading = 'b'")
    #expect(try store.strings("SELECT title FROM journal") == ["c", "bd"])
    #expect(throws: SQLiteError.self) { try store.execute("UPDATE Memo SET heading = 'x'") }
  }

  /// A virtual table has tables of its own, which come before it in a file that was compacted. Such triggers are for those
  /// who write by hand: a program does not let them run.
  @Test func aTextIndexThatTriggersKeepGoesOn() throws {
    let store = try store(
      """
      CREATE VIRTUAL TABLE words USING fts5(title);
      INSERT INTO words (rowid, title) SELECT larder_id, title FROM Note;
      CREATE TRIGGER came AFTER INSERT ON Note BEGIN INSERT INTO words (rowid, title) VALUES (new.larder_id, new.title); END;
      CREATE TRIGGER went AFTER DELETE ON Note BEGIN DELETE FROM words WHERE rowid = old.larder_id; END;
      VACUUM
      """)
    let count = try store.open(Retitled.Memo.self) { try $0.all(Retitled.Memo.self).count }
    #expect(count == 2)
    try store.execute("DELETE FROM Memo WHERE heading = 'a'; INSERT INTO Memo (heading, pages) VALUES ('green tea', 1)")
    #expect(try store.strings("SELECT title FROM words ORDER BY 1") == ["b", "green tea"])
    #expect(
      try store.strings("SELECT heading FROM words JOIN Memo ON larder_id = words.rowid WHERE words MATCH 'tea'") == [
        "green tea"
      ])
  }

  @Test(arguments: [
    ("CREATE INDEX mine ON Note (pages)", "index \"mine\""),
    ("CREATE INDEX mine ON Note (title) WHERE pages > 1", "index \"mine\""),
    ("CREATE VIEW mine AS SELECT pages FROM Note", "view \"mine\""),
    (
      "CREATE TABLE journal (n); CREATE TRIGGER mine AFTER DELETE ON Note BEGIN INSERT INTO journal VALUES (old.pages); END",
      "trigger \"mine\""
    ),
    ("ALTER TABLE Note ADD COLUMN mine INTEGER AS (pages + 1)", "columns were added to Note"),
  ])
  func whatNeedsAPropertyThatGoesIsRefusedByName(_ sql: String, _ name: String) throws {
    let store = try store(sql)
    let before = store.bytes
    let error = store.failure(Shorter.Note.self) as? StoreError
    #expect(error?.code == .schemaMismatch)
    #expect(error?.explanation.contains(name) == true, "\(String(describing: error))")
    #expect(store.bytes == before)
    // Told beforehand as well.
    let like = try TemporaryStore()
    try like.open(Shorter.Note.self) { _ in }
    let other = try stored(like.url)
    let tables = try other.database.read { try StoreMetadata.tables(on: $0) }
    let forecast = try stored(store.url).forecast(to: tables)
    #expect(forecast.verdict == .impossible)
    #expect(forecast.problems.contains { $0.contains(name) }, "\(forecast.problems)")
    #expect(store.bytes == before)
  }

  private func stored(_ url: URL) throws -> SQLiteStore {
    var options = SQLiteStore.Options(url: url)
    options.isReadOnly = true
    return try SQLiteStore.open(options, layouts: [])
  }

  @Test func aColumnThatAPropertyWouldTakeThePlaceOfIsRefused() throws {
    let store = try store("ALTER TABLE Note ADD COLUMN Mood TEXT; UPDATE Note SET mood = 'mine'")
    let before = store.bytes
    let error = store.failure(Fuller.Note.self) as? StoreError
    #expect(error?.explanation.contains("the column \"Mood\" was added to Note by hand") == true)
    #expect(store.bytes == before)
  }

  @Test func whatLedNowhereBeforeIsInNobodysWay() throws {
    let store = try store("CREATE VIEW mine AS SELECT * FROM nowhere")
    let count = try store.open(Shorter.Note.self) { try $0.all(Shorter.Note.self).count }
    #expect(count == 2)
    #expect(try names(store) == ["view mine mine"])
  }

  @Test func aStageSeesTheFormerModelsWithoutThem() throws {
    enum Before: VersionedSchema {
      static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
      static var models: [any PersistentModel.Type] { [Plain.Note.self] }
    }
    enum After: VersionedSchema {
      static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
      static var models: [any PersistentModel.Type] { [Fuller.Note.self] }
    }
    enum Plan: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [Before.self, After.self] }
      static var stages: [MigrationStage] {
        [
          .custom(
            fromVersion: Before.self, toVersion: After.self, willMigrate: nil,
            didMigrate: { context in
              let former = try #require(try context.previousContext())
              for note in try former.all(Plain.Note.self) {
                try context.existingModel(for: note.persistentModelID, as: Fuller.Note.self).mood = "was \(note.title)"
              }
            })
        ]
      }
    }
    let store = try store(Self.columns + ";" + Self.things)
    let moods = try store.open(Schema(versionedSchema: After.self), plan: Plan.self) { context in
      try context.all(Fuller.Note.self).map(\.mood).sorted()
    }
    #expect(moods == ["was a", "was b"])
    #expect(try names(store).count == 7)
    #expect(try store.strings("SELECT \"my tag, (odd)\" FROM Note WHERE title = 'a'") == ["tag of a"])
  }
}
