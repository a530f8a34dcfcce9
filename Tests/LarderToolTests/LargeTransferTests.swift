import DurabilityWork
import Foundation
import LarderData
import LarderSQLite
import LarderTool
import Testing

/// Many rows, in little memory.
@Suite(.serialized) struct LargeTransferTests {
  /// The whole, of which `LARDER_SIZE` says the percentage.
  private static let whole = 1_000_000
  private static let least = 20_000
  /// Above what the process had before: 64 MiB.
  private static let memory = 64 << 20

  /// The most memory that the process has had since it was last asked, as Linux counts it; nil elsewhere.
  private func peak(anew: Bool) -> Int? {
    if anew { try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .ascii) }
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .ascii),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
    else { return nil }
    return line.split(separator: " ").compactMap { Int($0) }.first.map { $0 << 10 }
  }

  @Test func manyRowsAreTransferredInLittleMemory() throws {
    let folder = try WorkFolder()
    let rows = Share.rounds(of: Self.whole, atLeast: Self.least)
    do {
      let container = try Fleet.open(folder.file("fleet.store"))
      try container.store.database.write { connection in
        try connection.execute(
          """
          WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(rows))
          INSERT INTO Vessel (larder_id, name, built, length, notes, image, tags)
          SELECT 10000 + n, 'vessel ' || n, n * 7919, n / 3.0, hex(randomblob(n % 60)), randomblob(n % 40), '[]'
          FROM numbers
          """)
      }
    }
    var options = SQLiteStore.Options(url: folder.file("fleet.store"))
    options.isReadOnly = true
    _ = FileManager.default.createFile(atPath: folder.path("lines"), contents: nil)
    let before = peak(anew: true)
    let start = ContinuousClock.now
    let exported = try StoreExport(
      try SQLiteStore.open(options, layouts: []), to: try FileHandle(forWritingTo: folder.file("lines"))
    ).run()
    let middle = ContinuousClock.now
    let imported = try StoreImport(
      try FileHandle(forReadingFrom: folder.file("lines")), to: folder.path("copy.store")
    ).run()
    let grown = peak(anew: false).flatMap { after in before.map { after - $0 } }
    print(
      "\(rows) rows: exported in \(middle - start), imported in \(ContinuousClock.now - middle), "
        + "\((grown ?? 0) >> 20) MiB above start")
    #expect(exported == rows && imported == rows)
    // Beside other tests of the process nobody knows whose memory it is.
    if rows == Self.whole, let grown { #expect(grown < Self.memory) }
    options.url = folder.file("copy.store")
    _ = FileManager.default.createFile(atPath: folder.path("again"), contents: nil)
    _ = try StoreExport(
      try SQLiteStore.open(options, layouts: []), to: try FileHandle(forWritingTo: folder.file("again"))
    ).run()
    #expect(FileManager.default.contentsEqual(atPath: folder.path("lines"), andPath: folder.path("again")))
  }
}
