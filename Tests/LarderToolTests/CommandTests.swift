import DurabilityWork
import Foundation
import LarderSQLite
import SwiftData
import Testing

/// The command as somebody types it.
@Suite struct CommandTests {
  private let folder: WorkFolder

  init() throws {
    folder = try WorkFolder()
    try Fleet.fill(folder.file("fleet.store"))
  }

  private func run(_ words: String...) throws -> (end: ChildProcess.End, said: String) {
    let output = folder.file(UUID().uuidString)
    let process = try ChildProcess("larder", words, output: output)
    let end = process.wait()
    return (end, process.printed)
  }

  @Test func inspectSaysWhatIsThere() throws {
    let (end, said) = try run("inspect", folder.path("fleet.store"))
    #expect(end == .exit(0))
    for part in [
      "Vessel (15 rows)", "Crane: Cargo (6 rows)", "unique: name", "index: built", "history: 2 transactions",
    ] {
      #expect(said.contains(part), "\(said)")
    }
    struct Summary: Decodable {
      struct Entity: Decodable {
        var name: String
        var rows: Int
      }
      var entities: [Entity]
      var version: String
    }
    let json = try run("inspect", "--json", folder.path("fleet.store"))
    let summary = try JSONDecoder().decode(Summary.self, from: Data(json.said.utf8))
    #expect(summary.entities.first { $0.name == "Vessel" }?.rows == 15)
    #expect(summary.version == "1.0.0")
  }

  @Test func checkFindsWhatIsWrong() throws {
    let well = try run("check", folder.path("fleet.store"))
    #expect(well.end == .exit(0) && well.said.contains("nothing is wrong"))
    let connection = try Connection(path: folder.path("fleet.store"))
    try connection.execute("DELETE FROM Vessel WHERE name = 'v1'")
    connection.close()
    let (end, said) = try run("check", folder.path("fleet.store"), "--json")
    #expect(end == .exit(1))
    struct Finding: Decodable { var kind: String }
    #expect(try JSONDecoder().decode([Finding].self, from: Data(said.utf8)).contains { $0.kind == "missingReference" })
  }

  /// A store by the name of another one's log would be taken for that.
  @Test(arguments: ["-wal", "-shm", "-journal", "-signal"])
  func importMakesNoStoreByTheNameOfWhatBelongsToAnother(_ end: String) throws {
    #expect(try run("export", folder.path("fleet.store"), folder.path("lines")).end == .exit(0))
    for folderName in ["", "../\(folder.file(".").standardizedFileURL.lastPathComponent)/"] {
      let target = folder.path(folderName + "fleet.store" + end)
      let wasThere = FileManager.default.fileExists(atPath: target)
      let (exit, said) = try run("import", folder.path("lines"), target)
      #expect(exit == .exit(1) && said.contains("belongs to"), "\(said)")
      #expect(FileManager.default.fileExists(atPath: target) == wasThere)
    }
  }

  @Test func checkOfASoundStoreIsAnEmptyList() throws {
    let (end, said) = try run("check", "--json", folder.path("fleet.store"))
    #expect(end == .exit(0) && said == "[]\n")
  }

  /// A row of a class that the store does not have is named, with what it should be of.
  @Test func checkNamesRowsOfUnknownClasses() throws {
    let connection = try Connection(path: folder.path("fleet.store"))
    try connection.execute(
      "PRAGMA ignore_check_constraints = ON; UPDATE Cargo SET larder_class = 'Krane' WHERE larder_id = "
        + "(SELECT min(larder_id) FROM Cargo WHERE larder_class = 'Crane')")
    let row = try #require(try connection.int64("SELECT larder_id FROM Cargo WHERE larder_class = 'Krane'"))
    connection.close()
    let (end, said) = try run("check", folder.path("fleet.store"))
    #expect(end == .exit(1))
    let lines = said.split(separator: "\n")
    let words = "Row \(row) of \"Cargo\" is of the class \"Krane\""
    #expect(lines.contains { $0.contains(words) && $0.contains("Crane") }, "\(said)")
  }

  /// Each finding is a line, and says in words what SQLite says in its own.
  @Test func checkExplainsADamagedFile() throws {
    let connection = try Connection(path: folder.path("fleet.store"))
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let roots = try ["Vessel", "Sailor"].map { name in
      try #require(try connection.int64("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'"))
    }
    connection.close()
    var bytes = try Data(contentsOf: folder.file("fleet.store"))
    for root in roots { for place in 0..<64 { bytes[(Int(root) - 1) * 4_096 + place] = 0xA5 } }
    try bytes.write(to: folder.file("damaged.store"))
    let (end, said) = try run("check", folder.path("damaged.store"))
    #expect(end == .exit(1))
    let lines = said.split(separator: "\n")
    for root in roots {
      #expect(lines.contains { $0.hasPrefix("Page \(root) of the file cannot be read") }, "\(said)")
    }
    #expect(!said.contains("***") && !said.contains("damagedFile") && lines.allSatisfy { $0.contains(" ") })
  }

  /// What cannot even be opened is a finding, and so is what lies beside the models' own tables.
  @Test func checkNamesWhatIsDamaged() throws {
    let connection = try Connection(path: folder.path("fleet.store"))
    try connection.execute(
      "DROP INDEX \"larder_index_larder_Sailor_vessels(target,target_order)\"; PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    let index = try run("check", folder.path("fleet.store"))
    #expect(index.end == .exit(1) && index.said.contains("larder_index_larder_Sailor_vessels(target,target_order)"))
    var bytes = try Data(contentsOf: folder.file("fleet.store"))
    for place in 4_096..<bytes.count { bytes[place] = 0xA5 }
    try bytes.write(to: folder.file("damaged.store"))
    struct Finding: Decodable { var kind: String }
    let (end, said) = try run("check", "--json", folder.path("damaged.store"))
    #expect(end == .exit(1))
    let found = try JSONDecoder().decode([Finding].self, from: Data(said.utf8))
    #expect(!found.isEmpty && found.allSatisfy { $0.kind == "damagedFile" }, "\(said)")
  }

  @Test func backupAndTransferMakeStores() throws {
    #expect(try run("backup", folder.path("fleet.store"), folder.path("copy.store")).end == .exit(0))
    #expect(try run("export", folder.path("fleet.store"), folder.path("lines")).end == .exit(0))
    #expect(try run("import", folder.path("lines"), folder.path("other.store")).end == .exit(0))
    for name in ["copy.store", "other.store"] {
      #expect(try ModelContext(Fleet.open(folder.file(name))).fetchCount(FetchDescriptor<Vessel>()) == 15)
    }
    let streamed = try run("export", folder.path("fleet.store"))
    #expect(try Data(streamed.said.utf8) == Data(contentsOf: folder.file("lines")))
  }

  @Test func mistakesAreSaid() throws {
    for words in [
      [], ["inspect"], ["nonsense"], ["check", "--nonsense", "x"], ["backup", "a"], ["inspect", "a", "b"],
    ] {
      let output = folder.file(UUID().uuidString)
      let process = try ChildProcess("larder", words, output: output)
      #expect(process.wait() == .exit(2), "\(words)")
      #expect(process.printed.contains("larder --help"), "\(words)")
    }
    let help = try run("--help")
    #expect(help.end == .exit(0) && help.said.contains("usage: larder"))
    let none = try run("inspect", folder.path("nothing.store"))
    #expect(none.end == .exit(1) && none.said.contains("There is no file"))
    #expect(!FileManager.default.fileExists(atPath: folder.path("nothing.store")))
    try Data("no store".utf8).write(to: folder.file("letter"))
    #expect(try run("check", folder.path("letter")).end == .exit(1))
    let there = try run("export", folder.path("fleet.store"), folder.path("letter"))
    #expect(there.end == .exit(1) && there.said.contains("already"))
    for end in ["-journal", ".former", ".stage"] {
      let beside = folder.path("fleet.store\(end)")
      let refused = try run("export", folder.path("fleet.store"), beside)
      #expect(refused.end == .exit(1) && refused.said.contains("belongs to"))
      #expect(!FileManager.default.fileExists(atPath: beside))
    }
  }

  /// What a file says cannot steer the terminal that shows it.
  @Test func namesThatSteerAreWrittenOut() throws {
    let name = "built\u{1B}[2J\u{9B}31m\u{202E}\u{7F}\nx"
    let connection = try Connection(path: folder.path("fleet.store"))
    let coded = String(decoding: try JSONEncoder().encode(name).dropFirst().dropLast(), as: UTF8.self)
    try connection.withStatement(
      for: "UPDATE larder_store SET value = replace(value, '\"property\":\"built\"', ?1) WHERE key = 'schema'"
    ) { statement in
      statement.bind(1, "\"property\":\"\(coded)\"")
      try statement.run()
    }
    connection.close()
    let steering: [Unicode.Scalar] = ["\u{1B}", "\u{9B}", "\u{202E}", "\u{7F}"]
    for words in [["inspect"], ["inspect", "--json"], ["inspect", "--schema"]] {
      let process = try ChildProcess(
        "larder", words + [folder.path("fleet.store")], output: folder.file(UUID().uuidString))
      #expect(process.wait() == .exit(0))
      #expect(!process.printed.unicodeScalars.contains(where: steering.contains), "\(words)")
      #expect(
        process.printed.contains(words.count > 1 ? "\\u009b31m" : "built\\u{1B}[2J\\u{9B}31m\\u{202E}\\u{7F}\\u{A}x"))
    }
    struct Summary: Decodable {
      struct Property: Decodable { var name: String }
      struct Entity: Decodable { var properties: [Property] }
      var entities: [Entity]
    }
    let said = try run("inspect", "--json", folder.path("fleet.store")).said
    let summary = try JSONDecoder().decode(Summary.self, from: Data(said.utf8))
    #expect(summary.entities.flatMap(\.properties).contains { $0.name == name })
    // Nor can a name that somebody was made to type.
    #expect(!(try run("inspect", "no\u{1B}[2Jfile").said.unicodeScalars.contains("\u{1B}")))
  }
}
