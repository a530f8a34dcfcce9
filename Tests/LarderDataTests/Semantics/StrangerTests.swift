import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

/// Rows that another program writes into our file.
@Suite struct StrangerTests {
  @Test(.directly("it changes the rows past the store"), arguments: StoreLocation.allCases)
  func rowOfAnotherProgramIsNeverOverwritten(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    let before = Crate(number: 0)
    let ours = Crate(number: 1, text: "ours")
    let after = Crate(number: 2)
    for crate in [before, ours, after] { context.insert(crate) }
    let taken = ours.persistentModelID
    try store.execute(
      "INSERT INTO Crate (larder_id, number, text) VALUES (\(taken.key), 99, 'stranger')")
    let log = SaveLog(context)
    try context.save()

    #expect(
      try store.rows("SELECT text FROM Crate WHERE larder_id = \(taken.key)") == [[.text("stranger")]])
    #expect(try store.value("SELECT count(*) FROM Crate") == .integer(4))
    #expect(ours.persistentModelID != taken)
    #expect(try store.value("SELECT larder_id FROM Crate WHERE text = 'ours'") == .integer(ours.persistentModelID.key))
    #expect(
      Set(log.saves.first?.inserted ?? []) == Set([before, ours, after].map(\.persistentModelID)))
    // The former identifier leads to our row, and edits go there.
    #expect(context.model(for: taken) as? Crate === ours)
    ours.number = 10
    try context.save()
    #expect(try store.rows("SELECT number FROM Crate ORDER BY number") == [0, 2, 10, 99].map { [.integer($0)] })
    // What is inserted later meets neither.
    for number in 100..<110 { context.insert(Crate(number: number)) }
    try context.save()
    #expect(try store.value("SELECT count(*) FROM Crate") == .integer(14))
    #expect(try store.context().fetch(FetchDescriptor<Crate>()).count == 14)
  }

  @Test(arguments: StoreLocation.allCases)
  func rowOfAnotherProgramWithOurKeyIsUpdated(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    let ours = Sensor("a", label: "ours")
    context.insert(ours)
    let taken = ours.persistentModelID
    // By chance both the identifier and the key.
    try store.execute(
      """
      INSERT INTO Sensor (larder_id, code, label, level, count, spot_name, spot_x, spot_y)
      VALUES (\(taken.key), 'a', 'stranger', 0, 0, '', 0, 0)
      """)
    try context.save()
    #expect(try store.rows("SELECT larder_id, label FROM Sensor") == [[.integer(taken.key), .text("ours")]])
    #expect(ours.persistentModelID == taken)
    #expect(try context.fetch(FetchDescriptor<Sensor>()).first === ours)
    ours.level = 4
    try context.save()
    #expect(try store.value("SELECT level FROM Sensor") == .real(4))
  }

  @Test(.directly("it changes the rows past the store"), arguments: StoreLocation.allCases)
  func rowsOfAnotherProgramMayTakeIdentifierAndKeyApart(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    let ours = Sensor("a", label: "ours")
    context.insert(ours)
    let taken = ours.persistentModelID
    for (row, code) in [(taken.key, "x"), (taken.key + 1_000_000, "a")] {
      try store.execute(
        """
        INSERT INTO Sensor (larder_id, code, label, level, count, spot_name, spot_x, spot_y)
        VALUES (\(row), '\(code)', 'stranger', 0, 0, '', 0, 0)
        """)
    }
    try context.save()
    // The key decides; the row that has the identifier is nobody's business.
    #expect(
      try store.rows("SELECT larder_id, code, label FROM Sensor ORDER BY larder_id")
        == [
          [.integer(taken.key), .text("x"), .text("stranger")],
          [.integer(taken.key + 1_000_000), .text("a"), .text("ours")],
        ])
    #expect(ours.persistentModelID.key == taken.key + 1_000_000)
    ours.level = 4
    try context.save()
    #expect(try store.value("SELECT level FROM Sensor WHERE code = 'a'") == .real(4))
  }

  @Test func rowsWrittenBySQLite3AreRead() throws {
    let store = try TestStore(.disk, Crate.self)
    let context = store.context()
    #expect(try context.fetchCount(FetchDescriptor<Crate>()) == 0)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "sqlite3", store.url.path, "INSERT INTO Crate (number, text, note) VALUES (5, 'by hand', NULL)",
    ]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "sqlite3 is needed: apt-get install sqlite3")
    let read = try #require(try store.context().fetch(FetchDescriptor<Crate>()).first)
    #expect(read.number == 5 && read.text == "by hand" && read.note == nil)
    read.number = 6
    try read.modelContext?.save()
    #expect(try store.value("SELECT number FROM Crate") == .integer(6))
  }

  @Test func insertWithoutAReservedBlockMeetsNoStoredRow() throws {
    let folder = TestFolder()
    do {
      let context = ModelContext(try TestStore.open(.disk, folder.url("test.store"), [Crate.self]))
      for number in 0..<10 { context.insert(Crate(number: number)) }
      try context.save()
    }
    // Read-only, so no block can be reserved; rows 1 to 10 are there.
    let context = ModelContext(
      try TestStore.open(.disk, folder.url("test.store"), [Crate.self], allowsSave: false))
    let stored = try context.fetch(FetchDescriptor<Crate>())
    let inserted = Crate(number: 50)
    context.insert(inserted)
    #expect(!stored.map(\.persistentModelID).contains(inserted.persistentModelID))
    #expect(try context.fetch(FetchDescriptor<Crate>()).map(\.number) == Array(0..<10) + [50])
    #expect(try context.fetch(FetchDescriptor<Crate>()).first === stored.first)
  }
}
