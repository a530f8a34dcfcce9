internal import CFaultVFS
public import LarderSQLite
internal import Synchronization

/// A disk that fails on purpose: a layer between SQLite and the file system, for tests.
///
/// Open a database with its ``name``. The files are real; what the layer adds is failure, at the operation you choose:
///
/// ```swift
/// let disk = FaultVFS()
/// let database = try Database(path: path, vfs: disk.name)
/// disk.fail(operation: 3, of: .write, with: .full)
/// #expect(throws: SQLiteError.self) { try save(in: database) }
/// ```
///
/// and power cuts, after which the files are what a disk may hold that was not told to write everything down:
///
/// ```swift
/// disk.cutPower(atOperation: 40)
/// try? saveUntilItFails(in: database)
/// try disk.restorePower(seed: seed)      // what was not synced is kept, lost or torn, by the seed
/// let reopened = try Database(path: path, vfs: disk.name)
/// ```
///
/// Connections that were open at a power cut are dead for good. Syncing waits for no real disk, so tests are fast.
public final class FaultVFS: @unchecked Sendable {
  // Safe to share: the layer has a mutex of its own, and the pointer never changes.
  let vfs: OpaquePointer

  /// The name under which SQLite knows it: `Database(path:vfs:)`, `Connection(path:vfs:)`.
  public let name: String

  private static let number = Atomic<Int>(0)

  /// Registers a disk without faults.
  public init() {
    name = "larder-fault-\(FaultVFS.number.add(1, ordering: .relaxed).newValue)"
    guard let vfs = fault_vfs_create(name) else { fatalError("The system's VFS cannot be found.") }
    self.vfs = vfs
  }

  deinit {
    // With files still open it stays: a small leak in a test is better than a crash after it.
    _ = fault_vfs_destroy(vfs)
  }

  /// Kinds of operations on files.
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
    /// Files that take others' names; see ``FaultVFS/countingRenames(_:)``.
    package static let rename = Operations(rawValue: UInt32(FAULT_RENAME))
    public static let any = Operations(rawValue: UInt32(FAULT_ANY))
  }
}

// MARK: - Faults

extension FaultVFS {
  /// Makes the n-th of these operations fail, counted from 1 and from now.
  ///
  /// - Parameters:
  ///   - n: Which one.
  ///   - operations: Which kinds count.
  ///   - code: What SQLite is told: `.ioError`, `.full`, `.cantOpen`.
  ///   - repeating: Whether all later ones fail too.
  public func fail(
    operation n: Int, of operations: Operations = .any, with code: ResultCode = .ioError, repeating: Bool = false
  ) {
    fault_vfs_fail(vfs, operations.rawValue, Int64(n), code.rawValue, repeating ? 1 : 0)
  }

  /// Lets everything succeed again.
  public func clearFault() { fault_vfs_clear_plan(vfs) }

  /// How many operations have failed by the latest plan.
  public var failureCount: Int { Int(fault_vfs_strikes(vfs)) }

  /// The bytes that all files of this disk together may have; nil for no limit. Writes beyond it fail as on a full
  /// disk, the log's included.
  public func setQuota(_ bytes: Int?) { fault_vfs_set_quota(vfs, bytes.map(Int64.init) ?? -1) }

  /// The bytes that all files of this disk have.
  public var usedBytes: Int { Int(fault_vfs_used_bytes(vfs)) }
}

// MARK: - Power

extension FaultVFS {
  /// Cuts the power now.
  public func cutPower() { fault_vfs_cut_power(vfs) }

  /// Cuts the power at the n-th of these operations, counted from 1 and from now.
  public func cutPower(atOperation n: Int, of operations: Operations = .any) {
    fault_vfs_cut_power_at(vfs, operations.rawValue, Int64(n))
  }

  /// Whether the power is off.
  public var isWithoutPower: Bool { fault_vfs_is_without_power(vfs) != 0 }

  /// Leaves the files as the disk would have them, and lets new connections work.
  ///
  /// Each write, truncation, creation and deletion that was not synced is kept, lost, or torn at 512 bytes, by the
  /// seed; the same seed and history give the same files. The shared memory of the log is gone.
  public func restorePower(seed: UInt64) throws {
    let result = fault_vfs_restore_power(vfs, seed)
    if result != 0 {
      throw SQLiteError(
        code: 10, message: "error \(-result) of the system", context: "restoring a file after a power cut")
    }
  }

  /// Changes that a power cut could still undo.
  public var unsyncedChanges: Int { Int(fault_vfs_unsynced(vfs)) }
}

// MARK: - Counts

extension FaultVFS {
  /// How many of these operations there were since the last reset.
  public func count(of operations: Operations = .any) -> Int { Int(fault_vfs_count(vfs, operations.rawValue)) }

  public func resetCounts() { fault_vfs_reset_counts(vfs) }

  /// Files that are open.
  public var openFiles: Int { Int(fault_vfs_open_files(vfs)) }
}
