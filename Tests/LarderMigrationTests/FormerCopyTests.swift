import DurabilityWork
import Foundation
import LarderData
import LarderSQLite
import LarderTesting
import SwiftData
import Testing

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
  private static let keeping = MigrationOptions(keepsFormerStore: true)

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
    return try Bookkeeping.tables(on: connection).map { $0.columns.map(\.name) } == [["title", "pages"]]
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

  @Test func aNameThatCannotBeGivenIsAnErrorOfTheStore() throws {
    let store = try TemporaryStore()
    try store.open(Plain.Note.self) { $0.insert(Plain.Note(title: "a", pages: 1)) }
    let before = store.bytes
    let disk = FaultVFS()
    var options = StoreOptions()
    options.vfs = disk.name
    try disk.toldOfRenames {
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
