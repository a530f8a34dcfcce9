import LarderSQLite
import Testing

/// The write-ahead log begins anew beside readers that follow one another.
@Suite struct LogLengthTests {
  private static let moved: Int64 = 20
  private let folder = TemporaryFolder()
  private let database: Database

  init() throws {
    var settings = DatabaseSettings()
    settings.checkpointFrames = Self.moved
    settings.durability = .relaxed
    settings.busyTimeout = .milliseconds(50)
    database = try folder.database(settings)
  }

  /// A context between two reads: it holds a snapshot until it is asked to let it go.
  private final class Holder {
    private let database: Database
    private var reader: ReaderConnection?
    private(set) var asked = 0

    init(_ database: Database, letsGo: Bool = true) {
      self.database = database
      let known = Unmanaged.passUnretained(self)
      let address = UInt(bitPattern: known.toOpaque())
      database.snapshotLeases.add(self) {
        guard let address = UnsafeRawPointer(bitPattern: address) else { return }
        let holder = Unmanaged<Holder>.fromOpaque(address).takeUnretainedValue()
        holder.asked += 1
        if letsGo { holder.letGo() }
      }
    }

    deinit { database.snapshotLeases.remove(self) }

    /// Takes the newest snapshot, if one is held only after that.
    func read() throws {
      let next = try database.checkOut()
      try next.beginSnapshot()
      _ = try next.connection.int64("SELECT count(*) FROM t")
      letGo()
      reader = next
    }

    func letGo() {
      if let reader { database.checkIn(reader) }
      reader = nil
    }
  }

  /// - Returns: The longest that the log was.
  private func write(_ count: Int, then read: () throws -> Void = {}) throws -> Int64 {
    var longest: Int64 = 0
    for number in 0..<count {
      try database.write { try $0.execute("INSERT INTO t VALUES (\(number))") }
      longest = max(longest, try database.withWriter { $0.logFrameCount })
      try read()
    }
    return longest
  }

  @Test(arguments: [1, 3])
  func holdersLetGo(_ count: Int) throws {
    let holders = (0..<count).map { _ in Holder(database) }
    let longest = try write(500) { for holder in holders { try holder.read() } }
    #expect(longest <= 3 * Self.moved)
    #expect(holders.allSatisfy { $0.asked > 0 })
  }

  /// Whoever reads for long is waited for in short, and asked again now and then, not at each commit.
  @Test func logBeginsAnewAfterALongRead() throws {
    let long = Holder(database, letsGo: false)
    try long.read()
    #expect(try write(300) >= 300)
    #expect(long.asked > 5 && long.asked < 60)
    long.letGo()
    _ = try write(30)
    #expect(try write(100) <= 3 * Self.moved)
  }

  /// Nobody is asked while the log is short.
  @Test func nobodyIsAskedWithoutNeed() throws {
    let holder = Holder(database)
    for _ in 0..<10 { _ = try write(10) { holder.letGo() } }
    #expect(holder.asked == 0)
  }
}
