import Foundation
import LarderData
import LarderSQLite
import Patience
import SwiftData
import Testing

@Model
final class Depot {
  var first: Handcart?
  var all: [Handcart] = []

  init() {}
}

@Model
class Cart {
  init() {}
}

@Model
final class Handcart: Cart {
  override init() { super.init() }
}

/// Damage of each kind is found, and named.
@Suite struct IntegrityTests {
  private func damaged(_ place: StoreLocation, _ sql: String) throws -> [IntegrityProblem] {
    let store = try TestStore(place, Sensor.self, Family.self, Consignment.self, Exhibit.self, Statue.self)
    let family = Family(name: "f")
    family.members = [Member(name: "a")]
    _ = try store.saved([
      Sensor("s"), family, Consignment("c", scan: Data([1])), Exhibit(1), Statue(2, scan: Data([2])),
    ])
    #expect(try store.container.integrityCheck() == [])
    let progress = Progress(totalUnitCount: -1)
    _ = try store.container.integrityCheck(progress: progress)
    #expect(progress.completedUnitCount >= 6)
    #expect(progress.totalUnitCount == progress.completedUnitCount && progress.isFinished)
    try store.execute(sql)
    return try store.container.integrityCheck()
  }

  @Test(arguments: StoreLocation.allCases)
  func missingRowsAreFound(_ place: StoreLocation) throws {
    let problems = try damaged(place, "PRAGMA foreign_keys = OFF; DELETE FROM Family; PRAGMA foreign_keys = ON")
    #expect(problems.map(\.kind) == [.missingReference])
    #expect(problems.first?.entityName == "Member" && problems.first?.row != nil)
    #expect(problems.first?.explanation.contains("\"Family\"") == true)
  }

  /// A reference of the database leads to the table of a class and of those that inherit from it.
  @Test(arguments: StoreLocation.allCases)
  func rowsOfAnotherClassThanReferredToAreFound(_ place: StoreLocation) throws {
    let store = try TestStore(place, Depot.self, Cart.self, Handcart.self)
    let depot = Depot()
    let (cart, handcart) = (Cart(), Handcart())
    _ = try store.saved([depot, cart, handcart])
    depot.first = handcart
    depot.all = [handcart]
    try depot.modelContext?.save()
    #expect(try store.container.integrityCheck() == [])
    let (wrong, right) = (cart._$header.pointee.rowID, handcart._$header.pointee.rowID)
    try store.execute("UPDATE Depot SET first = \(wrong); UPDATE larder_Depot_all SET target = \(wrong)")
    let problems = try store.container.integrityCheck()
    #expect(problems.map(\.kind) == [.missingReference, .missingReference])
    #expect(problems.allSatisfy { $0.entityName == "Depot" && $0.row == depot._$header.pointee.rowID })
    #expect(problems.allSatisfy { $0.explanation.contains("row \(wrong), which is of the class Cart and no Handcart") })
    try store.execute("UPDATE Depot SET first = \(right); UPDATE larder_Depot_all SET target = \(right)")
    #expect(try store.container.integrityCheck() == [])
  }

  @Test(arguments: StoreLocation.allCases)
  func unreadableValuesAreFound(_ place: StoreLocation) throws {
    let problems = try damaged(place, "UPDATE Consignment SET marks = 'no list'")
    #expect(problems.map(\.kind) == [.unreadableValue])
    #expect(problems.first?.entityName == "Consignment")
    #expect(problems.first?.explanation.contains("Consignment.marks") == true)
    #expect(problems.first?.explanation.contains("no list") == true)
  }

  @Test(arguments: StoreLocation.allCases)
  func unreadableValuesOfASubclassAreFoundOnce(_ place: StoreLocation) throws {
    let problems = try damaged(place, "UPDATE larder_external_Statue_marks SET value = 'x'")
    #expect(problems.map(\.kind) == [.unreadableValue])
    #expect(problems.first?.entityName == "Statue")
  }

  @Test(arguments: StoreLocation.allCases)
  func missingPartsAreFound(_ place: StoreLocation) throws {
    let index = try damaged(place, "DROP INDEX \"larder_unique_Sensor(code)\"")
    #expect(index.map(\.kind) == [.missingSchemaObject])
    #expect(index.first?.explanation.contains("larder_unique_Sensor(code)") == true)
    let column = try damaged(place, "ALTER TABLE Sensor DROP COLUMN label")
    #expect(column.map(\.kind) == [.missingSchemaObject])
    #expect(column.first?.explanation.contains("\"label\"") == true)
    let table = try damaged(place, "DROP TABLE Sensor")
    #expect(table.map(\.kind) == [.missingSchemaObject])
    let beside = try damaged(place, "DROP TABLE larder_external_Consignment_scan")
    #expect(beside.map(\.kind) == [.missingSchemaObject])
    let history = try damaged(place, "DROP TABLE larder_history")
    #expect(history.map(\.kind) == [.missingSchemaObject])
    // Without an index the rows are there, and are looked at.
    let both = try damaged(
      place, "DROP INDEX \"larder_unique_Consignment(code)\"; UPDATE Consignment SET marks = 'no list'")
    #expect(both.map(\.kind) == [.missingSchemaObject, .unreadableValue])
  }

  /// A name alone makes no key unique.
  @Test(arguments: [
    ("CREATE INDEX", "(code)", "is not unique"),
    ("CREATE UNIQUE INDEX", "(label)", "is of label, and not of code"),
    ("CREATE UNIQUE INDEX", "(code, label)", "is of code, label"),
    ("CREATE UNIQUE INDEX", "(lower(code))", "is of an expression"),
    ("CREATE UNIQUE INDEX", "(code) WHERE larder_id < 0", "is of some of the rows only"),
    ("CREATE UNIQUE INDEX", "(code COLLATE NOCASE)", "compares code by NOCASE"),
    ("CREATE UNIQUE INDEX", "(code DESC)", "has code in descending order"),
  ])
  func indexesThatAreOthersAreFound(_ create: String, _ columns: String, _ words: String) throws {
    for place in StoreLocation.allCases {
      let name = "\"larder_unique_Sensor(code)\""
      let problems = try damaged(place, "DROP INDEX \(name); \(create) \(name) ON Sensor \(columns)")
      #expect(problems.map(\.kind) == [.missingSchemaObject])
      #expect(problems.first?.entityName == "Sensor")
      #expect(problems.first?.explanation.contains(words) == true, "\(problems)")
    }
  }

  /// Of the pairs of a relationship, too.
  @Test func anIndexOfPairsThatIsAnotherIsFound() throws {
    let store = try TestStore(.memory, Course.self)
    let all = try store.rows(
      "SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index' AND name LIKE 'larder_index_larder_%(target%'")
    guard case (.text(let name), .text(let table))? = all.first.map({ ($0[0], $0[1]) }) else {
      Issue.record("no index of pairs")
      return
    }
    try store.execute("DROP INDEX \"\(name)\"; CREATE INDEX \"\(name)\" ON \"\(table)\" (source)")
    #expect(try store.container.integrityCheck().map(\.kind) == [.missingSchemaObject])
  }

  @Test(arguments: StoreLocation.allCases)
  func unreadableHistoryIsFound(_ place: StoreLocation) throws {
    let problems = try damaged(place, "UPDATE larder_history SET changes = '{'")
    #expect(problems.map(\.kind) == [.unreadableHistory])
    #expect(problems.first?.row == 1)
  }

  /// From the end of what an integer holds there is no next one.
  @Test(arguments: StoreLocation.allCases)
  func aHistoryWithoutRoomForMoreIsFound(_ place: StoreLocation) throws {
    let limit = StoreFormat.maximumCounter
    #expect(try damaged(place, "UPDATE larder_history SET number = \(limit)") == [])
    for sql in [
      "UPDATE larder_history SET number = \(Int64.max)",
      "INSERT OR REPLACE INTO larder_store VALUES ('history_deleted', \(Int64.max))",
    ] {
      let problems = try damaged(place, sql)
      #expect(problems.map(\.kind) == [.unreadableHistory])
      #expect(problems.first?.row == Int64.max)
      #expect(problems.first?.explanation.contains("beyond what a store counts to") == true)
    }
  }

  /// As the guide says it.
  @Test func aHistoryWithoutRoomForMoreIsBegunAnewByHand() throws {
    let folder = TestFolder()
    let url = folder.url("test.store")
    func numbers(adding number: Int) throws -> [Int] {
      let context = ModelContext(try ModelContainer(for: Crate.self, configurations: ModelConfiguration(url: url)))
      context.insert(Crate(number: number))
      try context.save()
      return try context.fetch(FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number)])).map(\.number)
    }
    func execute(_ sql: String) throws {
      let connection = try Connection(path: url.path)
      defer { connection.close() }
      try connection.execute(sql)
    }
    #expect(try numbers(adding: 1) == [1])
    try execute("UPDATE larder_history SET number = \(Int64.max)")
    #expect(throws: (any Error).self) { try numbers(adding: 2) }
    try execute("DELETE FROM larder_history")
    try execute("DELETE FROM larder_store WHERE key = 'history_deleted'")
    #expect(try numbers(adding: 2) == [1, 2])
  }

  /// A page is overwritten in the file: of an index, or of the table, from which no row can be read then.
  @Test(arguments: ["larder_unique_Sensor%", "Sensor"])
  func damagedPagesAreFound(_ name: String) throws {
    let folder = TestFolder()
    let url = folder.url("test.store")
    var page: Int64 = 0
    do {
      let container = try ModelContainer(for: Sensor.self, configurations: ModelConfiguration(url: url))
      let context = ModelContext(container)
      for number in 0..<2_000 { context.insert(Sensor("\(number)")) }
      try context.save()
      page = try #require(
        try container.store.database.read {
          try $0.int64("SELECT rootpage FROM sqlite_schema WHERE name LIKE '\(name)'")
        })
    }
    var bytes = try #require(folder.bytes())
    let start = Int(page - 1) * 4_096
    for place in start + 100..<start + 4_096 { bytes[place] = UInt8(truncatingIfNeeded: place &* 31) }
    try bytes.write(to: url)
    let container = try ModelContainer(for: Sensor.self, configurations: ModelConfiguration(url: url))
    let problems = try container.integrityCheck()
    #expect(problems.contains { $0.kind == .damagedFile })
    #expect(problems.allSatisfy { $0.url?.lastPathComponent == "test.store" })
  }

  /// What is damaged is named, and the rest is looked at, on both sides of it.
  @Test func rowsAroundDamageAreLookedAt() throws {
    let folder = TestFolder()
    let url = folder.url("test.store")
    do {
      let container = try ModelContainer(
        for: Sensor.self, Consignment.self, configurations: ModelConfiguration(url: url))
      let context = ModelContext(container)
      for number in 0..<2_000 { context.insert(Sensor("\(number)")) }
      context.insert(Consignment("c", scan: Data([1])))
      try context.save()
      try container.store.database.write { try $0.execute("UPDATE Consignment SET marks = 'no list'") }
      try container.store.database.checkpoint(.truncate)
    }
    var bytes = try #require(folder.bytes())
    // The leaf of a table.
    let leaves = (1..<bytes.count / 4_096).filter { page in
      bytes[page * 4_096] == 13 && bytes[(page * 4_096)..<(page * 4_096 + 4_096)].range(of: Data("1000".utf8)) != nil
    }
    let start = try #require(leaves.first) * 4_096
    for place in start..<start + 4_096 { bytes[place] = UInt8(truncatingIfNeeded: place &* 31) }
    try bytes.write(to: url)
    let container = try ModelContainer(
      for: Sensor.self, Consignment.self, configurations: ModelConfiguration(url: url))
    let problems = try container.integrityCheck()
    let rows = problems.first { $0.kind == .damagedFile && $0.entityName == "Sensor" }
    #expect(rows?.explanation.contains(/Rows of Sensor .* between rows \d+ and \d+/) == true, "\(problems)")
    #expect(problems.contains { $0.kind == .unreadableValue && $0.entityName == "Consignment" })
  }

  @Test(arguments: StoreLocation.allCases)
  func missingValuesApartFromTheirRowsAreFound(_ place: StoreLocation) throws {
    let problems = try damaged(place, "DELETE FROM larder_external_Statue_marks")
    #expect(problems.map(\.kind) == [.unreadableValue])
    #expect(problems.first?.entityName == "Statue" && problems.first?.row != nil)
    #expect(problems.first?.explanation.contains("Statue.marks") == true)
    // nil has no row.
    #expect(try damaged(place, "DELETE FROM larder_external_Consignment_scan") == [])
    // Where that table is not there, all else of the rows is looked at.
    let both = try damaged(
      place, "DROP TABLE larder_external_Consignment_scan; UPDATE Consignment SET marks = 'no list'")
    #expect(both.map(\.kind) == [.missingSchemaObject, .unreadableValue])
  }

  @Test func cancellingEndsIt() throws {
    let store = try TestStore(.memory, Crate.self)
    _ = try store.saved((1...3_000).map { Crate(number: $0) })
    let progress = Progress(totalUnitCount: -1)
    progress.cancel()
    #expect(throws: CancellationError.self) { try store.container.integrityCheck(progress: progress) }
  }

  /// Not only while rows are read: the first look is that before the check, the next ones are within its statements and
  /// between them.
  @Test func cancellingEndsItWhereverItIs() throws {
    let folder = TestFolder()
    let url = folder.url("test.store")
    let container = try ModelContainer(for: Sensor.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    for number in 0..<5_000 { context.insert(Sensor("\(number)")) }
    try context.save()
    let few = ImpatientProgress(patience: .max)
    let small = try ModelContainer(for: Sensor.self, configurations: ModelConfiguration(url: folder.url("small.store")))
    #expect(try small.store.integrityProblems(few) == [])
    let all = ImpatientProgress(patience: .max)
    #expect(try container.store.integrityProblems(all) == [])
    // Between the steps are as many in both, and the others are within statements that take long.
    #expect(all.count > few.count + 5, "\(all.count) and \(few.count)")
    // Whoever wants no more at one of the looks gets no answer. What is known of the file since takes fewer of them.
    for patience in stride(from: 0, to: all.count / 2, by: max(1, all.count / 40)) {
      #expect(throws: CancellationError.self, "look \(patience)") {
        try container.store.integrityProblems(ImpatientProgress(patience: patience))
      }
    }
    // The connection is as it was.
    #expect(try container.integrityCheck() == [])
  }

  /// A file that is no store is looked at until nobody wants that.
  @Test func cancellingEndsTheCheckOfAFile() throws {
    let folder = TestFolder()
    let connection = try Connection(path: folder.url("other").path)
    try connection.execute(
      """
      CREATE TABLE t (a INTEGER NOT NULL);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) INSERT INTO t SELECT i FROM n;
      CREATE INDEX i ON t (a)
      """)
    connection.close()
    let path = folder.url("other").path
    let all = ImpatientProgress(patience: .max)
    #expect(try SQLiteStore.fileIntegrityProblems(at: path, all) == [])
    // One before the statement, one after it, and the others within.
    #expect(all.count > 10, "\(all.count)")
    for patience in [0, all.count / 2] {
      let progress = ImpatientProgress(patience: patience)
      #expect(throws: CancellationError.self) { try SQLiteStore.fileIntegrityProblems(at: path, progress) }
      #expect(progress.count < all.count)
    }
  }
}
