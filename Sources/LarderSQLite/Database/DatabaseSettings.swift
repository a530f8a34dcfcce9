/// How a database is opened: every limit and default of this layer, with its reason.
public struct DatabaseSettings: Sendable, Equatable {
  /// What a committed transaction survives.
  public enum Durability: Sendable, Equatable {
    /// A power cut. Each commit waits for the disk (a save of one row: about 0.4 ms).
    case full
    /// The end of the process. After a power cut the latest commits may be missing, never half there.
    case relaxed
  }

  /// The default is ``Durability/full``: a save that returned has been saved.
  public var durability: Durability
  /// The page cache of each connection, in KiB.
  public var cacheKibibytes: Int
  /// How much of the file is read through a memory map, in bytes.
  public var memoryMapSize: Int64
  /// The size to which the write-ahead log is cut when it starts anew, in bytes.
  public var journalSizeLimit: Int64
  /// The length of the write-ahead log, in frames (one page each), at which a commit moves it into the database.
  public var checkpointFrames: Int64
  /// The longest wait for another process's lock.
  public var busyTimeout: Duration
  /// The longest wait in this process's queue for the writing connection, or for a reader.
  public var queueTimeout: Duration
  /// The most reading connections.
  public var maximumReaders: Int
  /// The longest text or blob, in bytes.
  public var maximumValueLength: Int32

  public init() {
    durability = .full
    cacheKibibytes = DatabaseSettings.defaultCacheKibibytes
    memoryMapSize = DatabaseSettings.defaultMemoryMapSize
    journalSizeLimit = DatabaseSettings.defaultJournalSizeLimit
    checkpointFrames = DatabaseSettings.defaultCheckpointFrames
    busyTimeout = DatabaseSettings.defaultBusyTimeout
    queueTimeout = DatabaseSettings.defaultQueueTimeout
    maximumReaders = DatabaseSettings.defaultMaximumReaders
    maximumValueLength = DatabaseSettings.defaultMaximumValueLength
  }

  /// 16 MiB: an upsert takes 0.73, a look-up 0.70 of the time that SQLite's 2 MiB give (100,000 rows).
  public static let defaultCacheKibibytes = 16 * 1_024
  /// None: where the disk fails, or another program cuts the file, a memory map ends the process by a signal instead of
  /// giving an error. The cache brings most of what a map would.
  public static let defaultMemoryMapSize: Int64 = 0
  /// 16 MiB: overlapping readers can make the log grow; it gives the space back.
  public static let defaultJournalSizeLimit: Int64 = 16 * 1_024 * 1_024
  /// 1,000 pages, SQLite's own: about 4 MB, moved in some milliseconds.
  public static let defaultCheckpointFrames: Int64 = 1_000
  /// 5 s: no transaction of ours holds the lock over 50 ms without need, so a longer wait means a stuck process.
  public static let defaultBusyTimeout = Duration.seconds(5)
  /// 30 s: the queue is fair, so this is hundreds of batches ahead of the caller.
  public static let defaultQueueTimeout = Duration.seconds(30)
  /// 8: more readers than cores gain nothing, but some are held by contexts that are idle.
  public static let defaultMaximumReaders = 8
  /// 1,000,000,000 bytes, SQLite's own: a lower limit would refuse what the file already holds.
  public static let defaultMaximumValueLength: Int32 = 1_000_000_000

  // MARK: Not for choice

  /// 200 ms: what the end of a program may wait to leave a file without a log.
  static let exitTimeout = Duration.milliseconds(200)
  /// 2 times as many frames as a commit moves: above that readers are asked to let go, so that the log begins anew.
  static let logRestartFactor: Int64 = 2
  /// At most 5 ms, each time that the log has grown by as many frames again: a fetch of some thousand rows ends in that.
  static let logRestartWaits = [Duration.zero, .milliseconds(5)]
  /// 8 times as many: some reader is not of this process, or reads for long.
  static let longLogFactor: Int64 = 8
  /// 50 ms more: as long as another process's context keeps a snapshot.
  static let longLogRestartWaits = [Duration.zero, .milliseconds(5), .milliseconds(50)]
  /// 25 ms: the longest pause between two looks at another process's lock.
  static let maximumBusyPauseMicroseconds: Int64 = 25_000
  /// 1 ms: the same of the one whose turn it is.
  static let maximumTurnPauseMicroseconds: Int64 = 1_000
  /// Prepared statements that a connection keeps: more shapes than a program has, and a bound for one that builds them.
  static let maximumCachedStatements = 256
  /// Copies of one statement that are kept, for nested loops.
  static let maximumStatementCopies = 4
  /// 1 MB of SQL: our own is far shorter, and a hostile schema must not make the parser work for long.
  static let maximumSQLLength: Int32 = 1_000_000
  /// Terms of UNION and the like; SQLite's default of 500 is for generated SQL.
  static let maximumCompoundSelect: Int32 = 100
  /// LIKE with a long pattern takes quadratic time.
  static let maximumLikePattern: Int32 = 1_000
  /// VACUUM attaches one database; nothing else does.
  static let maximumAttached: Int32 = 1
  /// Sorting in other threads would escape the connection's thread.
  static let maximumWorkerThreads: Int32 = 0
}
