/// The extended result code of SQLite, which names the failed constraint or the failed file operation.
///
/// Its low byte is the ``ResultCode``.
public struct ExtendedResultCode: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32

  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The kind of failure that this code refines.
  public var primary: ResultCode { ResultCode(extended: rawValue) }

  // Constraints.
  public static let check = ExtendedResultCode(rawValue: 275)
  public static let commitHook = ExtendedResultCode(rawValue: 531)
  public static let foreignKey = ExtendedResultCode(rawValue: 787)
  public static let notNull = ExtendedResultCode(rawValue: 1299)
  public static let primaryKey = ExtendedResultCode(rawValue: 1555)
  public static let trigger = ExtendedResultCode(rawValue: 1811)
  public static let unique = ExtendedResultCode(rawValue: 2067)
  public static let rowid = ExtendedResultCode(rawValue: 2579)
  /// A value whose type is not that of its column, in a STRICT table.
  public static let dataType = ExtendedResultCode(rawValue: 3091)

  // Locks.
  /// Another process is recovering the write-ahead log after a crash.
  public static let busyRecovery = ExtendedResultCode(rawValue: 261)
  /// A read transaction cannot become a writing one, because another connection wrote since it began.
  public static let busySnapshot = ExtendedResultCode(rawValue: 517)

  // Files.
  public static let ioErrorRead = ExtendedResultCode(rawValue: 266)
  public static let ioErrorShortRead = ExtendedResultCode(rawValue: 522)
  public static let ioErrorWrite = ExtendedResultCode(rawValue: 778)
  public static let ioErrorSync = ExtendedResultCode(rawValue: 1034)
  public static let ioErrorDirectorySync = ExtendedResultCode(rawValue: 1290)
  public static let ioErrorTruncate = ExtendedResultCode(rawValue: 1546)
  public static let ioErrorFileStatus = ExtendedResultCode(rawValue: 1802)
  public static let ioErrorDelete = ExtendedResultCode(rawValue: 2570)
  public static let ioErrorAccess = ExtendedResultCode(rawValue: 3338)
  public static let ioErrorLock = ExtendedResultCode(rawValue: 3850)
  public static let ioErrorSharedMemoryMap = ExtendedResultCode(rawValue: 5386)
  /// The file was moved, deleted or replaced while it was open.
  public static let fileMoved = ExtendedResultCode(rawValue: 1032)
  public static let readOnlyDirectory = ExtendedResultCode(rawValue: 1544)
  public static let cantOpenIsDirectory = ExtendedResultCode(rawValue: 526)
  /// The transaction was rolled back while a statement was still reading.
  public static let abortRollback = ExtendedResultCode(rawValue: 516)
}
