import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// Where a copy may lie, and what it may replace.
@Suite struct BackupTargetTests {
  private let folder = TestFolder()
  private var url: URL { folder.url("crates.store") }

  private func open(_ url: URL) throws -> ModelContainer {
    try ModelContainer(for: Crate.self, configurations: ModelConfiguration(url: url))
  }

  private func numbers(_ url: URL) throws -> [Int] {
    try ModelContext(open(url)).all(Crate.self).map(\.number).sorted()
  }

  private func expectRefusal(
    _ container: ModelContainer, _ target: URL, _ words: String, _ location: SourceLocation = #_sourceLocation
  ) {
    let before = folder.names.map { ($0, FileManager.default.contents(atPath: folder.url($0).path)) }
    let error = #expect(throws: StoreError.self, sourceLocation: location) { try container.backup(to: target) }
    #expect(error?.code == .cannotOpen, sourceLocation: location)
    #expect(error?.explanation.contains(words) == true, "\(error?.explanation ?? "")", sourceLocation: location)
    let after = folder.names.map { ($0, FileManager.default.contents(atPath: folder.url($0).path)) }
    #expect(before.elementsEqual(after) { $0 == $1 }, sourceLocation: location)
  }

  @Test func aNameThatNoFileCanHaveIsRefused() throws {
    expectRefusal(try open(url), folder.url("copy\0.store"), "has a NUL in its name")
  }

  /// By its names and by others: the store goes on as if nobody had asked.
  @Test(arguments: [
    "-wal", "-shm", "-journal", "-signal", ".former", ".former.next", ".former.part", ".stage", ".former-wal",
    ".stage-shm",
  ])
  func whatBelongsToTheStoreIsNotReplaced(_ suffix: String) throws {
    let container = try open(url)
    let context = ModelContext(container)
    context.insert(Crate(number: 1))
    try context.save()
    let words = "belongs to \(url.path)"
    let name = url.lastPathComponent + suffix
    let target = folder.url(name)
    expectRefusal(container, target, words)
    expectRefusal(container, folder.url.appending(path: "../\(folder.url.lastPathComponent)/\(name)"), words)
    let path = FileManager.default.currentDirectoryPath
    let up = String(repeating: "../", count: path.split(separator: "/").count)
    expectRefusal(container, URL(filePath: up + target.path.dropFirst(), relativeTo: URL(filePath: path)), words)
    let there = TestFolder()
    let link = there.url("folder")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.url)
    expectRefusal(container, link.appending(component: name), words)
    // Also where it leads to what is not there yet, by another link, and by a name that is not absolute.
    try FileManager.default.createSymbolicLink(at: there.url("link"), withDestinationURL: target)
    expectRefusal(container, there.url("link"), words)
    try FileManager.default.createSymbolicLink(atPath: there.url("second").path, withDestinationPath: "link")
    expectRefusal(container, there.url("second"), words)
    try FileManager.default.createSymbolicLink(atPath: there.url("third").path, withDestinationPath: "folder/\(name)")
    expectRefusal(container, there.url("third"), words)
    if FileManager.default.fileExists(atPath: target.path) {
      try FileManager.default.linkItem(at: target, to: there.url("hard"))
      expectRefusal(container, there.url("hard"), words)
    }
    context.insert(Crate(number: 2))
    try context.save()
    #expect(try container.integrityCheck() == [])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Crate>()) == 2)
  }

  /// The store may have been opened by another name: its log lies beside the file that this leads to.
  @Test func whatLiesBesideTheFileThatALinkLeadsToIsNotReplaced() throws {
    let there = TestFolder()
    let link = there.url("link.store")
    _ = try open(url)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
    let container = try open(link)
    let context = ModelContext(container)
    context.insert(Crate(number: 1))
    try context.save()
    expectRefusal(container, folder.url("crates.store-wal"), "belongs to \(link.path)")
    expectRefusal(container, there.url("link.store.former"), "belongs to \(link.path)")
  }

  /// Of another store that is open, by another name of the file.
  @Test func whatBelongsToAnotherStoreHasOtherNames() throws {
    let other = try open(folder.url("other.store"))
    let context = ModelContext(other)
    context.insert(Crate(number: 7))
    try context.save()
    let container = try open(url)
    let there = TestFolder()
    for end in ["-wal", "-shm"] {
      let hard = there.url("hard\(end)")
      try FileManager.default.linkItem(at: folder.url("other.store\(end)"), to: hard)
      expectRefusal(container, hard, "belongs to \(folder.url("other.store").path)")
    }
    context.insert(Crate(number: 8))
    try context.save()
    #expect(try ModelContext(other).all(Crate.self).map(\.number).sorted() == [7, 8])
  }

  /// Of another store, too, whether it is open or not.
  @Test func whatBelongsToAnotherStoreIsNotReplaced() throws {
    let other = try open(folder.url("other.store"))
    let context = ModelContext(other)
    context.insert(Crate(number: 7))
    try context.save()
    let container = try open(url)
    expectRefusal(container, folder.url("other.store-wal"), "belongs to \(folder.url("other.store").path)")
    #expect(try ModelContext(other).all(Crate.self).map(\.number) == [7])
    // Where there is no such store it is a name like any other.
    try container.backup(to: folder.url("none.store-wal"))
    #expect(try numbers(folder.url("none.store-wal")) == [])
  }

  /// What lies beside the name that the copy is to have would go.
  @Test func aStoreThatIsCalledAsALogOfTheCopyStays() throws {
    let container = try open(folder.url("copy-wal"))
    let context = ModelContext(container)
    context.insert(Crate(number: 1))
    try context.save()
    expectRefusal(container, folder.url("copy"), "which is the store itself")
    #expect(try context.fetchCount(FetchDescriptor<Crate>()) == 1)
  }

  /// It is replaced because it is damaged.
  @Test(arguments: ["noise", "header", "truncated", "empty", "schema", "pages", "UTF-16"])
  func aDamagedCopyIsReplaced(_ damage: String) throws {
    let container = try open(url)
    let context = ModelContext(container)
    for number in 1...200 { context.insert(Crate(number: number, text: String(repeating: "t", count: 300))) }
    try context.save()
    let copy = folder.url("copy.store")
    try container.backup(to: copy)
    var bytes = try Data(contentsOf: copy)
    switch damage {
    case "noise": bytes = Data(repeating: 0xAB, count: 10_000)
    case "header": bytes.replaceSubrange(18...19, with: [9, 9])
    case "truncated": bytes = bytes.prefix(4_196)
    case "schema": bytes.replaceSubrange(100..<4_096, with: repeatElement(0xFF, count: 3_996))
    case "pages": bytes.replaceSubrange(4_096..., with: repeatElement(0xFF, count: bytes.count - 4_096))
    default: bytes = Data()
    }
    try bytes.write(to: copy)
    if damage == "UTF-16" {
      let connection = try Connection(path: copy.path)
      try connection.execute("PRAGMA encoding = 'UTF-16'; CREATE TABLE t (a)")
      connection.close()
    }
    try container.backup(to: copy)
    #expect(try numbers(copy) == Array(1...200))
  }

  /// It may be damaged where he has not looked.
  @Test(arguments: ["noise", "header", "schema"]) func aDamagedCopyThatSomebodyHasOpenStays(_ damage: String) throws {
    let container = try open(url)
    let copy = folder.url("copy.store")
    try container.backup(to: copy)
    let reader = try open(copy)
    #expect(try ModelContext(reader).fetchCount(FetchDescriptor<Crate>()) == 0)
    // Closed by nobody before the test is over: that would drop the locks of this process.
    let file = try FileHandle(forUpdating: copy)
    defer { withExtendedLifetime(reader) { try? file.close() } }
    switch damage {
    case "noise": try file.write(contentsOf: Data(repeating: 0xAB, count: 4_096))
    case "header":
      try file.seek(toOffset: 18)
      try file.write(contentsOf: Data([9, 9]))
    default:
      try file.seek(toOffset: 100)
      try file.write(contentsOf: Data(repeating: 0xFF, count: 3_996))
    }
    let before = FileManager.default.contents(atPath: copy.path)
    let error = #expect(throws: StoreError.self) { try container.backup(to: copy) }
    #expect(error?.code == .busy)
    #expect(FileManager.default.contents(atPath: copy.path) == before)
  }

  /// What is written beside the copy until it is whole has a longer name.
  @Test func aNameThatIsTooLongIsSaidToBe() throws {
    let container = try open(url)
    let longest = folder.url(String(repeating: "n", count: 205))
    try container.backup(to: longest)
    #expect(try numbers(longest) == [])
    expectRefusal(
      container, folder.url(String(repeating: "n", count: 206)), "name has 206 bytes, and may have 205")
    expectRefusal(container, folder.url(String(repeating: "ü", count: 120)), "name has 240 bytes")
  }

  /// What cannot be replaced is named, and not the store.
  @Test func whatIsInTheWayIsNamed() throws {
    let container = try open(url)
    let copy = folder.url("copy.store")
    try container.backup(to: copy)
    // A journal that cannot be opened.
    try FileManager.default.createDirectory(at: folder.url("copy.store-journal"), withIntermediateDirectories: true)
    let before = folder.bytes("copy.store")
    let error = #expect(throws: StoreError.self) { try container.backup(to: copy) }
    // Which of them depends on the file system.
    #expect(error.map { [.cannotOpen, .inputOutput].contains($0.code) } == true)
    #expect(error?.url == copy)
    let said = error?.explanation ?? ""
    #expect(said.hasPrefix("\(copy.path) cannot be replaced by the copy"), "\(said)")
    #expect(folder.bytes("copy.store") == before)
  }

  /// What is neither a file nor a link to one.
  @Test func aDeviceOrAPipeIsNotReplaced() throws {
    let container = try open(url)
    #expect(mkfifo(folder.url("pipe").path, 0o600) == 0)
    try FileManager.default.createSymbolicLink(atPath: folder.url("link").path, withDestinationPath: "pipe")
    for target in [folder.url("pipe"), folder.url("link")] {
      let error = #expect(throws: StoreError.self) { try container.backup(to: target) }
      #expect(error?.explanation.contains("is no file, but a device or a pipe") == true, "\(error?.explanation ?? "")")
    }
    let facts = try FileManager.default.attributesOfItem(atPath: folder.url("pipe").path)
    #expect(facts[.type] as? FileAttributeType != .typeRegular)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.url("link").path) == "pipe")
  }
}
