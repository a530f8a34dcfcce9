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

/// A database that any number of threads use: one connection writes, others read.
///
/// Writers queue, and are served in the order of their arrival. Readers see the last commit, each a snapshot of its
/// own, and never wait for the writer.
///
/// ```swift
/// let database = try Database(path: "store.db")
/// try database.write { connection in try connection.execute("INSERT INTO fruit VALUES ('pear')") }
/// let count = try database.read { try $0.int64("SELECT count(*) FROM fruit") }
/// ```
///
/// A database in memory has one connection for both, behind one lock: a read inside a write on the same thread uses
/// that connection, and sees what the write has done so far. In a file it would see the last commit.
public final class Database: @unchecked Sendable {
  // Safe to share: the writer is used only by the thread that holds `writeLock`, the idle readers are behind a mutex,
  // and a checked-out reader belongs to whoever checked it out.

  /// The path of the file; nil in memory.
  public let path: String?
  public let settings: DatabaseSettings
  /// How long a write waits for its turn among processes: the rest of the limit is for the lock itself.
  let turnTimeout: Duration
  /// Whether there is a writing connection.
  public let isReadOnly: Bool
  public var isInMemory: Bool { path == nil }
  /// Whether the calling thread is writing; of a database in memory also whether it is reading.
  package var isHeldByCurrentThread: Bool { writeLock.isHeldByCurrentThread }

  let vfs: String?
  /// Makes each connection ready: functions and collations belong to a connection, not to a database.
  let prepareConnection: @Sendable (Connection) throws -> Void
  let writeLock = OwnedLock()
  var writer: Connection?
  /// Set while the owner of `writeLock` runs a write: a database in memory is locked for reading too.
  var isWriting = false
  /// Set while the owner of `writeLock` has the database to itself. Touched only by that owner.
  var isExclusive = false
  /// Readers that are checked out of a database in memory. Touched only by the owner of `writeLock`.
  var sharedReaderCount = 0

  /// Which file it was when it was opened; nil where the system's own file system is not used.
  let fileIdentity: FileKey?
  /// That file and those beside it; nil likewise, and where nobody can be writing it.
  let openedFiles: OpenedFiles?
  /// What the file was when the latest write began, and what has happened to it if it was overwritten. Touched only by the
  /// owner of `writeLock`.
  var lastContents: OpenedFiles.Contents?
  var damage: OpenedFiles.Damage?
  /// The length of the log, in frames, at which readers are asked again to let go. Touched only by the owner of `writeLock`.
  var nextLogRestart: Int64 = 0
  /// Those who hold snapshots for longer than a read.
  package let snapshotLeases = SnapshotLeases()
  /// Where nobody can be writing it, and SQLite is told so; nil elsewhere.
  let immutableFile: ImmutableFile?
  let readerPermits: FairLock
  let readerPool = ReaderPool()
  /// Where it meets the other processes that have it open; nil where there can be none.
  public let signal: CrossProcessSignal?

  /// Opens a database in a file, and makes it where there is none.
  ///
  /// - Parameters:
  ///   - path: The file. Missing folders are made, for their owner alone; so is the file.
  ///   - access: ``Connection/Access/readOnly`` opens no writing connection and changes nothing.
  ///   - settings: Limits and durability.
  ///   - vfs: The name of a registered VFS; nil for the system's.
  ///   - validate: Looks at the database, in one snapshot, before anything is written to it, and throws to refuse it.
  ///   - prepare: Makes each connection ready, when it is opened.
  /// - Throws: ``SQLiteError``. A file that is not a database, is damaged, or holds UTF-16 stays as it is.
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
    // Another one may have taken its name since it was opened: the log beside that is the other one's.
    if vfs == nil, connection.hasMoved { throw Database.fileReplacedError(context: "opening a database") }
    // A file system of a test's own may have no files for others to see.
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

  /// Closes the connections; waits for a write that is running. Readers that are checked out close when given back.
  ///
  /// Using the database afterwards is a typed error. Calling it again, or inside a write, does nothing.
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
    // Last, so that it moves the log into the database and removes it.
    writer?.close()
    writer = nil
  }

  static func fileReplacedError(
    _ damage: OpenedFiles.Damage = .databaseReplaced, context: String
  ) -> SQLiteError {
    SQLiteError.refused(.fileReplaced, code: ExtendedResultCode.fileMoved.rawValue, damage.rawValue, context: context)
  }

  /// False where nobody could be writing the file, and somebody has: it is to be opened anew.
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
