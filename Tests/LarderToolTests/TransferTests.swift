import DurabilityWork
import Foundation
import LarderData
import LarderSQLite
import LarderTool
import SwiftData
import Testing

/// What is exported is imported as it was.
@Suite struct TransferTests {
  private let folder: WorkFolder

  init() throws {
    folder = try WorkFolder()
    try Fleet.fill(folder.file("fleet.store"))
  }

  private func export(_ store: String, _ name: String) throws -> Data {
    let url = folder.file(name)
    _ = FileManager.default.createFile(atPath: url.path, contents: nil)
    var options = SQLiteStore.Options(url: folder.file(store))
    options.isReadOnly = true
    let output = try FileHandle(forWritingTo: url)
    _ = try StoreExport(try SQLiteStore.open(options, layouts: []), to: output).run()
    try output.close()
    return try Data(contentsOf: url)
  }

  private func importing(_ name: String, _ store: String, batch: Int = 7, limit: Int = .max) throws -> Int {
    struct Interrupted: Error {}
    let file = try FileHandle(forReadingFrom: folder.file(name))
    return try StoreImport(file, to: folder.path(store), batchSize: batch) { if $0 >= limit { throw Interrupted() } }
      .run()
  }

  @Test func anImportIsTheStore() throws {
    let lines = try export("fleet.store", "lines")
    let rows = try importing("lines", "copy.store")
    #expect(rows > 30)
    #expect(try export("copy.store", "again") == lines)
    let (one, other) = (try Fleet.open(folder.file("fleet.store")), try Fleet.open(folder.file("copy.store")))
    #expect(try other.integrityCheck().isEmpty)
    let (first, second) = (ModelContext(one), ModelContext(other))
    let sorted = FetchDescriptor<Vessel>(sortBy: [SortDescriptor(\.name)])
    let vessels = Array(zip(try first.fetch(sorted), try second.fetch(sorted)))
    #expect(vessels.count == 15)
    for (left, right) in vessels {
      #expect(left.persistentModelID == right.persistentModelID)
      #expect(left.built == right.built && left.length == right.length && left.notes == right.notes)
      #expect(left.image == right.image && left.chart == right.chart && left.tags == right.tags)
      #expect(left.cargo.map(\.label) == right.cargo.map(\.label))
      #expect(left.crew.map(\.name) == right.crew.map(\.name))
    }
    #expect(
      try first.fetch(FetchDescriptor<Crane>()).map(\.tonnes) == second.fetch(FetchDescriptor<Crane>()).map(\.tonnes))
    let descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    #expect(try first.fetchHistory(descriptor).map(\.author) == second.fetchHistory(descriptor).map(\.author))
    // It goes on as any store does.
    second.insert(Vessel("new"))
    try second.save()
    #expect(try second.fetchCount(FetchDescriptor<Vessel>()) == 16)
  }

  /// Wherever it stops, it goes on, and no row comes twice.
  @Test func anInterruptedImportGoesOn() throws {
    let lines = try export("fleet.store", "lines")
    let all = try importing("lines", "whole.store")
    for limit in stride(from: 1, to: all, by: 9) {
      #expect(throws: (any Error).self) { try importing("lines", "part.store", limit: limit) }
      #expect(throws: StoreError.self) { try Fleet.open(folder.file("part.store")) }
    }
    #expect(try importing("lines", "part.store") == all)
    #expect(try export("part.store", "again") == lines)
  }

  /// Columns that no model knows of, with what somebody has written there.
  @Test func columnsThatWereAddedByHandAreTaken() throws {
    let connection = try Connection(path: folder.path("fleet.store"))
    try connection.execute(
      "ALTER TABLE Vessel ADD COLUMN \"a remark\" TEXT NOT NULL DEFAULT 'none'; ALTER TABLE Cargo ADD COLUMN colour ANY; "
        + "ALTER TABLE larder_history ADD COLUMN seen INTEGER; UPDATE Vessel SET \"a remark\" = 'fine' WHERE name = 'v1'; "
        + "UPDATE Cargo SET colour = 7.5; CREATE TABLE own (x)")
    connection.close()
    let lines = try export("fleet.store", "lines")
    let all = try importing("lines", "copy.store")
    let again = try export("copy.store", "again")
    #expect(all > 30 && again == lines)
    let made = try Connection(path: folder.path("copy.store"), access: .readOnly)
    #expect(try made.int64("SELECT count(*) FROM Vessel WHERE \"a remark\" = 'fine'") == 1)
    #expect(try made.int64("SELECT count(*) FROM Cargo WHERE colour <> 7.5") == 0)
    made.close()
    #expect(try Fleet.open(folder.file("copy.store")).integrityCheck().isEmpty)
    // Also where it was interrupted.
    for limit in stride(from: 1, to: all, by: 13) {
      #expect(throws: (any Error).self) { try importing("lines", "part.store", limit: limit) }
    }
    #expect(try importing("lines", "part.store") == all)
    #expect(try export("part.store", "third") == lines)
    for (type, reason) in [("TEXT); DROP TABLE Cargo; --", "none of a store's"), ("", "none of a store's")] {
      let hostile = String(decoding: lines, as: UTF8.self).replacing(#""colour":"ANY""#, with: #""colour":"\#(type)""#)
      try Data(hostile.utf8).write(to: folder.file("hostile"))
      let error = #expect(throws: ToolError.self) { try importing("hostile", "hostile\(type.count).store") }
      #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }
  }

  /// Also among those that an interrupted import has read already.
  @Test func tooLongALineIsNamed() throws {
    let lines = try export("fleet.store", "lines")
    #expect(throws: (any Error).self) { try importing("lines", "part.store", limit: 5) }
    let header = try #require(lines.split(separator: UInt8(ascii: "\n")).first)
    try (header + Data("\n".utf8) + Data(repeating: UInt8(ascii: "x"), count: 3 << 20))
      .write(to: folder.file("long"))
    for name in ["part.store", "new.store"] {
      let error = #expect(throws: ToolError.self) {
        try StoreImport(
          try FileHandle(forReadingFrom: folder.file("long")), to: folder.path(name), maximumLineLength: 1 << 20
        ).run()
      }
      #expect(error?.description.contains("Line 2 is longer") == true)
    }
  }

  @Test func whatIsThereIsLeftAlone() throws {
    _ = try export("fleet.store", "lines")
    #expect(throws: ToolError.self) { try importing("lines", "fleet.store") }
    #expect(try ModelContext(Fleet.open(folder.file("fleet.store"))).fetchCount(FetchDescriptor<Vessel>()) == 15)
    // Nor is one export mixed with another.
    #expect(throws: (any Error).self) { try importing("lines", "part.store", limit: 5) }
    try ModelContext(Fleet.open(folder.file("fleet.store"))).delete(model: Sailor.self)
    let other = try WorkFolder()
    try Fleet.fill(other.file("fleet.store"))
    var options = SQLiteStore.Options(url: other.file("fleet.store"))
    options.isReadOnly = true
    _ = FileManager.default.createFile(atPath: folder.path("others"), contents: nil)
    _ = try StoreExport(
      try SQLiteStore.open(options, layouts: []), to: try FileHandle(forWritingTo: folder.file("others"))
    ).run()
    #expect(throws: ToolError.self) { try importing("others", "part.store") }
  }

  /// What somebody may have put in, and a part of what is said of it.
  private static let nonsense: [(line: String, reason: String)] = [
    (#"["#, "Line 4"), (#"[1,2"#, "Line 4"), (#"[1,1,"a"]]"#, "Line 4"), (#"nonsense"#, "Line 4"), ("[1]", "values"),
    (#"{"table":"sqlite_schema","columns":["sql"]}"#, "names a table"),
    (#"{"table":"larder_import","columns":["state"]}"#, "names a table"),
    (#"{"table":"Vessel","columns":["name","name"]}"#, "names columns"),
    (#"{"table":"Vessel","columns":["name"],"added":{"NAME":"TEXT"}}"#, "cannot be"),
    (#"{"rows":0}"#, "says that there are"),
    (#"[99999999999999999999,1]"#, "which is none"), (#"[{"blob":"!"},1]"#, "Base64"),
    (#"["\ud800",1]"#, "where one must be"), (#"["\udc00",1]"#, "half"),
    ("[\"\u{1}\",1]", "control"), (#"[1e999,1]"#, "which is none"),
  ]

  @Test(arguments: nonsense)
  func linesThatAreNoneAreErrors(_ line: String, _ reason: String) throws {
    let text = String(decoding: try export("fleet.store", "lines"), as: UTF8.self)
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    lines.insert(line, at: 3)
    try Data(lines.joined(separator: "\n").utf8).write(to: folder.file("bad"))
    let error = #expect(throws: ToolError.self) { try importing("bad", "bad.store") }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    #expect(throws: StoreError.self) { try Fleet.open(folder.file("bad.store")) }
  }

  /// Another export of the same store, made later, is another one.
  @Test func anImportGoesOnWithItsOwnExportAlone() throws {
    _ = try export("fleet.store", "lines")
    #expect(throws: (any Error).self) { try importing("lines", "part.store", limit: 9) }
    let context = ModelContext(try Fleet.open(folder.file("fleet.store")))
    // Of what has been read already.
    for cargo in try context.fetch(FetchDescriptor<Cargo>()) { cargo.label += ", edited" }
    try context.save()
    _ = try export("fleet.store", "later")
    let error = #expect(throws: ToolError.self) { try importing("later", "part.store") }
    #expect(error?.description.contains("another export") == true)
    #expect(try importing("lines", "part.store") > 30)
  }

  /// A name is a name, whatever is in it: a quote and a combining mark are one character of Swift's, and two of SQL's.
  @Test func namesRunNothing() throws {
    let text = String(decoding: try export("fleet.store", "lines"), as: UTF8.self)
    for mark in ["\u{301}", "\u{200D}", ""] {
      let name = "a\\\"\(mark)); CREATE TABLE owned (x); --"
      // Of the schema, which is a text within the first line.
      let end = text.firstIndex(of: "\n") ?? text.endIndex
      let header = text[..<end].replacing(
        "\\\"name\\\":\\\"built\\\"", with: "\\\"name\\\":\\\"\(name.replacing("\\", with: "\\\\\\"))\\\"")
      #expect(header != text[..<end])
      try Data((header + text[end...]).utf8).write(to: folder.file("hostile"))
      _ = try? importing("hostile", "hostile.store")
      let made = try Connection(path: folder.path("hostile.store"))
      #expect(try made.int64("SELECT count(*) FROM sqlite_schema WHERE name = 'Vessel'") == 1)
      #expect(try made.int64("SELECT count(*) FROM sqlite_schema WHERE name = 'owned'") == 0)
      made.close()
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: folder.path("hostile.store") + suffix)
      }
    }
    #expect(StoreFormat.quoted("a\"\u{301}") == "\"a\"\"\u{301}\"" && StoreFormat.quoted("a\"\u{301}").utf8.count == 7)
    #expect(StoreFormat.literal("a'\u{301}").utf8.count == 7)
  }

  @Test func anExportThatBreaksOffIsSaid() throws {
    let lines = try export("fleet.store", "lines")
    for part in [0, 10, lines.count / 2, lines.count - 3] {
      try lines.prefix(part).write(to: folder.file("part"))
      #expect(throws: ToolError.self) { try importing("part", "part\(part).store") }
    }
  }

  /// In words of the command's, and not of what reads JSON.
  @Test func aFileThatIsNoExportIsSaidToBeThat() throws {
    let texts = ["a letter\n", "{}\n", #"[{"name":"a"}]"#, #"{"larder":1,"store":"2","entries":[]}"#, "\u{1}\u{2}"]
    for (place, text) in texts.enumerated() {
      try Data(text.utf8).write(to: folder.file("other"))
      let error = #expect(throws: ToolError.self) { try importing("other", "\(place).store") }
      let said = error?.description ?? ""
      #expect(said.hasPrefix("This is no export of larder's: line 1 should say"), "\(said)")
      #expect(said.contains("larder export STORE FILE") && !said.contains("odingKey"), "\(said)")
      #expect(!FileManager.default.fileExists(atPath: folder.path("\(place).store")))
    }
    let store = #expect(throws: ToolError.self) { try importing("fleet.store", "copy.store") }
    #expect(store?.description.hasPrefix("This is a database, and no export") == true, "\(store?.description ?? "")")
    let text = String(decoding: try export("fleet.store", "lines"), as: UTF8.self)
    try Data(text.replacing(#""key":"schema","text":"["#, with: #""key":"schema","text":"{"#).utf8)
      .write(to: folder.file("other"))
    let schema = #expect(throws: ToolError.self) { try importing("other", "schema.store") }
    #expect(schema?.description.contains("its schema is none of a store's") == true, "\(schema?.description ?? "")")
  }

  /// A row that refers to none, and one that is there twice, are found in the end.
  @Test func rowsThatDoNotFitAreRefused() throws {
    let text = String(decoding: try export("fleet.store", "lines"), as: UTF8.self)
    let lines = text.split(separator: "\n").map(String.init)
    let table = try #require(lines.firstIndex { $0.contains(#""table":"Vessel""#) })
    var fewer = lines
    fewer.remove(at: table + 1)
    let end = try #require(fewer.last)
    let rows = try #require(Int(end.filter(\.isNumber)))
    fewer[fewer.count - 1] = #"{"rows":\#(rows - 1)}"#
    try Data(fewer.joined(separator: "\n").utf8).write(to: folder.file("fewer"))
    let error = #expect(throws: ToolError.self) { try importing("fewer", "fewer.store") }
    #expect(error?.description.contains("refer to rows") == true, "\(error?.description ?? "")")
    // The first cargo, whose vessel is the one that is not there.
    let cargo = try #require(fewer.firstIndex { $0.contains(#""table":"Cargo""#) }) + 2
    #expect(error?.description.contains("line \(cargo) to larder_id") == true, "\(error?.description ?? "")")
    #expect(error?.description.contains("of Vessel, by vessel") == true, "\(error?.description ?? "")")
  }

  /// Numbers from which no save could go on, also as what SQLite makes a number of.
  @Test(arguments: ["9223372036854775807", "2305843009213693953", "9.2e18", "\"9223372036854775807\"", "null"])
  func numbersWithoutRoomForMoreAreRefused(_ number: String) throws {
    for (table, place, name) in [("larder_history", 0, "number"), ("Vessel", 1, "larder_version")] {
      var lines = try lines()
      let header = try #require(lines.firstIndex { $0.contains(#""table":"\#(table)""#) })
      var values = lines[header + 1].dropFirst().split(separator: ",", maxSplits: 2).map(String.init)
      values[place] = number
      lines[header + 1] = "[" + values.joined(separator: ",")
      try Data(lines.joined(separator: "\n").utf8).write(to: folder.file("large"))
      let error = #expect(throws: ToolError.self) { try importing("large", "\(table).store") }
      let said = error?.description ?? ""
      #expect(said.hasPrefix("Line \(header + 2) has ") && said.contains("as \(name)"), "\(said)")
      #expect(throws: StoreError.self) { try Fleet.open(folder.file("\(table).store")) }
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: folder.path("\(table).store") + suffix)
      }
    }
  }

  @Test(arguments: ["9223372036854775807", "-1"])
  func bookkeepingWithoutRoomForMoreIsRefused(_ number: String) throws {
    let text = String(decoding: try export("fleet.store", "lines"), as: UTF8.self)
    let large = text.replacing(#""entries":["#, with: #""entries":[{"integer":\#(number),"key":"history_deleted"},"#)
    #expect(large != text)
    try Data(large.utf8).write(to: folder.file("large"))
    let error = #expect(throws: ToolError.self) { try importing("large", "large.store") }
    #expect(error?.description.contains("history_deleted is \(number)") == true, "\(error?.description ?? "")")
    #expect(!FileManager.default.fileExists(atPath: folder.path("large.store")))
  }

  /// Saves go on from there. So they do with identifiers of any size, which count nothing.
  @Test func theLargestNumbersAreTaken() throws {
    let connection = try Connection(path: folder.path("fleet.store"))
    try connection.execute(
      "UPDATE larder_history SET number = 2305843009213693942 WHERE number = (SELECT max(number) FROM larder_history); "
        + "UPDATE Vessel SET larder_version = 2305843009213693952 WHERE name = 'r1'; "
        + "UPDATE Vessel SET larder_id = 3000000000000000000 WHERE name = 'r2'")
    connection.close()
    let lines = try export("fleet.store", "lines")
    _ = try importing("lines", "copy.store")
    #expect(try export("copy.store", "again") == lines)
    let container = try Fleet.open(folder.file("copy.store"))
    #expect(try container.integrityCheck() == [])
    let context = ModelContext(container)
    for vessel in try context.fetch(FetchDescriptor<Vessel>()) { vessel.notes = "saved" }
    try context.save()
    #expect(try container.integrityCheck() == [])
  }

  private func lines() throws -> [String] {
    String(decoding: try export("fleet.store", "lines"), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Both, by what they agree in; and what is to be done with the store, since the export that is corrected is another.
  @Test func rowsThatAgreeAreNamedByTheirLines() throws {
    var lines = try lines()
    let row = try #require(lines.firstIndex { $0.contains("\"v1\"") })
    let other = try #require(lines.firstIndex { $0.contains("\"v4\"") })
    lines[other] = lines[other].replacing("\"v4\"", with: "\"v1\"")
    let text = lines.joined(separator: "\n")
    try Data(text.utf8).write(to: folder.file("twice"))
    let error = #expect(throws: ToolError.self) { try importing("twice", "twice.store") }
    let said = error?.description ?? ""
    #expect(said.contains("rows of Vessel") && said.contains("name must be unique"), "\(said)")
    #expect(said.contains("lines \(row + 1) and \(other + 1) with 'v1'"), "\(said)")
    #expect(said.contains("correct the export, delete \(folder.path("twice.store"))"), "\(said)")
    // Once more, as an import that goes on; and through a pipe, which cannot be read again.
    let again = #expect(throws: ToolError.self) { try importing("twice", "twice.store") }
    #expect(again?.description == said)
    let pipe = Pipe()
    let writer = Thread {
      try? pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
      try? pipe.fileHandleForWriting.close()
    }
    writer.start()
    let piped = #expect(throws: ToolError.self) {
      try StoreImport(pipe.fileHandleForReading, to: folder.path("piped.store")).run()
    }
    #expect(piped?.description.contains("rows larder_id") == true, "\(piped?.description ?? "")")
    #expect(piped?.description.contains("with 'v1'") == true, "\(piped?.description ?? "")")
  }

  @Test func pairsThatLeadNowhereAreNamedByTheirLines() throws {
    var lines = try lines()
    let table = try #require(lines.firstIndex { $0.contains(#""table":"larder_Sailor_vessels""#) })
    let header = try JSONDecoder().decode(Header.self, from: Data(lines[table].utf8))
    let pair = try JSONDecoder().decode([Int64].self, from: Data(lines[table + 1].utf8))
    let row = zip(header.columns, pair).map { $0 == "source" ? "77777" : String($1) }
    lines.insert("[\(row.joined(separator: ","))]", at: table + 1)
    let end = try #require(lines.last)
    let rows = try #require(Int(end.filter(\.isNumber)))
    lines[lines.count - 1] = #"{"rows":\#(rows + 1)}"#
    try Data(lines.joined(separator: "\n").utf8).write(to: folder.file("pairs"))
    let error = #expect(throws: ToolError.self) { try importing("pairs", "pairs.store") }
    let said = error?.description ?? ""
    #expect(said.contains("line \(table + 2) to larder_id 77777 of Sailor, by source"), "\(said)")
  }

  private struct Header: Decodable { var columns: [String] }

  /// It is none of another program's, and there is a way on.
  @Test func anUnfinishedImportIsSaidToBeThat() throws {
    _ = try export("fleet.store", "lines")
    #expect(throws: (any Error).self) { try importing("lines", "part.store", limit: 9) }
    let before = folder.bytes("part.store")
    let error = #expect(throws: StoreError.self) { try Fleet.open(folder.file("part.store")) }
    #expect(error?.code == .unfinishedImport)
    for command in ["inspect", "check"] {
      let process = try ChildProcess("larder", [command, folder.path("part.store")], output: folder.file(command))
      #expect(process.wait() == .exit(1))
      let said = process.printed
      #expect(said.contains("is not finished") && said.contains("larder import FILE STORE again"), "\(said)")
      #expect(!said.contains("another program"), "\(said)")
    }
    #expect(folder.bytes("part.store") == before)
  }
}
