internal import CLarderSQLite
internal import CSQLite
import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The files of an open database: the database itself, its write-ahead log and the log's index. While a connection has
/// them open they keep their names, and only SQLite writes them. A program that removes, moves, truncates or overwrites
/// one breaks that: later commits would go into a file that cannot be opened again.
///
/// SQLite itself checks none of this after it has opened the files.
final class OpenedFiles: Sendable {
  private let path: String
  private let database: FileKey
  private let log: (path: String, identity: FileKey)?
  private let index: (path: String, identity: FileKey)?
  /// The greatest size of the index so far. The index never shrinks.
  private let indexSize = Atomic<Int64>(OpenedFiles.indexPage)

  /// The contents of the database file at one moment, while no checkpoint was writing it.
  struct Contents {
    fileprivate let attributes: FileAttributes
    fileprivate let checkpoint: CheckpointState
    /// The file's header, which checkpoints change and which hardly any other file has in common.
    fileprivate let header: [UInt8]
  }

  /// The fields of the log's index that change before a checkpoint writes, or when the log restarts.
  fileprivate struct CheckpointState {
    private let salts: (UInt32, UInt32)
    private let moved: UInt32
    /// Whether all earlier commits are in the file, as of some commit. Otherwise the file may hold any part of them.
    let isComplete: Bool

    /// Returns `nil` during a checkpoint, or after an interrupted one.
    init?(_ state: larder_log_state) {
      guard state.moved == state.moving else { return nil }
      salts = state.salts
      moved = state.moved
      isComplete = moved == 0 || moved == state.frames
    }

    func isSame(as other: CheckpointState) -> Bool { salts == other.salts && moved == other.moved }
  }

  /// Records the identities of the files.
  ///
  /// - Parameters:
  ///   - path: The name that the database was opened by.
  ///   - connection: A connection that has the database open.
  init?(_ path: String, _ connection: Connection) {
    // The first read of a database with a log creates the log.
    if connection.hasLog { _ = try? connection.int64("PRAGMA schema_version") }
    guard let database = FileKey(path) else { return nil }
    self.path = path
    self.database = database
    // The log and its index are next to the file to which a symbolic link points.
    let place = connection.hasLog ? connection.resolvedPath : nil
    (log, index) = (OpenedFiles.file(place, "-wal"), OpenedFiles.file(place, "-shm"))
  }

  private static func file(_ place: String?, _ end: String) -> (path: String, identity: FileKey)? {
    guard let path = place.map({ $0 + end }) else { return nil }
    return FileKey(path).map { (path, $0) }
  }

  /// The damage to a file, as part of a sentence.
  enum Damage: String {
    case databaseReplaced = "the file was deleted, moved or replaced"
    case databaseOverwritten = "the file was truncated or overwritten by another program"
    case logReplaced = "the write-ahead log beside the file (-wal) was deleted, moved or replaced"
    case logOverwritten = "the write-ahead log beside the file (-wal) was truncated or overwritten by another program"
    case indexReplaced = "the log's index beside the file (-shm) was deleted, moved or replaced"
    case indexOverwritten = "the log's index beside the file (-shm) was truncated by another program"

    /// Whether the damage may become invisible later: after a checkpoint, or with an index that SQLite creates again.
    var mayBeMasked: Bool { [.databaseOverwritten, .logOverwritten, .indexOverwritten].contains(self) }
  }

  // MARK: Names

  /// Returns the damage if a name no longer refers to its file, and `nil` otherwise. Looks at each file once; any
  /// thread may call it.
  func detectReplacement() -> Damage? {
    FileKey(path) == database ? detectCompanionReplacement() : .databaseReplaced
  }

  /// Checks the names of the log and its index only. They determine which data is committed: without them even a read
  /// may be wrong.
  func detectCompanionReplacement() -> Damage? {
    if let log, FileKey(log.path) != log.identity { return .logReplaced }
    return detectIndexReplacement()
  }

  /// Checks the names of the log and its index, and returns `nil` if the database file itself has lost its name.
  func detectCompanionReplacementOnly() -> Damage? {
    guard let damage = detectCompanionReplacement() else { return nil }
    return FileKey(path) == database ? damage : nil
  }

  func detectIndexReplacement() -> Damage? {
    guard let index else { return nil }
    guard let there = FileAttributes(index.path), there.identity == index.identity else { return .indexReplaced }
    let known = indexSize.load(ordering: .relaxed)
    if there.size > known { indexSize.store(there.size, ordering: .relaxed) }
    if there.size >= known { return nil }
    repairIndex()
    return .indexOverwritten
  }

  /// Extends a truncated index to its former size. A page that is mapped beyond the end of a file cannot even be read:
  /// the process would be killed. If the index is empty, SQLite creates it again from the log.
  ///
  /// The file is extended by name: closing a descriptor of it would drop SQLite's locks on it.
  func repairIndex() {
    guard let index, let there = FileAttributes(index.path), there.identity == index.identity else { return }
    let known = indexSize.load(ordering: .relaxed)
    // The index may have grown by some pages since the last check.
    if there.size < known { truncate(index.path, off_t(known + 16 * OpenedFiles.indexPage)) }
  }

  /// 32 KiB: the smallest index of a log in use.
  private static let indexPage: Int64 = 32_768

  /// Whether the log has lost its name and the database has no other log. Its commits can then be moved into the
  /// database, where they are safe.
  var isLogUnlinked: Bool {
    guard let log, let index, FileKey(path) == database, FileKey(log.path) == nil else { return false }
    return FileKey(index.path) == nil || detectIndexReplacement() == nil
  }

  // MARK: Contents

  /// Returns the damage if a name no longer refers to its file, or if a file does not hold what SQLite has written, as
  /// far as a few checks show; otherwise `nil`. Called on the writing thread.
  ///
  /// - Parameter known: The contents that the latest check found.
  func detectDamage(_ connection: Connection, since known: inout Contents?) -> Damage? {
    guard let facts = FileAttributes(path), facts.identity == database else { return .databaseReplaced }
    guard let log else { return nil }
    guard let logFacts = FileAttributes(log.path), logFacts.identity == log.identity else { return .logReplaced }
    if let damage = detectIndexReplacement() { return damage }
    return detectLogOverwrite(logFacts, log.path, connection)
      ?? detectDatabaseOverwrite(facts, connection, since: &known)
  }

  private func detectLogOverwrite(_ facts: FileAttributes, _ path: String, _ connection: Connection) -> Damage? {
    guard var before = connection.logState() else { return nil }
    var size = facts.size
    while before.frames > 0 {
      let length = OpenedFiles.logHeader + Int64(before.frames) * (OpenedFiles.frameHeader + Int64(before.page_size))
      if size >= length, let salts = connection.logSalts(), salts == before.salts { return nil }
      // Another process may have committed since, or restarted the log, which the index shows before the log does.
      size = FileAttributes(path)?.size ?? 0
      guard let after = connection.logState() else { return nil }
      if size < length || connection.logSalts().map({ $0 != before.salts }) ?? true, after.changes == before.changes,
        after.salts == before.salts, after.frames == before.frames
      {
        return .logOverwritten
      }
      before = after
    }
    return nil
  }

  private static let logHeader: Int64 = 32
  private static let frameHeader: Int64 = 24

  private func detectDatabaseOverwrite(
    _ facts: FileAttributes, _ connection: Connection, since known: inout Contents?
  ) -> Damage? {
    if let known, facts == known.attributes { return nil }
    let before = known
    known = nil
    // A checkpoint writes the file in any order: its contents are consistent only after it ends.
    guard let checkpoint = connection.logState().flatMap({ CheckpointState($0) }) else { return nil }
    let header = connection.fileHeader()
    guard connection.logState().flatMap({ CheckpointState($0) })?.isSame(as: checkpoint) == true else { return nil }
    // If there was no checkpoint since, another program has written the file. Some programs write the same bytes again,
    // or change only the time.
    if let before, before.checkpoint.isSame(as: checkpoint),
      facts.size < before.attributes.size || header != before.header
    {
      known = before
      return .databaseOverwritten
    }
    guard let header else { return before == nil ? nil : .databaseOverwritten }
    if checkpoint.isComplete, facts.size < OpenedFiles.size(by: header) { return .databaseOverwritten }
    known = Contents(attributes: facts, checkpoint: checkpoint, header: header)
    return nil
  }

  /// Returns the size of a database by its header: https://sqlite.org/fileformat2.html, "The Database Header".
  private static func size(by header: [UInt8]) -> Int64 {
    let page = Int64(header[16]) << 8 | Int64(header[17])
    let pages = header[28..<32].reduce(Int64(0)) { $0 << 8 | Int64($1) }
    // Very old versions of SQLite did not write the size.
    guard header[24..<28].elementsEqual(header[92..<96]) else { return 0 }
    return pages * (page == 1 ? 65_536 : page)
  }
}

extension Connection {
  /// Returns the state in the index of the write-ahead log; `nil` if there is none.
  fileprivate func logState() -> larder_log_state? {
    var state = larder_log_state()
    return isOpen && hasLog && larder_read_log_state(handle, &state) == 1 ? state : nil
  }

  /// Returns the salts in the log's header, which are also in the index; `nil` if the log is shorter than its header.
  fileprivate func logSalts() -> (UInt32, UInt32)? {
    var header: (UInt64, UInt64, UInt32, UInt32, UInt64) = (0, 0, 0, 0, 0)
    return larder_read_log_beginning(handle, &header, 32) == 1 ? (header.2, header.3) : nil
  }

  fileprivate func fileHeader() -> [UInt8]? {
    var header = [UInt8](repeating: 0, count: 100)
    return larder_read_file_beginning(handle, &header, 100) == 1 ? header : nil
  }
}
