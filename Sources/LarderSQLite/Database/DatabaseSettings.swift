/// The options of an open database: every limit and default of this layer, with its reason.
public struct DatabaseSettings: Sendable, Equatable {
  /// The failure that a committed transaction survives.
  public enum Durability: Sendable, Equatable {
    /// Commits survive a power cut. Each commit waits for the disk (a save of one row: about 0.4 ms).
    case full
    /// Commits survive the end of the process. After a power cut the latest commits may be missing, but none is stored
    /// in part.
    case relaxed
  }

  /// The failure that commits survive. The default is ``Durability/full``: a save that returned has been stored.
  public var durability: Durability
  /// The page cache of each connection, in KiB.
  public var cacheKibibytes: Int
  /// The part of the file that is read through a memory map, in bytes.
  public var memoryMapSize: Int64
  /// The size to which the write-ahead log is truncated when it restarts, in bytes.
  public var journalSizeLimit: Int64
  /// The length of the write-ahead log, in frames (one page each), at which a commit moves it into the database.
  public var checkpointFrames: Int64
  /// The longest wait for another process's lock.
  public var busyTimeout: Duration
  /// The longest wait in this process's queue for the writing connection, or for a reader.
  public var queueTimeout: Duration
  /// The maximum number of reading connections.
  public var maximumReaders: Int
  /// The longest text or blob, in bytes.
  public var maximumValueLength: Int32

  /// Creates settings with the defaults.
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

  /// 16 MiB: an upsert takes 0.73 and a look-up 0.70 of the time that SQLite's default of 2 MiB takes (100,000 rows).
  public static let defaultCacheKibibytes = 16 * 1_024
  /// Zero: if the disk fails, or another program truncates the file, a memory map ends the process with a signal
  /// instead of an error. The cache gives most of the benefit of a map.
  public static let defaultMemoryMapSize: Int64 = 0
  /// 16 MiB: overlapping readers can make the log grow; this limit returns the space.
  public static let defaultJournalSizeLimit: Int64 = 16 * 1_024 * 1_024
  /// 1,000 pages, SQLite's default: about 4 MB, moved in some milliseconds.
  public static let defaultCheckpointFrames: Int64 = 1_000
  /// 5 s: no transaction of this package holds the lock for over 50 ms without need, so a longer wait means a stuck
  /// process.
  public static let defaultBusyTimeout = Duration.seconds(5)
  /// 30 s: the queue is fair, so this is hundreds of batches ahead of the caller.
  public static let defaultQueueTimeout = Duration.seconds(30)
  /// 8: more readers than cores gain nothing, but some readers are held by idle contexts.
  public static let defaultMaximumReaders = 8
  /// 1,000,000,000 bytes, SQLite's default: a lower limit would refuse values that a file already holds.
  public static let defaultMaximumValueLength: Int32 = 1_000_000_000

  // MARK: Fixed limits

  /// 200 ms: the longest wait at program exit for moving the log into the file.
  static let exitTimeout = Duration.milliseconds(200)
  /// Twice the frames that a commit checkpoints: above that, readers are asked to release their snapshots, so that the
  /// log restarts.
  static let logRestartFactor: Int64 = 2
  /// At most 5 ms, each time the log has grown by as many frames again: a fetch of some thousand rows ends within that
  /// time.
  static let logRestartWaits = [Duration.zero, .milliseconds(5)]
  /// 8 times the frames that a commit checkpoints: a reader of another process, or a long read, is holding the log.
  static let longLogFactor: Int64 = 8
  /// 50 ms more: as long as a context of another process keeps a snapshot.
  static let longLogRestartWaits = [Duration.zero, .milliseconds(5), .milliseconds(50)]
  /// 25 ms: the longest pause between two attempts to take another process's lock.
  static let maximumBusyPauseMicroseconds: Int64 = 25_000
  /// 1 ms: the longest such pause of the process that has the turn.
  static let maximumTurnPauseMicroseconds: Int64 = 1_000
  /// Prepared statements that a connection caches: more than a program has, and a bound for one that generates SQL.
  static let maximumCachedStatements = 256
  /// Cached copies of one statement, for nested loops.
  static let maximumStatementCopies = 4
  /// 1 MB of SQL: the package's own statements are far shorter, and a hostile schema must not keep the parser busy.
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
