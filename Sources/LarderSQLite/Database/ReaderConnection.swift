/// A reading connection, checked out of a ``Database``.
///
/// It is used by one thread at a time, until it is given back by ``Database/checkIn(_:)``. A snapshot that it holds is
/// what the database was at the first read after ``beginSnapshot()``, whatever is written meanwhile.
///
/// ```swift
/// let reader = try database.checkout()
/// defer { database.checkin(reader) }
/// try reader.beginSnapshot()
/// let count = try reader.connection.int64("SELECT count(*) FROM fruit")
/// ```
///
/// A held snapshot keeps the write-ahead log from starting anew: hold it briefly.
public final class ReaderConnection {
  public let connection: Connection

  /// Whether this is the one connection of a database in memory, which also writes.
  public let isShared: Bool

  /// Where the place of a reader that is dropped without being given back returns to.
  enum Origin {
    case pool(FairLock)
    case memory(Database)
  }

  private let origin: Origin
  var isCheckedOut = true

  init(connection: Connection, origin place: Origin) {
    self.connection = connection
    self.origin = place
    if case .memory = place { isShared = true } else { isShared = false }
  }

  deinit {
    guard isCheckedOut else { return }
    switch origin {
    case .pool(let permits): permits.leave()
    case .memory(let database): database.checkInShared()
    }
  }

  /// Whether a snapshot is held.
  public var holdsSnapshot: Bool { !isShared && connection.isInTransaction }

  /// Begins a read transaction if none is open. Its snapshot is taken by the first read.
  ///
  /// In memory nothing is needed: nobody else can write while the connection is checked out.
  public func beginSnapshot() throws {
    if isShared || connection.isInTransaction { return }
    try connection.executeCached("BEGIN DEFERRED", context: "beginning to read")
  }

  /// Takes the snapshot of the read transaction that is open, where no read has done so yet.
  public func takeSnapshot() throws {
    // The cheapest read there is.
    try connection.withStatement(for: "PRAGMA schema_version") { statement in
      _ = try statement.step()
    }
  }

  /// Lets the snapshot go. Statements that are still running are reset.
  public func endSnapshot() {
    guard holdsSnapshot else { return }
    connection.resetStatements()
    try? connection.executeCached("COMMIT", context: "ending a read")
    connection.rollbackOpenTransaction()
  }
}
