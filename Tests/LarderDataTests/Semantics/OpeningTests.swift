import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The same entity in two shapes.
enum OldShape {
  @Model final class Letter {
    var text: String
    var weight: Int
    init(text: String, weight: Int) {
      self.text = text
      self.weight = weight
    }
  }
}

enum NewShape {
  @Model final class Letter {
    var text: Int
    var stamp: String?
    init(text: Int) { self.text = text }
  }
}

@Suite struct OpeningTests {
  private func open(_ url: URL, _ models: any PersistentModel.Type..., allowsSave: Bool = true) throws {
    _ = try TestStore.open(.disk, url, models, allowsSave: allowsSave)
  }

  /// What another program does to the file.
  private func execute(_ sql: String, in folder: TestFolder) throws {
    let connection = try Connection(path: folder.url("test.store").path)
    defer { connection.close() }
    try connection.execute(sql)
  }

  /// Opening fails with this code, says what to do, and leaves the folder as it was.
  private func expectRefusal(
    _ code: StoreError.Code, _ folder: TestFolder, _ models: any PersistentModel.Type..., allowsSave: Bool = true,
    mentions: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = folder.names.map { ($0, folder.bytes($0)) }
    let error = try #require(throws: StoreError.self, sourceLocation: sourceLocation) {
      _ = try TestStore.open(.disk, folder.url("test.store"), models, allowsSave: allowsSave)
    }
    #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    #expect(error.url == folder.url("test.store"), sourceLocation: sourceLocation)
    for text in mentions { #expect(error.explanation.contains(text), "\(error)", sourceLocation: sourceLocation) }
    // What SQLite leaves beside a file in write-ahead mode that it may only read is empty and says nothing.
    let after = folder.names.filter { allowsSave || !($0.hasSuffix("-wal") || $0.hasSuffix("-shm")) }
      .map { ($0, folder.bytes($0)) }
    #expect(before.map(\.0) == after.map(\.0), sourceLocation: sourceLocation)
    #expect(before.map(\.1) == after.map(\.1), sourceLocation: sourceLocation)
  }

  @Test func storeAndItsFolderAreTheOwnersAlone() throws {
    let folder = TestFolder()
    let url = folder.url.appending(path: "a/b/test.store", directoryHint: .notDirectory)
    let container = try TestStore.open(.disk, url, [Crate.self])
    let context = ModelContext(container)
    context.insert(Crate(number: 1))
    try context.save()
    #expect(try folder.mode("a") == 0o700)
    #expect(try folder.mode("a/b") == 0o700)
    for name in ["a/b/test.store", "a/b/test.store-wal", "a/b/test.store-shm"] {
      #expect(try folder.mode(name) == 0o600, "\(name)")
    }
  }

  @Test func storeOfAnotherShapeIsRefused() throws {
    let folder = TestFolder()
    try open(folder.url("test.store"), OldShape.Letter.self)
    try expectRefusal(
      .schemaMismatch, folder, NewShape.Letter.self, mentions: "Letter.text was String (TEXT) and is Int (INTEGER)")
    try expectRefusal(
      .schemaMismatch, folder, NewShape.Letter.self, allowsSave: false, mentions: "text", "stamp", "weight",
      "opened for reading only")
    try open(folder.url("test.store"), OldShape.Letter.self)
  }

  @Test func databaseOfAnotherProgramIsRefused() throws {
    let folder = TestFolder()
    try execute("CREATE TABLE recipe (name TEXT); INSERT INTO recipe VALUES ('soup')", in: folder)
    try expectRefusal(.foreignDatabase, folder, Crate.self, mentions: "recipe")
  }

  @Test func fileThatIsNoDatabaseIsRefused() throws {
    let folder = TestFolder()
    try Data("Dear diary, ".utf8 + [UInt8](repeating: 65, count: 5_000)).write(to: folder.url("test.store"))
    try expectRefusal(.notADatabase, folder, Crate.self)
  }

  @Test func fileOfANewerFormatIsRefused() throws {
    let folder = TestFolder()
    try open(folder.url("test.store"), Crate.self)
    try execute("PRAGMA user_version = 99", in: folder)
    try expectRefusal(.newerFormat, folder, Crate.self, mentions: "99", "Update the program")
  }

  @Test func storeWithoutItsBookkeepingIsRefused() throws {
    let folder = TestFolder()
    try open(folder.url("test.store"), Crate.self)
    try execute("DELETE FROM larder_store", in: folder)
    #expect(throws: StoreError.self) { try open(folder.url("test.store"), Crate.self) }
  }

  @Test func databaseInUTF16IsRefused() throws {
    let folder = TestFolder()
    try execute("PRAGMA encoding = 'UTF-16le'; CREATE TABLE recipe (name TEXT)", in: folder)
    try expectRefusal(.database, folder, Crate.self, mentions: "UTF-16")
  }

  @Test func emptyFileIsNotOpenedForReading() throws {
    let folder = TestFolder()
    try Data().write(to: folder.url("test.store"))
    try expectRefusal(.readOnly, folder, Crate.self, allowsSave: false, mentions: "empty")
  }

  @Test func missingFileIsNotOpenedForReading() throws {
    try expectRefusal(.cannotOpen, TestFolder(), Crate.self, allowsSave: false)
  }

  @Test func modelThatAReadOnlyStoreLacksIsNamed() throws {
    let folder = TestFolder()
    try open(folder.url("test.store"), Crate.self)
    try expectRefusal(.schemaMismatch, folder, Crate.self, Sensor.self, allowsSave: false, mentions: "Sensor")
  }

  @Test func folderThatCannotBeMadeIsATypedError() throws {
    let folder = TestFolder()
    try Data("a file".utf8).write(to: folder.url("file"))
    let url = folder.url("file").appending(path: "inside/test.store", directoryHint: .notDirectory)
    let error = try #require(throws: StoreError.self) { try open(url, Crate.self) }
    #expect(error.code == .cannotOpen)
    #expect(error.explanation.contains("folder"), "\(error)")
    #expect(folder.bytes("file") == Data("a file".utf8))
    #expect(folder.names == ["file"])
  }

  @Test func readOnlyStoreIsReadAndNotChanged() throws {
    let folder = TestFolder()
    do {
      let context = ModelContext(try TestStore.open(.disk, folder.url("test.store"), [Crate.self]))
      context.insert(Crate(number: 1))
      try context.save()
    }
    let before = folder.bytes()
    do {
      let container = try TestStore.open(.disk, folder.url("test.store"), [Crate.self], allowsSave: false)
      #expect(try ModelContext(container).fetch(FetchDescriptor<Crate>()).map(\.number) == [1])
      #expect(throws: StoreError.self) { try container.erase() }
    }
    #expect(folder.bytes() == before)
  }

  @Test func damagedFileIsATypedError() throws {
    let folder = TestFolder()
    do {
      let context = ModelContext(try TestStore.open(.disk, folder.url("test.store"), [Crate.self]))
      for number in 0..<2_000 { context.insert(Crate(number: number, text: String(repeating: "x", count: 50))) }
      try context.save()
    }
    var bytes = try #require(folder.bytes())
    // Everything after the first page: what the schema points to is noise.
    for index in 4_096..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
    try bytes.write(to: folder.url("test.store"))
    let error = try #require(throws: StoreError.self) {
      let container = try TestStore.open(.disk, folder.url("test.store"), [Crate.self])
      _ = try ModelContext(container).fetch(FetchDescriptor<Crate>())
    }
    #expect(error.code == .corrupt)
  }

  // The following run in a process of their own that gives up root's rights, which would read anything.

  #if os(Linux)
    @Test func unreadableFileIsATypedError() async {
      await #expect(processExitsWith: .success) {
        try Unprivileged.expectRefusal(ofFileWithMode: 0, [.cannotOpen])
      }
    }

    @Test func fileThatMayNotBeWrittenIsATypedError() async {
      await #expect(processExitsWith: .success) {
        try Unprivileged.expectRefusal(ofFileWithMode: 0o444, [.readOnly, .cannotOpen])
      }
    }

    @Test func folderThatMayNotBeWrittenIsATypedError() async {
      await #expect(processExitsWith: .success) {
        let folder = TestFolder()
        try #require(chmod(folder.url.path, 0o555) == 0)
        try Unprivileged.run {
          let url = folder.url.appending(path: "new/test.store", directoryHint: .notDirectory)
          let error = try #require(throws: StoreError.self) { _ = try TestStore.open(.disk, url, [Crate.self]) }
          #expect(error.code == .cannotOpen, "\(error)")
        }
        chmod(folder.url.path, 0o755)
        #expect(folder.names.isEmpty)
      }
    }
  #endif
}

#if os(Linux)
  /// Acts as a user without rights, where the tests run as root.
  enum Unprivileged {
    private static let nobody: uid_t = 65_534

    static func run(_ body: () throws -> Void) throws {
      let user = geteuid()
      if user == 0 { try #require(seteuid(nobody) == 0) }
      defer { if user == 0 { seteuid(0) } }
      try #require(geteuid() != 0)
      try body()
    }

    /// A store whose file has these rights isn't opened, the error names the file, and the file is as it was.
    static func expectRefusal(ofFileWithMode mode: mode_t, _ codes: [StoreError.Code]) throws {
      let folder = TestFolder()
      let url = folder.url("test.store")
      _ = try TestStore.open(.disk, url, [Crate.self])
      let before = try Data(contentsOf: url)
      try #require(chmod(folder.url.path, 0o755) == 0)
      try #require(chmod(url.path, mode) == 0)
      try run {
        let error = try #require(throws: StoreError.self) { _ = try TestStore.open(.disk, url, [Crate.self]) }
        #expect(codes.contains(error.code), "\(error)")
        #expect(error.explanation.contains(url.path), "\(error)")
      }
      chmod(url.path, 0o600)
      #expect(try Data(contentsOf: url) == before)
      #expect(folder.names == ["test.store"])
    }
  }
#endif
