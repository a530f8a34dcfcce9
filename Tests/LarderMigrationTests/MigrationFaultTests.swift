import DurabilityWork
import Foundation
import LarderData
import LarderSQLite
import LarderTesting
import SwiftData
import Testing

/// The stages of `LibraryPlan`, of which the second asks for the models as they were.
private enum FormerPlan: SchemaMigrationPlan {
  @TaskLocal static var disk: FaultVFS?

  static var schemas: [any VersionedSchema.Type] { LibraryPlan.schemas }
  static var stages: [MigrationStage] { [LibraryPlan.oneToTwo, twoToThree, LibraryPlan.stages[2]] }

  static let twoToThree = MigrationStage.custom(
    fromVersion: LibraryV2.self, toVersion: LibraryV3.self, willMigrate: nil,
    didMigrate: { context in
      let open = disk?.openFiles ?? 0
      let former = try #require(try context.previousContext())
      // What lies beside the store is on its disk.
      #expect(disk?.openFiles ?? 1 > open)
      var authors: [String: LibraryV3.Author] = [:]
      for old in try former.all(LibraryV2.Book.self) {
        let author = authors[old.author] ?? LibraryV3.Author(name: old.author)
        authors[old.author] = author
        try context.existingModel(for: old.persistentModelID, as: LibraryV3.Book.self).writer = author
      }
    })
}

/// The disk fails, or loses its power, at each operation of a migration with custom stages that keeps the former
/// store, one after the other: what failed is a typed error, and the file is then the former store or the new one, with the
/// former one beside it.
@Suite struct MigrationFaultTests {
  private static let expected = ["Emma Austen", "Persuasion Austen", "Ulysses Joyce"]

  /// A store of version 1 on a disk of its own.
  private final class Life {
    let store: TemporaryStore
    let disk = FaultVFS()

    init() throws {
      store = try TemporaryStore()
      try onDisk {
        try store.open(Schema(versionedSchema: LibraryV1.self)) { context in
          for (title, author) in [("Emma", "Austen"), ("Persuasion", "Austen"), ("Ulysses", "Joyce")] {
            context.insert(LibraryV1.Book(title: title, author: author))
          }
          for word in ["old", "new", "old"] { context.insert(LibraryV1.Tag(word: word)) }
        }
      }
    }

    func onDisk<Result>(_ body: () throws -> Result) rethrows -> Result {
      var options = StoreOptions()
      options.vfs = disk.name
      return try disk.countingRenames { try StoreOptions.$current.withValue(options, operation: body) }
    }

    func migrate() throws -> [String] {
      try onDisk {
        try FormerPlan.$disk.withValue(disk) {
          try store.open(
            Schema(versionedSchema: LibraryV4.self), plan: FormerPlan.self,
            options: MigrationOptions(keepsPreviousStore: true)
          ) { context in
            try context.all(LibraryV4.Book.self).map { "\($0.title) \($0.writer?.name ?? "nobody")" }.sorted()
          }
        }
      }
    }

    /// What is wrong with the file as it lies there.
    func problem() throws -> String? {
      let connection = try Connection(path: store.url.path, access: .readWrite, vfs: disk.name)
      defer { connection.close() }
      let names = Set(try StoreMetadata.tables(on: connection).map(\.name))
      guard names == ["Book", "Tag"] || names == ["Author", "Book"] else { return "it has the tables \(names)" }
      if let answer = try connection.string("PRAGMA integrity_check"), answer != "ok" { return answer }
      let broken = try connection.int64("SELECT count(*) FROM pragma_foreign_key_check")
      let former = try connection.int64("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'larder_former%'")
      if broken != 0 || former != 0 { return "\(broken ?? 0) broken keys, \(former ?? 0) former tables" }
      guard names.contains("Author") else { return nil }
      // A program that was killed before the copy got its name leaves it to the next.
      let copies = ["test.store.former.next", "test.store.former"].filter { store.folder.names.contains($0) }
      guard let copy = copies.first else { return "the former store is not there" }
      return try problem(ofCopy: store.folder.file(copy))
    }

    private func problem(ofCopy url: URL) throws -> String? {
      do {
        let connection = try Connection(path: url.path, access: .readWrite, vfs: disk.name)
        defer { connection.close() }
        let names = Set(try StoreMetadata.tables(on: connection).map(\.name))
        let answer = try connection.string("PRAGMA integrity_check")
        let count = try connection.int64("SELECT count(*) FROM Tag")
        return names == ["Book", "Tag"] && answer == "ok" && count == 3
          ? nil : "the former store has \(names), \(answer ?? ""), \(count ?? 0) tags"
      } catch { return "the former store: \(error)" }
    }
  }

  @Test(arguments: [ResultCode.ioError, .full])
  func eachOperationMayFail(_ code: ResultCode) throws {
    var operation = 1
    var failures = 0
    while true {
      let life = try Life()
      life.disk.fail(operation: operation, with: code)
      do {
        let books = try life.migrate()
        #expect(books == Self.expected)
      } catch let error as StoreError {
        failures += 1
        #expect(error.code != .schemaMismatch, "\(error)")
        // The disk works again by the time it is looked at what became of the migration.
        let names = life.store.folder.names
        #expect(!names.contains("test.store.former.next"), "operation \(operation), \(code): \(error)")
      }
      if life.disk.failureCount == 0 { break }
      let problem = try life.problem()
      #expect(problem == nil, "operation \(operation), \(code)")
      let books = try life.migrate()
      #expect(books == Self.expected, "operation \(operation), \(code)")
      operation += code == .ioError ? 1 : 3
    }
    #expect(failures > 20)
  }

  @Test func thePowerMayGoAtEachOperation() throws {
    var operation = 1
    var cuts = 0
    while true {
      let life = try Life()
      life.disk.cutPower(atOperation: operation)
      let books = try? life.migrate()
      let wasCut = life.disk.isWithoutPower
      #expect(wasCut || books == Self.expected)
      life.disk.cutPower()
      try life.disk.restorePower(seed: UInt64(operation))
      let problem = try life.problem()
      #expect(problem == nil, "operation \(operation)")
      let after = try life.migrate()
      #expect(after == Self.expected, "operation \(operation)")
      if !wasCut { break }
      cuts += 1
      operation += 1
    }
    #expect(cuts > 20)
  }
}
