import DurabilityWork
import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// Constraints of a table that somebody has made anew by hand, as `ALTER TABLE` cannot add them, and tables of others.
@Suite struct HandmadeConstraintTests {
  private func store(_ constraints: String, _ also: String = "") throws -> TemporaryStore {
    let store = try TemporaryStore()
    try store.open(Plain.Note.self) { context in
      for (title, pages) in [("a", 1), ("b", 2)] { context.insert(Plain.Note(title: title, pages: pages)) }
    }
    let creation = try #require(try store.strings("SELECT sql FROM sqlite_schema WHERE name = 'Note'").first)
    let end = try #require(creation.range(of: ")", options: .backwards))
    let made = creation.replacingCharacters(in: end, with: ", tag TEXT, \(constraints))")
    try store.execute(
      """
      ALTER TABLE Note RENAME TO former;
      \(made);
      INSERT INTO Note SELECT *, 'tag of ' || title FROM former;
      DROP TABLE former;
      \(also)
      """)
    return store
  }

  private static let checks =
    "CONSTRAINT short CHECK (length(title) < 9 /* mine, ) */), UNIQUE (title, tag), CHECK (pages > 0)"

  @Test func constraintsOfATableAreKept() throws {
    let store = try store(Self.checks)
    try store.open(Fuller.Note.self) { $0.insert(Fuller.Note(title: "c", pages: 3)) }
    #expect(
      try store.strings("SELECT title || coalesce(tag, '') || mood FROM Note ORDER BY 1") == [
        "atag of acalm", "btag of bcalm", "ccalm",
      ])
    for refused in ["title = 'too long by far'", "pages = 0", "title = 'b', tag = 'tag of b'"] {
      #expect(throws: SQLiteError.self) { try store.execute("UPDATE Note SET \(refused) WHERE title = 'a'") }
    }
    // Once more, and as it was.
    try store.open(Plain.Note.self) { _ in }
    #expect(throws: SQLiteError.self) { try store.execute("UPDATE Note SET pages = 0") }
  }

  @Test func constraintsFollowWhatIsRenamed() throws {
    let store = try store(Self.checks)
    let count = try store.open(Retitled.Memo.self) { try $0.all(Retitled.Memo.self).count }
    #expect(count == 2)
    #expect(try store.strings("SELECT heading || ': ' || tag FROM Memo ORDER BY 1") == ["a: tag of a", "b: tag of b"])
    for refused in ["heading = 'too long by far'", "pages = 0"] {
      #expect(throws: SQLiteError.self) { try store.execute("UPDATE Memo SET \(refused) WHERE heading = 'a'") }
    }
  }

  @Test func aConstraintOnAPropertyThatGoesIsRefusedByName() throws {
    let store = try store("CHECK (\"pages\" > 0)")
    let before = store.bytes
    let error = store.failure(Shorter.Note.self) as? StoreError
    #expect(error?.code == .schemaMismatch)
    #expect(
      error?.explanation.contains("constraints were added to Note by hand") == true, "\(String(describing: error))")
    #expect(store.bytes == before)
  }

  enum Breaking: CaseIterable { case byTheirNewValues, already }

  @Test(arguments: Breaking.allCases)
  func rowsThatBreakAConstraintAreRefused(_ breaking: Breaking) throws {
    let store = try store("CONSTRAINT whole CHECK (typeof(pages) = 'integer' AND pages > 0)")
    if breaking == .already {
      try store.execute("PRAGMA ignore_check_constraints = ON; UPDATE Note SET pages = 0 WHERE title = 'b'")
    }
    let before = try #require(store.bytes)
    let failure = breaking == .already ? store.failure(Fuller.Note.self) : store.failure(Measured.Note.self)
    let error = try #require(failure as? StoreError, "\(String(describing: failure))")
    #expect(error.explanation.contains("whole"), "\(error)")
    #expect(store.bytes == before)
    // Nothing but the rows is in the way.
    try store.execute("UPDATE Note SET pages = 2")
    let moods = try store.open(Fuller.Note.self) { try $0.all(Fuller.Note.self).map(\.mood) }
    #expect(moods == ["calm", "calm"])
    #expect(throws: SQLiteError.self) { try store.execute("UPDATE Note SET pages = 0") }
  }

  /// What refers to a model's rows from a table of somebody else's neither goes nor hinders.
  @Test func tablesOfOthersThatReferToRowsStay() throws {
    let store = try store(
      "CHECK (pages > 0)",
      """
      CREATE TABLE journal (note INTEGER REFERENCES Note (larder_id) ON DELETE CASCADE, text TEXT);
      INSERT INTO journal SELECT larder_id, 'about ' || title FROM Note;
      """)
    try store.open(Fuller.Note.self) { _ in }
    #expect(try store.strings("SELECT text FROM journal ORDER BY 1") == ["about a", "about b"])
    #expect(try store.strings("SELECT sql FROM sqlite_schema WHERE name = 'journal'")[0].contains("Note"))
  }

  enum Sails {
    @Model class Craft {
      var name: String
      init(name: String) { self.name = name }
    }

    @Model final class Yacht: Craft {
      var area: Double
      init(name: String, area: Double) {
        self.area = area
        super.init(name: name)
      }
    }
  }

  enum NotedSails {
    @Model class Craft {
      var name: String
      var note: String?
      init(name: String) { self.name = name }
    }

    @Model final class Yacht: Craft {
      var area: Double
      init(name: String, area: Double) {
        self.area = area
        super.init(name: name)
      }
    }
  }

  /// As those of the store itself do.
  @Test func constraintsThatNameTheClassAreKept() throws {
    let store = try TemporaryStore()
    try store.open(Sails.Craft.self, Sails.Yacht.self) { context in
      context.insert(Sails.Craft(name: "raft"))
      context.insert(Sails.Yacht(name: "wind", area: 20))
    }
    let creation = try #require(try store.strings("SELECT sql FROM sqlite_schema WHERE name = 'Craft'").first)
    let end = try #require(creation.range(of: ")", options: .backwards))
    let check = "CHECK (larder_class NOT IN ('Yacht') OR (Yacht_area > 10))"
    try store.execute(
      """
      PRAGMA foreign_keys = OFF; ALTER TABLE Craft RENAME TO former;
      \(creation.replacingCharacters(in: end, with: ", \(check))"));
      INSERT INTO Craft SELECT * FROM former; DROP TABLE former;
      """)
    #expect(throws: SQLiteError.self) { try store.execute("UPDATE Craft SET Yacht_area = 1") }
    try store.open(NotedSails.Craft.self, NotedSails.Yacht.self) { _ in }
    let anew = try #require(try store.strings("SELECT sql FROM sqlite_schema WHERE name = 'Craft'").first)
    #expect(anew.contains("note") && anew.contains(check), "\(anew)")
    // Each of the store's own is there once.
    #expect(anew.components(separatedBy: "CHECK").count == 4, "\(anew)")
    #expect(throws: SQLiteError.self) { try store.execute("UPDATE Craft SET Yacht_area = 1") }
  }

  /// Its words say no more than that a class has a value, as the store's own do: nobody could tell which is whose.
  @Test func aCheckThatCannotBeToldFromTheStoresOwnIsNamed() throws {
    let store = try TemporaryStore()
    try store.open(Sails.Craft.self, Sails.Yacht.self) { context in
      context.insert(Sails.Craft(name: "raft"))
      context.insert(Sails.Yacht(name: "wind", area: 20))
    }
    let creation = try #require(try store.strings("SELECT sql FROM sqlite_schema WHERE name = 'Craft'").first)
    let end = try #require(creation.range(of: ")", options: .backwards))
    let check = "CHECK (larder_class NOT IN ('Yacht') OR (\"name\" IS NOT NULL))"
    try store.execute(
      """
      PRAGMA foreign_keys = OFF; ALTER TABLE Craft RENAME TO former;
      \(creation.replacingCharacters(in: end, with: ", \(check))"));
      INSERT INTO Craft SELECT * FROM former; DROP TABLE former;
      """)
    let before = store.bytes
    let error = store.failure(NotedSails.Craft.self, NotedSails.Yacht.self) as? StoreError
    #expect(error?.explanation.contains("a CHECK was added to Craft by hand that cannot be told from those") == true)
    #expect(store.bytes == before)
    let count = try store.open(Sails.Craft.self, Sails.Yacht.self) { try $0.fetchCount(FetchDescriptor<Sails.Craft>()) }
    #expect(count == 2)
  }
}
