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

/// The files of an opened database: itself, its write-ahead log and the log's index. While somebody has them open they keep
/// their names, and nobody but SQLite writes them. A program that removes, moves, truncates or overwrites one breaks that:
/// what is committed from then on would be in a file that nobody can open again.
///
/// SQLite itself asks for none of it after it has opened them.
final class OpenedFiles: Sendable {
  private let path: String
  private let database: FileKey
  private let log: (path: String, identity: FileKey)?
  private let index: (path: String, identity: FileKey)?
  /// The longest that the index was seen to be. It never becomes shorter.
  private let indexSize = Atomic<Int64>(OpenedFiles.indexPage)

  /// The database's own file as of one look, while no checkpoint was writing it.
  struct Contents {
    fileprivate let attributes: FileAttributes
    fileprivate let checkpoint: CheckpointState
    /// Its header, which checkpoints change, and hardly any other file has.
    fileprivate let header: [UInt8]
  }

  /// What a checkpoint changes in the log's index before it writes, or the log as it begins anew.
  fileprivate struct CheckpointState {
    private let salts: (UInt32, UInt32)
    private let moved: UInt32
    /// Whether all that was committed before is in the file, as of some commit. Else there may be any part of it.
    let isComplete: Bool

    /// Nil while one is under way, or after one that was broken off.
    init?(_ state: larder_log_state) {
      guard state.moved == state.moving else { return nil }
      salts = state.salts
      moved = state.moved
      isComplete = moved == 0 || moved == state.frames
    }

    func isSame(as other: CheckpointState) -> Bool { salts == other.salts && moved == other.moved }
  }

  /// - Parameters:
  ///   - path: The name that it was opened by.
  ///   - connection: One that has it open.
  init?(_ path: String, _ connection: Connection) {
    // The log is made by the first read of a database that has one.
    if connection.hasLog { _ = try? connection.int64("PRAGMA schema_version") }
    guard let database = FileKey(path) else { return nil }
    self.path = path
    self.database = database
    // They lie beside the file that a link leads to.
    let place = connection.hasLog ? connection.resolvedPath : nil
    (log, index) = (OpenedFiles.file(place, "-wal"), OpenedFiles.file(place, "-shm"))
  }

  private static func file(_ place: String?, _ end: String) -> (path: String, identity: FileKey)? {
    guard let path = place.map({ $0 + end }) else { return nil }
    return FileKey(path).map { (path, $0) }
  }

  /// What happened to a file, as part of a sentence.
  enum Damage: String {
    case databaseReplaced = "the file was deleted, moved or replaced"
    case databaseOverwritten = "the file was truncated or overwritten by another program"
    case logReplaced = "the write-ahead log beside the file (-wal) was deleted, moved or replaced"
    case logOverwritten = "the write-ahead log beside the file (-wal) was truncated or overwritten by another program"
    case indexReplaced = "the log's index beside the file (-shm) was deleted, moved or replaced"
    case indexOverwritten = "the log's index beside the file (-shm) was truncated by another program"

    /// Whether all may look well again later on: after a checkpoint, or with an index that SQLite makes anew.
    var mayBeMasked: Bool { [.databaseOverwritten, .logOverwritten, .indexOverwritten].contains(self) }
  }

  // MARK: Names

  /// Whether the names still lead to the files; nil if so. A look at each, which any thread may take.
  func detectReplacement() -> Damage? {
    FileKey(path) == database ? detectCompanionReplacement() : .databaseReplaced
  }

  /// The same of the log and its index, which say what is committed: without them even what is read may be wrong.
  func detectCompanionReplacement() -> Damage? {
    if let log, FileKey(log.path) != log.identity { return .logReplaced }
    return detectIndexReplacement()
  }

  /// The same where the database itself has its name still.
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

  /// Makes an index that was truncated as long as it was. What is mapped beyond the end of a file cannot even be read: the
  /// process would end. Where it is empty SQLite makes it anew from the log.
  ///
  /// By its name: to close a descriptor of it would drop the locks that SQLite has on it.
  func repairIndex() {
    guard let index, let there = FileAttributes(index.path), there.identity == index.identity else { return }
    let known = indexSize.load(ordering: .relaxed)
    // It may have grown by some pages since it was looked at.
    if there.size < known { truncate(index.path, off_t(known + 16 * OpenedFiles.indexPage)) }
  }

  /// 32 KiB: the smallest index of a log in use.
  private static let indexPage: Int64 = 32_768

  /// Whether the log has no name any more, and nobody who opens the database now has another one: what is in it can be moved
  /// into the database, and is safe then.
  var isLogUnlinked: Bool {
    guard let log, let index, FileKey(path) == database, FileKey(log.path) == nil else { return false }
    return FileKey(index.path) == nil || detectIndexReplacement() == nil
  }

  // MARK: Contents

  /// Whether the names lead to the files, and these hold what SQLite has written there, as far as a few looks tell; nil if
  /// so. On the thread that writes.
  ///
  /// - Parameter known: What the latest look has found.
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
      // Another process may have gone on meanwhile, or begun the log anew, which its index tells before the log shows it.
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
    // A checkpoint writes the file in any order: what it is shows when that is done.
    guard let checkpoint = connection.logState().flatMap({ CheckpointState($0) }) else { return nil }
    let header = connection.fileHeader()
    guard connection.logState().flatMap({ CheckpointState($0) })?.isSame(as: checkpoint) == true else { return nil }
    // Where none was made since, another program has written. Some write the same once more, or the time alone.
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

  /// How long a database is by its header: https://sqlite.org/fileformat2.html, "The Database Header".
  private static func size(by header: [UInt8]) -> Int64 {
    let page = Int64(header[16]) << 8 | Int64(header[17])
    let pages = header[28..<32].reduce(Int64(0)) { $0 << 8 | Int64($1) }
    // Programs of long ago did not write it.
    guard header[24..<28].elementsEqual(header[92..<96]) else { return 0 }
    return pages * (page == 1 ? 65_536 : page)
  }
}

extension Connection {
  /// What the index of the write-ahead log says; nil where there is none.
  fileprivate func logState() -> larder_log_state? {
    var state = larder_log_state()
    return isOpen && hasLog && larder_read_log_state(handle, &state) == 1 ? state : nil
  }

  /// The salts that the log begins with, as they lie in the index, too; nil where it is shorter than its header.
  fileprivate func logSalts() -> (UInt32, UInt32)? {
    var header: (UInt64, UInt64, UInt32, UInt32, UInt64) = (0, 0, 0, 0, 0)
    return larder_read_log_beginning(handle, &header, 32) == 1 ? (header.2, header.3) : nil
  }

  fileprivate func fileHeader() -> [UInt8]? {
    var header = [UInt8](repeating: 0, count: 100)
    return larder_read_file_beginning(handle, &header, 100) == 1 ? header : nil
  }
}
