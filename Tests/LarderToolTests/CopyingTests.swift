import DurabilityWork
import Foundation
import LarderData
import LarderSQLite
import LarderSupport
import LarderTool
import SwiftData
import Testing

/// What a copy replaces, and what is left of one that did not come to its end.
@Suite struct CopyingTests {
  private let folder: WorkFolder

  init() throws {
    folder = try WorkFolder()
    try Fleet.fill(folder.file("fleet.store"))
  }

  private func run(_ words: String...) throws -> (end: ChildProcess.End, said: String) {
    let process = try ChildProcess("larder", words, output: folder.file(UUID().uuidString))
    let end = process.wait()
    return (end, process.printed)
  }

  private var parts: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder.path(".")).filter { $0.hasSuffix(".part") }
    }
  }

  @Test func whatIsThereIsReplacedOnlyIfSomebodySaysSo() throws {
    try Data("a letter".utf8).write(to: folder.file("copy"))
    let (end, said) = try run("backup", folder.path("fleet.store"), folder.path("copy"))
    #expect(end == .exit(1) && said.contains("--replace"), "\(said)")
    #expect(try Data(contentsOf: folder.file("copy")) == Data("a letter".utf8))
    try FileManager.default.removeItem(at: folder.file("copy"))
    #expect(try run("backup", folder.path("fleet.store"), folder.path("copy")).end == .exit(0))
    let before = try Data(contentsOf: folder.file("copy"))
    #expect(try run("backup", folder.path("fleet.store"), folder.path("copy")).end == .exit(1))
    #expect(try Data(contentsOf: folder.file("copy")) == before)
    let connection = try Connection(path: folder.path("fleet.store"))
    try connection.execute("DELETE FROM Vessel WHERE name = 'r1'")
    connection.close()
    #expect(try run("backup", "--replace", folder.path("fleet.store"), folder.path("copy")).end == .exit(0))
    #expect(try ModelContext(Fleet.open(folder.file("copy"))).fetchCount(FetchDescriptor<Vessel>()) == 14)
    #expect(try parts.isEmpty)
  }

  /// Else the last good copy would go as the store is found to be damaged.
  @Test func aDamagedCopyReplacesNothing() throws {
    let (store, copy) = (folder.path("fleet.store"), folder.path("copy"))
    #expect(try run("backup", store, copy).end == .exit(0))
    let before = try Data(contentsOf: folder.file("copy"))
    let connection = try Connection(path: store)
    try connection.execute(
      "DROP INDEX \"larder_index_larder_Sailor_vessels(target,target_order)\"; PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    let (end, said) = try run("backup", "--replace", store, copy)
    #expect(end == .exit(1), "\(said)")
    for part in ["larder_index_larder_Sailor_vessels", "\(store) is damaged", "\(copy) is as it was", "--unchecked"] {
      #expect(said.contains(part), "\(said)")
    }
    #expect(!said.contains(".part"), "\(said)")
    #expect(try Data(contentsOf: folder.file("copy")) == before)
    let new = try run("backup", store, folder.path("new"))
    #expect(new.end == .exit(1) && new.said.contains("was not made"), "\(new.said)")
    #expect(!folder.names.contains { $0.hasPrefix("new") || $0.contains(".part") }, "\(folder.names)")
    #expect(try run("backup", "--replace", "--unchecked", store, copy).end == .exit(0))
    #expect(try Data(contentsOf: folder.file("copy")) != before)
    #expect(try run("check", copy).end == .exit(1))
  }

  /// It is the copy that is in the way, and not the store.
  @Test func aCopyThatIsOpenIsNamed() throws {
    let (store, copy) = (folder.path("fleet.store"), folder.path("copy"))
    #expect(try run("backup", store, copy).end == .exit(0))
    let context = ModelContext(try Fleet.open(folder.file("copy")))
    #expect(try context.fetchCount(FetchDescriptor<Vessel>()) == 15)
    let (end, said) = try run("backup", "--replace", store, copy)
    #expect(end == .exit(1) && said.contains("\(copy) cannot be replaced by the copy: somebody has it open"), "\(said)")
    #expect(!said.contains(",,") && !said.contains(store), "\(said)")
    #expect(try context.fetchCount(FetchDescriptor<Vessel>()) == 15)
  }

  /// Pages that SQLite itself finds damaged.
  @Test func aCopyWithDamagedPagesReplacesNothing() throws {
    let (store, copy) = (folder.path("fleet.store"), folder.path("copy"))
    let connection = try Connection(path: store)
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let root = try #require(try connection.int64("SELECT rootpage FROM sqlite_schema WHERE name = 'Vessel'"))
    let size = try #require(try connection.int64("PRAGMA page_size"))
    connection.close()
    #expect(try run("backup", store, copy).end == .exit(0))
    let before = try Data(contentsOf: folder.file("copy"))
    var bytes = try Data(contentsOf: folder.file("fleet.store"))
    for place in Int((root - 1) * size)..<Int(root * size) { bytes[place] = 0xA5 }
    try bytes.write(to: folder.file("fleet.store"))
    let (end, said) = try run("backup", "--replace", store, copy)
    #expect(end == .exit(1) && said.contains("is damaged") && !said.contains(".part"), "\(said)")
    #expect(!said.contains("\\u{A}"), "\(said)")
    #expect(try Data(contentsOf: folder.file("copy")) == before)
  }

  /// By Ctrl-C, or a machine that is shut down.
  @Test(arguments: [true, false])
  func anInterruptedCopyLeavesNothing(_ isInterrupted: Bool) throws {
    let connection = try Connection(path: folder.path("fleet.store"))
    try connection.execute("CREATE TABLE ballast (bytes BLOB)")
    for _ in 0..<60 { try connection.execute("INSERT INTO ballast VALUES (randomblob(4194304))") }
    connection.close()
    let process = try ChildProcess(
      "larder", ["backup", folder.path("fleet.store"), folder.path("copy")], output: folder.file("said"))
    while try parts.isEmpty, !process.hasEnded { usleep(500) }
    if isInterrupted { process.interrupt() } else { process.terminate() }
    let end = process.wait()
    #expect(try parts.isEmpty)
    // It may have come too late.
    #expect(end == .exit(1) || FileManager.default.fileExists(atPath: folder.path("copy")))
  }

  /// What a command that was killed has left goes with the next one.
  @Test func whatIsLeftOfFormerCopiesGoes() throws {
    let left = "copy.\(UUID().uuidString).part"
    for name in [left, left + "-journal", "copy.of.mine.part", "other.\(UUID().uuidString).part"] {
      try Data("left".utf8).write(to: folder.file(name))
    }
    let written = try FileHandle(
      forWritingTo: {
        let held = folder.file("copy.\(UUID().uuidString).part")
        try Data("held".utf8).write(to: held)
        return held
      }())
    #expect(flock(written.fileDescriptor, LOCK_EX) == 0)
    #expect(try run("backup", folder.path("fleet.store"), folder.path("copy")).end == .exit(0))
    // That which somebody writes stays, and what is none.
    #expect(try parts.count == 3 && !parts.contains(left))
    #expect(!folder.names.contains(left + "-journal"))
    try written.close()
    #expect(try run("export", folder.path("fleet.store"), folder.path("other")).end == .exit(0))
    #expect(try parts.count == 2 && parts.contains("copy.of.mine.part"))
  }

  /// Its name is on the disk then, too.
  @Test func anExportIsHeldUntilItHasItsName() throws {
    let held = Locked<[Bool]>([])
    let synced = Locked<[String]>([])
    let watch = DurableFileIO.Observer(
      willRename: { from, _ in
        let descriptor = open(from, O_RDWR)
        held.withLock { $0.append(descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) != 0) }
        close(descriptor)
        return 0
      },
      didSync: { folder in synced.withLock { $0.append(folder) } })
    let terminal = Terminal(output: .nullDevice, errors: .nullDevice, isInteractive: false)
    let lines = folder.path("lines")
    DurableFileIO.$observer.withValue(watch) {
      #expect(Tool(terminal).run(["export", folder.path("fleet.store"), lines]) == .success)
    }
    #expect(held.withLock { $0 } == [true])
    #expect(synced.withLock { $0 } == [String(lines.prefix(lines.count - "/lines".count))])
    #expect(try run("export", folder.path("fleet.store")).said == String(contentsOfFile: lines, encoding: .utf8))
    #expect(try parts.isEmpty)
  }

  @Test func anExportThatCannotHaveItsNameLeavesNothing() throws {
    let watch = DurableFileIO.Observer(willRename: { _, _ in EACCES })
    let pipe = Pipe()
    let terminal = Terminal(output: .nullDevice, errors: pipe.fileHandleForWriting, isInteractive: false)
    let lines = folder.path("lines")
    DurableFileIO.$observer.withValue(watch) {
      #expect(Tool(terminal).run(["export", folder.path("fleet.store"), lines]) == .failure)
    }
    try pipe.fileHandleForWriting.close()
    let said = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    #expect(said.contains("\(lines) cannot be written: Permission denied. It was not made."), "\(said)")
    #expect(!FileManager.default.fileExists(atPath: lines))
    #expect(try parts.isEmpty)
  }

  @Test func theVersionIsSaid() throws {
    for word in ["--version", "version"] {
      let (end, said) = try run(word)
      #expect(end == .exit(0) && said.hasPrefix("larder ") && said.contains("format"), "\(said)")
    }
  }

  @Test func inspectNamesToManys() throws {
    let (_, said) = try run("inspect", folder.path("fleet.store"))
    #expect(said.contains("  cargo: → Cargo, to many") && said.contains("  vessels: → Vessel, to many"), "\(said)")
    struct Summary: Decodable {
      struct Relationship: Decodable, Equatable {
        var name: String
        var destination: String
        var isToMany: Bool
      }
      struct Entity: Decodable {
        var name: String
        var relationships: [Relationship]
      }
      var entities: [Entity]
    }
    let json = try run("inspect", "--json", folder.path("fleet.store")).said
    let summary = try JSONDecoder().decode(Summary.self, from: Data(json.utf8))
    let cargo = try #require(summary.entities.first { $0.name == "Cargo" })
    #expect(cargo.relationships.map(\.name) == ["vessel"] && cargo.relationships[0].isToMany == false)
    let sailor = try #require(summary.entities.first { $0.name == "Sailor" })
    #expect(
      sailor.relationships == [Summary.Relationship(name: "vessels", destination: "Vessel", isToMany: true)])
  }

  /// Nor is one told to replace it.
  @Test(arguments: ["-wal", "-signal", ".former"])
  func whatBelongsToTheStoreIsNotReplaced(_ suffix: String) throws {
    let store = folder.path("fleet.store")
    try Data("log".utf8).write(to: folder.file("fleet.store" + suffix))
    let before = try Data(contentsOf: folder.file("fleet.store"))
    for words in [[], ["--replace"]] {
      let process = try ChildProcess(
        "larder", ["backup"] + words + [store, store + suffix], output: folder.file(UUID().uuidString))
      #expect(process.wait() == .exit(1))
      #expect(process.printed.contains("belongs to \(store)"), "\(process.printed)")
      #expect(!process.printed.contains("--replace"), "\(process.printed)")
    }
    #expect(try Data(contentsOf: folder.file("fleet.store")) == before)
    #expect(try parts.isEmpty)
  }
}
