/// A reading connection, checked out of a ``Database``.
///
/// One thread at a time uses it, until it is returned with ``Database/checkIn(_:)``. Its snapshot is the state of the
/// database at the first read after ``beginSnapshot()``; later writes do not change it.
///
/// ```swift
/// let reader = try database.checkOut()
/// defer { database.checkIn(reader) }
/// try reader.beginSnapshot()
/// let count = try reader.connection.int64("SELECT count(*) FROM fruit")
/// ```
///
/// A held snapshot keeps the write-ahead log from restarting: hold it briefly.
public final class ReaderConnection {
  /// The SQLite connection.
  public let connection: Connection

  /// Whether this is the one connection of a database in memory, which also writes.
  public let isShared: Bool

  /// The owner of the permit, to which it returns if the reader is dropped without being checked in.
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

  /// Begins a read transaction if none is open. The first read takes its snapshot.
  ///
  /// In memory this does nothing: no other thread can write while the connection is checked out.
  public func beginSnapshot() throws {
    if isShared || connection.isInTransaction { return }
    try connection.executeCached("BEGIN DEFERRED", context: "beginning to read")
  }

  /// Takes the snapshot of the open read transaction, if no read has done so yet.
  public func takeSnapshot() throws {
    // The cheapest read in SQLite.
    try connection.withStatement(for: "PRAGMA schema_version") { statement in
      _ = try statement.step()
    }
  }

  /// Ends the snapshot. Running statements are reset.
  public func endSnapshot() {
    guard holdsSnapshot else { return }
    connection.resetStatements()
    try? connection.executeCached("COMMIT", context: "ending a read")
    connection.rollbackOpenTransaction()
  }
}
