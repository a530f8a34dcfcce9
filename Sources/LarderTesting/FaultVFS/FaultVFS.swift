internal import CFaultVFS
public import LarderSQLite
internal import Synchronization

/// A disk that fails on purpose: a layer between SQLite and the file system, for tests.
///
/// Open a database with its ``name``. The files are real; the layer injects a failure at the operation that you choose:
///
/// ```swift
/// let disk = FaultVFS()
/// let database = try Database(path: path, vfs: disk.name)
/// disk.fail(operation: 3, of: .write, with: .full)
/// #expect(throws: SQLiteError.self) { try save(in: database) }
/// ```
///
/// It also simulates power cuts. After a power cut the files have a state that a disk may have after unsynced writes:
///
/// ```swift
/// disk.cutPower(atOperation: 40)
/// try? saveUntilItFails(in: database)
/// try disk.restorePower(seed: seed)      // unsynced changes are kept, lost or torn, by the seed
/// let reopened = try Database(path: path, vfs: disk.name)
/// ```
///
/// Connections that were open at a power cut stay unusable. Syncing does not wait for a real disk, so tests are fast.
public final class FaultVFS: @unchecked Sendable {
  // Sendable: the layer has a mutex of its own, and the pointer never changes.
  let vfs: OpaquePointer

  /// The name under which SQLite finds the disk: `Database(path:vfs:)`, `Connection(path:vfs:)`.
  public let name: String

  private static let number = Atomic<Int>(0)

  /// Registers a disk without faults.
  public init() {
    name = "larder-fault-\(FaultVFS.number.add(1, ordering: .relaxed).newValue)"
    guard let vfs = fault_vfs_create(name) else { fatalError("The system's VFS cannot be found.") }
    self.vfs = vfs
  }

  deinit {
    // The VFS stays registered if files are still open: a small leak in a test is better than a crash after it.
    _ = fault_vfs_destroy(vfs)
  }

  /// The kinds of file operations.
  public struct Operations: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let read = Operations(rawValue: UInt32(FAULT_READ))
    public static let write = Operations(rawValue: UInt32(FAULT_WRITE))
    public static let sync = Operations(rawValue: UInt32(FAULT_SYNC))
    public static let truncate = Operations(rawValue: UInt32(FAULT_TRUNCATE))
    public static let open = Operations(rawValue: UInt32(FAULT_OPEN))
    public static let delete = Operations(rawValue: UInt32(FAULT_DELETE))
    public static let lock = Operations(rawValue: UInt32(FAULT_LOCK))
    public static let sharedMemory = Operations(rawValue: UInt32(FAULT_SHARED_MEMORY))
    /// Renames of files; see ``FaultVFS/countingRenames(_:)``.
    package static let rename = Operations(rawValue: UInt32(FAULT_RENAME))
    public static let any = Operations(rawValue: UInt32(FAULT_ANY))
  }
}

// MARK: - Faults

extension FaultVFS {
  /// Makes the n-th of the specified operations fail, counted from 1 and from now.
  ///
  /// - Parameters:
  ///   - n: The number of the operation.
  ///   - operations: The kinds of operations that count.
  ///   - code: The result code that SQLite receives: `.ioError`, `.full`, `.cantOpen`.
  ///   - repeating: Whether all later operations of these kinds fail too.
  public func fail(
    operation n: Int, of operations: Operations = .any, with code: ResultCode = .ioError, repeating: Bool = false
  ) {
    fault_vfs_fail(vfs, operations.rawValue, Int64(n), code.rawValue, repeating ? 1 : 0)
  }

  /// Removes the fault, so that all operations succeed again.
  public func clearFault() { fault_vfs_clear_plan(vfs) }

  /// The number of operations that have failed by the latest plan.
  public var failureCount: Int { Int(fault_vfs_strikes(vfs)) }

  /// Sets the maximum total size of all files of this disk, in bytes; `nil` for no limit. Writes beyond it fail as on a full disk,
  /// including writes to the write-ahead log.
  public func setQuota(_ bytes: Int?) { fault_vfs_set_quota(vfs, bytes.map(Int64.init) ?? -1) }

  /// The total size of all files of this disk, in bytes.
  public var usedBytes: Int { Int(fault_vfs_used_bytes(vfs)) }
}

// MARK: - Power cuts

extension FaultVFS {
  /// Cuts the power now.
  public func cutPower() { fault_vfs_cut_power(vfs) }

  /// Cuts the power at the n-th of the specified operations, counted from 1 and from now.
  public func cutPower(atOperation n: Int, of operations: Operations = .any) {
    fault_vfs_cut_power_at(vfs, operations.rawValue, Int64(n))
  }

  /// Whether the power is off.
  public var isWithoutPower: Bool { fault_vfs_is_without_power(vfs) != 0 }

  /// Restores the power: leaves the files in a state that a disk may have after the power cut, and lets new connections work.
  ///
  /// Each unsynced write, truncation, creation and deletion is kept, lost, or torn at 512 bytes, by the seed; the same seed and
  /// history give the same files. The shared memory of the write-ahead log is lost.
  ///
  /// - Throws: `SQLiteError` if the files cannot be written.
  public func restorePower(seed: UInt64) throws {
    let result = fault_vfs_restore_power(vfs, seed)
    if result != 0 {
      throw SQLiteError(
        code: 10, message: "error \(-result) of the system", context: "restoring a file after a power cut")
    }
  }

  /// The number of changes that a power cut could still undo.
  public var unsyncedChanges: Int { Int(fault_vfs_unsynced(vfs)) }
}

// MARK: - Counts

extension FaultVFS {
  /// Returns the number of the specified operations since the last reset.
  public func count(of operations: Operations = .any) -> Int { Int(fault_vfs_count(vfs, operations.rawValue)) }

  /// Resets the counts of operations.
  public func resetCounts() { fault_vfs_reset_counts(vfs) }

  /// The number of open files.
  public var openFiles: Int { Int(fault_vfs_open_files(vfs)) }
}
