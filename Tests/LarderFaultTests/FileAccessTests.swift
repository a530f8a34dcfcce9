import DurabilityWork
import Foundation
import LarderData
import SwiftData
import Testing

/// Files that this user may not write, read or make: a typed error that says what to do, and the file as it was.
///
/// Each store is used by a process without privileges, so that the permissions bind it whoever runs the tests.
@Suite struct FileAccessTests {
  private static let saves = 3
  private let folder: WorkFolder
  /// Where the stores are; everybody may look into it.
  private let shared: URL

  init() throws {
    folder = try WorkFolder()
    shared = folder.file("shared")
    try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: true)
    try Self.setMode(0o755, folder.url)
    try Self.setMode(0o755, shared)
  }

  private static func setMode(_ mode: Int, _ url: URL) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path(percentEncoded: false))
  }

  private var store: URL { shared.appending(path: "test.store", directoryHint: .notDirectory) }

  private func makeStore() throws -> Data {
    do {
      let container = try Writer.open(store.path(percentEncoded: false))
      let context = ModelContext(container)
      let writer = Writer(seed: 1, scale: 10)
      for save in 1...Self.saves {
        try writer.prepare(save, in: context)
        try context.save()
      }
    }
    return try Data(contentsOf: store)
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: shared.path(percentEncoded: false)).sorted()
  }

  private func probe(_ how: String, _ path: String) throws -> ProbeReport {
    try ProbeReport.run([how, path], in: folder)
  }

  private func expectRefusal(
    _ report: ProbeReport, _ code: StoreError.Code, says words: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(report.error == "StoreError", "\(report)", sourceLocation: sourceLocation)
    #expect(report.code == code.rawValue, "\(report)", sourceLocation: sourceLocation)
    #expect(report.isLoadIssue, "\(report)", sourceLocation: sourceLocation)
    for word in words {
      #expect(report.explanation?.contains(word) == true, "\(report)", sourceLocation: sourceLocation)
    }
  }

  @Test func aReadOnlyFileIsNotOpenedForSaving() throws {
    let before = try makeStore()
    try Self.setMode(0o444, store)
    try Self.setMode(0o777, shared)
    expectRefusal(try probe("write", store.path), .readOnly, says: "test.store", "permissions")
    #expect(try Data(contentsOf: store) == before)
    #expect(try names() == ["test.store"])
  }

  @Test func aReadOnlyFileInAReadOnlyFolderIsNotOpenedForSaving() throws {
    let before = try makeStore()
    try Self.setMode(0o444, store)
    try Self.setMode(0o555, shared)
    expectRefusal(try probe("write", store.path), .readOnly, says: "test.store", "permissions")
    #expect(try Data(contentsOf: store) == before)
    #expect(try names() == ["test.store"])
  }

  @Test func aReadOnlyFolderIsNamedWhenItsStoreIsRead() throws {
    let before = try makeStore()
    try Self.setMode(0o444, store)
    try Self.setMode(0o555, shared)
    let report = try probe("read", store.path)
    // SQLite reads a log beside the database, and needs a place for its index.
    expectRefusal(report, .readOnly, says: "test.store", "Make the folder writable")
    #expect(try Data(contentsOf: store) == before)
    #expect(try names() == ["test.store"])
  }

  @Test(arguments: ["read", "write"])
  func anUnreadableFileIsNotOpened(_ how: String) throws {
    let before = try makeStore()
    try Self.setMode(0o000, store)
    try Self.setMode(0o777, shared)
    expectRefusal(try probe(how, store.path), .cannotOpen, says: "test.store", "read and write")
    try Self.setMode(0o600, store)
    #expect(try Data(contentsOf: store) == before)
    #expect(try names() == ["test.store"])
  }

  @Test func aFolderThatMayNotBeEnteredIsNamed() throws {
    let before = try makeStore()
    try Self.setMode(0o000, shared)
    expectRefusal(try probe("write", store.path), .cannotOpen, says: "test.store", "folder")
    try Self.setMode(0o755, shared)
    #expect(try Data(contentsOf: store) == before)
  }

  @Test(arguments: ["new.store", "folder/in/folder/new.store"])
  func whereNothingCanBeMadeNothingIs(_ name: String) throws {
    try Self.setMode(0o555, shared)
    let path = shared.appending(path: name).path(percentEncoded: false)
    expectRefusal(try probe("write", path), .cannotOpen, says: "new.store", "folder exists")
    #expect(try names() == [])
  }

  @Test func aFolderUnderAFileCannotBeMade() throws {
    let before = try makeStore()
    try Self.setMode(0o777, shared)
    try Self.setMode(0o666, store)
    let path = store.appending(path: "new.store").path(percentEncoded: false)
    expectRefusal(try probe("write", path), .cannotOpen, says: "new.store", "folder")
    #expect(try Data(contentsOf: store) == before)
    #expect(try names() == ["test.store"])
  }

  @Test(arguments: ["read", "write"])
  func aFileThatIsNoDatabaseStaysAsItIs(_ how: String) throws {
    let text = Data(String(repeating: "A letter, and no database. ", count: 500).utf8)
    try text.write(to: store)
    try Self.setMode(0o666, store)
    try Self.setMode(0o777, shared)
    expectRefusal(try probe(how, store.path), .notADatabase, says: "test.store", "not an SQLite database")
    #expect(try Data(contentsOf: store) == text)
    #expect(try names() == ["test.store"])
  }

  @Test func onASmallDiskThatIsFullNothingIsLost() throws {
    let disk = folder.file("disk")
    try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true)
    let report = try probe("disk", disk.path(percentEncoded: false))
    #expect(report.error == "StoreError", "\(report)")
    #expect(report.code == StoreError.Code.diskFull.rawValue, "\(report)")
    #expect(report.explanation?.contains("Free some space") == true, "\(report)")
    #expect(report.saves > 3)
    #expect(report.problems == [])
  }

  /// As in the image of a container: no log, no lock and no index can be made there.
  @Test func aStoreOnAReadOnlyMediumIsRead() throws {
    let (there, medium) = (folder.file("there"), folder.file("medium"))
    for one in [there, medium] { try FileManager.default.createDirectory(at: one, withIntermediateDirectories: true) }
    try makeStore().write(to: there.appending(path: "test.store"))
    let report = try probe("medium", folder.url.path(percentEncoded: false))
    #expect(report.problems == [])
    #expect(report.saves == Self.saves + 1)
    #expect(report.error == "StoreError" && report.code == StoreError.Code.readOnly.rawValue, "\(report)")
  }

  /// Its log belongs to it, and cannot be read there.
  @Test func aStoreWithALogOnAReadOnlyMediumIsRefused() throws {
    let (there, medium) = (folder.file("there"), folder.file("medium"))
    for one in [there, medium] { try FileManager.default.createDirectory(at: one, withIntermediateDirectories: true) }
    let before = try makeStore()
    try before.write(to: there.appending(path: "test.store"))
    try Data("not empty".utf8).write(to: there.appending(path: "test.store-wal"))
    let report = try probe("medium", folder.url.path(percentEncoded: false))
    expectRefusal(report, .cannotOpen, says: "test.store", "test.store-wal")
    #expect(try Data(contentsOf: there.appending(path: "test.store")) == before)
  }
}
