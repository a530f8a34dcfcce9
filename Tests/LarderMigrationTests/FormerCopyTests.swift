import DurabilityWork
import Foundation
import LarderSQLite
import LarderSupport
import LarderTesting
import SwiftData
import Synchronization
import Testing

@testable import LarderData

enum Unfit {
  /// A text that becomes a number is refused.
  @Model final class Note {
    var title: String
    var pages: Int
    var mood = 1
    init(title: String, pages: Int) {
      self.title = title
      self.pages = pages
    }
  }
}

/// How long the copy of a store as it was before its migration stays.
@Suite struct FormerCopyTests {
  private static let keeping = MigrationOptions(removedValues: .discard, keepsPreviousStore: true)

  /// A store that was migrated once, with a copy of what it was.
  private func store() throws -> TemporaryStore {
    let store = try TemporaryStore()
    try store.open(Plain.Note.self) { $0.insert(Plain.Note(title: "a", pages: 1)) }
    try store.open(Fuller.Note.self, options: Self.keeping) { _ in }
    return store
  }

  private func copies(_ store: TemporaryStore) -> [String] {
    store.folder.names.filter { $0.contains("former") }.sorted()
  }

  /// Whether what is beside the store is the first one.
  private func isFirst(_ store: TemporaryStore) throws -> Bool {
    let connection = try Connection(path: store.url.path + ".former", access: .readOnly)
    defer { connection.close() }
    return try StoreMetadata.tables(on: connection).map { $0.columns.map(\.name) } == [["title", "pages"]]
  }

  @Test func itGoesWithTheNextOpening() throws {
    let store = try store()
    #expect(copies(store) == ["test.store.former"])
    #expect(try isFirst(store))
    try store.open(Fuller.Note.self) { _ in }
    #expect(copies(store) == [])
    try store.open(Shorter.Note.self, options: Self.keeping) { _ in }
    #expect(copies(store) == ["test.store.former"])
  }

  /// Of a container all stores must open.
  @Test func anOpeningThatFailsLeavesIt() throws {
    let store = try store()
    let other = store.folder.file("other.store")
    try Data(String(repeating: "no database, and longer than the header of one", count: 5).utf8).write(to: other)
    #expect(throws: StoreError.self) {
      try ModelContainer(
        for: Fuller.Note.self, Loose.Word.self,
        configurations: ModelConfiguration("a", schema: Schema([Fuller.Note.self]), url: store.url),
        ModelConfiguration("b", schema: Schema([Loose.Word.self, Loose.Page.self]), url: other))
    }
    #expect(copies(store) == ["test.store.former"])
    try store.open(Fuller.Note.self) { _ in }
    #expect(copies(store) == [])
  }

  @Test func anotherMigrationThatFailsLeavesIt() throws {
    let store = try store()
    let error = store.failure(Unfit.Note.self, options: Self.keeping) as? StoreError
    #expect(error?.code == .schemaMismatch)
    #expect(copies(store) == ["test.store.former"])
    #expect(try isFirst(store))
    try store.open(Shorter.Note.self, options: Self.keeping) { _ in }
    #expect(copies(store) == ["test.store.former"])
    #expect(try !isFirst(store))
  }

  /// A program that is killed after its migration, and one that is killed before the end of it, leave a copy that has not
  /// its name yet.
  @Test func theNextOpeningNamesItOrPassesOverIt() throws {
    let store = try store()
    let files = FileManager.default
    let (former, next) = (store.url.path + ".former", store.url.path + ".former.next")
    try files.moveItem(atPath: former, toPath: next)
    #expect(store.failure(Unfit.Note.self, options: Self.keeping) != nil)
    #expect(copies(store) == ["test.store.former"])
    #expect(try isFirst(store))
    try files.copyItem(atPath: store.url.path, toPath: next)
    #expect(store.failure(Unfit.Note.self) != nil)
    #expect(copies(store) == ["test.store.former"])
    #expect(try isFirst(store))
  }

  /// Versions before numbers were drawn have counted them, and their first copies have none.
  @Test func oneOfAnEarlierVersionIsNamedToo() throws {
    let store = try store()
    let (former, next) = (store.url.path + ".former", store.url.path + ".former.next")
    try FileManager.default.moveItem(atPath: former, toPath: next)
    let connection = try Connection(path: next)
    try StoreMetadata.setPreviousCopy(nil, on: connection)
    connection.close()
    try store.execute("UPDATE larder_store SET value = 1 WHERE key = 'former'")
    #expect(store.failure(Unfit.Note.self, options: Self.keeping) != nil)
    #expect(copies(store) == ["test.store.former"])
    #expect(try isFirst(store))
  }

  /// Nothing of a file that somebody has made may end the program.
  @Test(arguments: ["9223372036854775807", "-9223372036854775808", "0", "'seven'", "x'07'"])
  func aNumberThatNobodyGaveIsPassedOver(_ number: String) throws {
    let store = try store()
    try store.execute("UPDATE larder_store SET value = \(number) WHERE key = 'former'")
    try store.open(Shorter.Note.self, options: Self.keeping) { _ in }
    #expect(copies(store) == ["test.store.former"])
    #expect(try !isFirst(store))
  }

  // MARK: Several processes

  /// Whether somebody else could not migrate the store now.
  private static func isLocked(_ url: URL) throws -> Bool {
    let other = try Connection(path: url.path)
    defer { other.close() }
    other.setBusyTimeout(.zero)
    do {
      try other.transaction(.immediate) {}
      return false
    } catch let error as SQLiteError where error.code == .busy { return true }
  }

  /// What another process does that migrates the store further, until it is killed.
  private static func migrateFurther(_ url: URL) throws {
    let (former, next) = (url.path + ".former", url.path + ".former.next")
    if FileManager.default.fileExists(atPath: next) { try #require(rename(next, former) == 0) }
    let connection = try Connection(path: url.path, access: .readOnly)
    defer { connection.close() }
    try connection.execute("VACUUM INTO '\(next)'")
  }

  /// Else that of another process would get it, which may fail yet.
  @Test func itGetsItsNameWhileNobodyElseMigrates() throws {
    let store = try TemporaryStore()
    try store.open(Plain.Note.self) { $0.insert(Plain.Note(title: "a", pages: 1)) }
    let url = store.url
    let wasLocked = Mutex<[Bool?]>([])
    let watch = DurableFileIO.Observer(willRename: { _, to in
      guard to == url.path + ".former" else { return 0 }
      let isLocked = try? Self.isLocked(url)
      wasLocked.withLock { $0.append(isLocked) }
      if isLocked != true { try? Self.migrateFurther(url) }
      return 0
    })
    try DurableFileIO.$observer.withValue(watch) { try store.open(Fuller.Note.self, options: Self.keeping) { _ in } }
    #expect(wasLocked.withLock { $0 } == [true])
    #expect(copies(store) == ["test.store.former"])
    #expect(try isFirst(store))
  }

  /// Else that of another process would go, which has the store by then.
  @Test func oneThatIsNotNeededGoesWhileNobodyElseMigrates() throws {
    let store = try store()
    let url = store.url
    let wasLocked = Mutex<[Bool?]>([])
    let isOthers = Mutex(false)
    let watch = DurableFileIO.Observer(willRemove: { _ in
      let isLocked = try? Self.isLocked(url)
      wasLocked.withLock { $0.append(isLocked) }
      guard isLocked != true else { return }
      isOthers.withLock { $0 = true }
      try? FileManager.default.removeItem(atPath: url.path + ".former.next")
      try? Self.migrateFurther(url)
    })
    DurableFileIO.$observer.withValue(watch) {
      #expect(store.failure(Unfit.Note.self, options: Self.keeping) != nil)
    }
    #expect(wasLocked.withLock { $0 } == [true])
    #expect(copies(store) == ["test.store.former"] + (isOthers.withLock { $0 } ? ["test.store.former.next"] : []))
    #expect(try isFirst(store))
  }

  /// One was killed before the end of its migration, another has migrated the store since: each copy has the number before
  /// its own migration's, so none is taken for another.
  @Test func oneOfAnotherMigrationGetsNoName() throws {
    let store = try store()
    let next = store.url.path + ".former.next"
    try FileManager.default.copyItem(atPath: store.url.path + ".former", toPath: next)
    let connection = try Connection(path: next)
    try StoreMetadata.setPreviousCopy(MigrationBackup.newNumber() - 1, on: connection)
    try connection.execute("UPDATE Note SET title = 'of another'")
    connection.close()
    #expect(store.failure(Unfit.Note.self, options: Self.keeping) != nil)
    #expect(copies(store) == ["test.store.former"])
    let former = try Connection(path: store.url.path + ".former", access: .readOnly)
    defer { former.close() }
    #expect(try StoreMetadata.strings("SELECT title FROM Note", on: former) == ["a"])
  }

  /// It has read the number before, and removes the copy once all stores of its container are open.
  @Test func aSlowOpeningLeavesTheCopyOfALaterMigration() throws {
    let store = try store()
    var options = SQLiteStore.Options(url: store.url)
    // By a name of its own the file is opened once more, as by another process.
    options.vfs = "unix"
    let slow = try SQLiteStore.open(options, layouts: [])
    try store.open(Fuller.Note.self) { _ in }
    #expect(copies(store) == [])
    try store.open(Shorter.Note.self, options: Self.keeping) { _ in }
    try slow.removeMigrationBackup()
    #expect(copies(store) == ["test.store.former"])
    try store.open(Shorter.Note.self) { _ in }
    #expect(copies(store) == [])
  }

  @Test func aNameThatCannotBeGivenIsAnErrorOfTheStore() throws {
    let store = try TemporaryStore()
    try store.open(Plain.Note.self) { $0.insert(Plain.Note(title: "a", pages: 1)) }
    let before = store.bytes
    let disk = FaultVFS()
    var options = StoreOptions()
    options.vfs = disk.name
    try disk.countingRenames {
      try StoreOptions.$current.withValue(options) {
        disk.fail(operation: 1, of: .rename)
        let error = store.failure(Fuller.Note.self, options: Self.keeping) as? StoreError
        #expect(error?.code == .cannotOpen)
        #expect(store.bytes == before)
        #expect(copies(store) == [])
        try store.open(Fuller.Note.self, options: Self.keeping) { _ in }
      }
    }
    #expect(copies(store) == ["test.store.former"])
  }

  /// The copy has a longer name than the store, and a journal while it is written.
  @Test(arguments: [235, 236])
  func aStoreWhoseNameIsTooLongForACopyIsToldSo(_ length: Int) throws {
    let store = try TemporaryStore()
    let url = store.folder.file(String(repeating: "n", count: length))
    do {
      let context = ModelContext(
        try ModelContainer(for: Plain.Note.self, configurations: ModelConfiguration(url: url)))
      context.insert(Plain.Note(title: "a", pages: 1))
      try context.save()
    }
    func migrate() throws {
      _ = try ModelContainer(
        for: Schema([Fuller.Note.self]), migrationPlan: nil, configurations: [ModelConfiguration(url: url)],
        migration: Self.keeping)
    }
    if length == 235 { return try migrate() }
    let error = #expect(throws: StoreError.self) { try migrate() }
    #expect(error?.code == .cannotOpen)
    #expect(error?.explanation.contains("name has 236 bytes, and may have 235") == true, "\(error?.explanation ?? "")")
    #expect(copies(store) == [])
  }
}
