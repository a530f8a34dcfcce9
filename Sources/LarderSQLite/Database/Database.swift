internal import CLarderSQLite
internal import CSQLite

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A database that any number of threads use: one connection writes, the others read.
///
/// Writers queue in order of arrival. Each reader sees the last commit in a snapshot of its own, and never waits for
/// the writer.
///
/// ```swift
/// let database = try Database(path: "store.db")
/// try database.write { connection in try connection.execute("INSERT INTO fruit VALUES ('pear')") }
/// let count = try database.read { try $0.int64("SELECT count(*) FROM fruit") }
/// ```
///
/// A database in memory has one connection for reading and writing, behind one lock. A read inside a write on the same
/// thread uses that connection and sees the uncommitted writes. In a file it would see the last commit.
public final class Database: @unchecked Sendable {
  // Safe to share: only the thread that holds `writeLock` uses the writer, the idle readers are behind a mutex, and a
  // checked-out reader belongs to the thread that checked it out.

  /// The path of the file; `nil` in memory.
  public let path: String?
  /// The limits and defaults that the database was opened with.
  public let settings: DatabaseSettings
  /// The longest wait for a turn among the processes. The rest of the limit is for the lock itself.
  let turnTimeout: Duration
  /// Whether the database has no writing connection.
  public let isReadOnly: Bool
  /// Whether the database is in memory.
  public var isInMemory: Bool { path == nil }
  /// Whether the calling thread is writing; for a database in memory, also whether it is reading.
  package var isHeldByCurrentThread: Bool { writeLock.isHeldByCurrentThread }

  let vfs: String?
  /// Prepares each new connection: functions and collations belong to a connection, not to a database.
  let prepareConnection: @Sendable (Connection) throws -> Void
  let writeLock = OwnedLock()
  var writer: Connection?
  /// Set while the owner of `writeLock` runs a write: a database in memory is locked for reading, too.
  var isWriting = false
  /// Set while the owner of `writeLock` has exclusive use of the database. Accessed only by that owner.
  var isExclusive = false
  /// The number of readers that are checked out of a database in memory. Accessed only by the owner of `writeLock`.
  var sharedReaderCount = 0

  /// The identity of the file when it was opened; `nil` for a VFS other than the system's.
  let fileIdentity: FileKey?
  /// The identities of that file and of the files next to it; `nil` for another VFS, and for an immutable file.
  let openedFiles: OpenedFiles?
  /// The contents of the file when the latest write began, and the damage if it was overwritten. Both are accessed only
  /// by the owner of `writeLock`.
  var lastContents: OpenedFiles.Contents?
  var damage: OpenedFiles.Damage?
  /// The length of the log, in frames, at which readers are asked again to release their snapshots. Accessed only by
  /// the owner of `writeLock`.
  var nextLogRestart: Int64 = 0
  /// The holders of snapshots that last longer than one read.
  package let snapshotLeases = SnapshotLeases()
  /// The file, if no process can write it and SQLite treats it as immutable; otherwise `nil`.
  let immutableFile: ImmutableFile?
  let readerPermits: FairLock
  let readerPool = ReaderPool()
  /// The signal that this process shares with other processes that have the database open; `nil` if there can be none.
  public let signal: CrossProcessSignal?

  /// Opens a database in a file, and creates it if it does not exist.
  ///
  /// - Parameters:
  ///   - path: The file. Missing folders and the file are created with access for their owner alone.
  ///   - access: ``Connection/Access/readOnly`` opens no writing connection and changes nothing.
  ///   - settings: Limits and durability.
  ///   - vfs: The name of a registered VFS; `nil` for the system's.
  ///   - validate: Inspects the database, in one snapshot, before anything is written, and throws to refuse it.
  ///   - prepare: Prepares each connection when it is opened.
  /// - Throws: ``SQLiteError``. A file that is not a database, is damaged, or stores UTF-16 is left unchanged.
  public init(
    path: String, access: Connection.Access = .create, settings: DatabaseSettings = DatabaseSettings(),
    vfs: String? = nil,
    validate: (Connection) throws -> Void = { _ in },
    prepare: @escaping @Sendable (Connection) throws -> Void = { _ in }
  ) throws {
    self.path = path
    self.settings = settings
    turnTimeout = settings.busyTimeout / 2
    self.vfs = vfs
    self.prepareConnection = prepare
    isReadOnly = access == .readOnly
    readerPermits = FairLock(permits: max(1, settings.maximumReaders))
    if access == .create { try Database.createPrivateFile(path) }
    immutableFile = access == .readOnly && vfs == nil ? try ImmutableFile(path) : nil
    let connection = try Connection(
      path: immutableFile?.uri ?? path, access: access == .readOnly ? .readOnly : .readWrite,
      isURI: immutableFile != nil, vfs: vfs)
    connection.isImmutable = immutableFile != nil
    do {
      try connection.configure(settings, role: isReadOnly ? .reader : .writer, validate: validate)
      try prepare(connection)
    } catch {
      if vfs == nil, connection.hasMoved { throw Database.fileReplacedError(context: "opening a database") }
      throw error
    }
    fileIdentity = vfs == nil ? FileKey(path) : nil
    openedFiles = vfs == nil && immutableFile == nil ? OpenedFiles(path, connection) : nil
    // Another file may have taken the name since the connection was opened: the log next to it belongs to that file.
    if vfs == nil, connection.hasMoved { throw Database.fileReplacedError(context: "opening a database") }
    // A test's own file system may have no files that other processes can see.
    let others = immutableFile == nil ? connection.resolvedPath : nil
    signal = others.flatMap { FileKey($0) == nil ? nil : CrossProcessSignal(database: $0) }
    if isReadOnly {
      let reader = ReaderConnection(connection: connection, origin: .pool(readerPermits))
      reader.isCheckedOut = false
      _ = readerPool.checkIn(reader)
    } else {
      writer = connection
      _ = openedFiles?.detectDamage(connection, since: &lastContents)
    }
  }

  /// Opens an empty database in memory.
  ///
  /// - Parameters:
  ///   - settings: Limits; durability does not apply.
  ///   - prepare: Prepares the connection when it is opened.
  /// - Throws: ``SQLiteError``.
  public init(
    inMemory settings: DatabaseSettings = DatabaseSettings(),
    prepare: @escaping @Sendable (Connection) throws -> Void = { _ in }
  ) throws {
    path = nil
    signal = nil
    self.settings = settings
    turnTimeout = settings.busyTimeout / 2
    vfs = nil
    self.prepareConnection = prepare
    isReadOnly = false
    fileIdentity = nil
    openedFiles = nil
    immutableFile = nil
    readerPermits = FairLock()
    let connection = try Connection(path: ":memory:")
    try connection.configure(settings, role: .memory, validate: { _ in })
    try prepare(connection)
    writer = connection
  }

  deinit { closeConnections() }

  /// Closes the connections, after waiting for a running write. Checked-out readers are closed when they are returned.
  ///
  /// Later use of the database throws a ``SQLiteError`` with the reason ``SQLiteError/Reason/closed``. A second call,
  /// or a call inside a write, does nothing.
  public func close() {
    guard !writeLock.isHeldByCurrentThread else { return }
    guard writeLock.enter(timeout: settings.queueTimeout) else { return }
    defer { writeLock.leave() }
    closeConnections()
  }

  private func closeConnections() {
    signal?.close()
    openedFiles?.repairIndex()
    readerPool.close()
    // Last, so that closing it moves the log into the database and removes the log.
    writer?.close()
    writer = nil
  }

  static func fileReplacedError(
    _ damage: OpenedFiles.Damage = .databaseReplaced, context: String
  ) -> SQLiteError {
    SQLiteError.refused(.fileReplaced, code: ExtendedResultCode.fileMoved.rawValue, damage.rawValue, context: context)
  }

  /// Whether the file is unchanged since it was opened. `false` if a file that was taken for immutable has been
  /// written: open it again.
  package var isUnchangedSinceOpening: Bool { immutableFile?.isUnchanged ?? true }

  func checkImmutability(_ still: ImmutableFile, _ context: String) throws {
    if still.isUnchanged { return }
    throw SQLiteError.refused(
      .fileReplaced, code: ExtendedResultCode.fileMoved.rawValue,
      "the file lies where nothing can be written, and was written or replaced nevertheless", context: context)
  }

  private static func createPrivateFile(_ path: String) throws {
    let context = "creating a database"
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw SQLiteError.refused(.invalidPath, code: SQLITE_CANTOPEN, "the path cannot be used", context: context)
    }
    for (create, what) in [(larder_create_private_folders, "folder"), (larder_create_private_file, "file")] {
      let result = create(path)
      if result < 0 {
        throw SQLiteError(
          code: -result == ENOSPC ? SQLITE_FULL : SQLITE_CANTOPEN,
          message: "the \(what) cannot be made: \(String(cString: strerror(-result)))", context: context)
      }
    }
  }
}
