import Foundation
import LarderSQLite
import LarderSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The open stores of this process, by file: two containers on one file share a store.
///
/// Opening a file a second time by another descriptor, and closing that, would drop the locks of the first.
final class StoreRegistry: Sendable {
  static let shared = StoreRegistry()

  private struct FileKey: Hashable {
    let device: UInt64
    let inode: UInt64
    let isReadOnly: Bool
  }

  private let stores = Locked<[FileKey: WeakHandle<SQLiteStore>]>([:])

  /// The paths of the open files.
  var paths: [String] {
    let open = stores.withLock { $0.values.map { $0 } }
    return open.compactMap { $0.object?.database.path }
  }

  /// The lock for opening one path: one thread opens a file at a time, so that two containers created at once share a store.
  private struct Opening {
    let lock = OwnedLock()
    var users = 0
  }
  private let openings = Locked<[String: Opening]>([:])
  /// The timeout for opening, ten minutes: another thread may be migrating the store.
  private static let openingTimeout = Duration.seconds(600)

  /// Returns the open store of a file, or opens it.
  ///
  /// - Parameters:
  ///   - open: A closure that opens the file.
  ///   - reusing: A closure that prepares an open store; returns `false` if its schema differs, so that the file is opened again.
  func store(
    for options: SQLiteStore.Options, open: () throws -> SQLiteStore, reusing: (SQLiteStore) throws -> Bool
  ) throws -> SQLiteStore {
    let path = options.url.resolvingSymlinksInPath().path(percentEncoded: false)
    let lock = openings.withLock { openings in
      openings[path, default: Opening()].users += 1
      return openings[path]?.lock
    }
    defer {
      openings.withLock { openings in
        openings[path]?.users -= 1
        if openings[path]?.users == 0 { openings[path] = nil }
      }
    }
    guard let lock, !lock.isHeldByCurrentThread, lock.enter(timeout: StoreRegistry.openingTimeout) else {
      throw StoreError(
        .busy, options.url,
        "The store at \(path) is being opened already. A stage of its migration can't open it again: use the stage's "
          + "context.")
    }
    defer { lock.leave() }
    return try storeWhileOpening(options, open, reusing)
  }

  private func storeWhileOpening(
    _ options: SQLiteStore.Options, _ open: () throws -> SQLiteStore, _ reusing: (SQLiteStore) throws -> Bool
  ) throws -> SQLiteStore {
    var outgrown: SQLiteStore?
    if options.vfs == nil, let identity = identity(of: options),
      let known = stores.withLock({ $0[identity]?.object }), known.database.isUnchangedSinceOpening
    {
      if try reusing(known) { return known }
      outgrown = known
    }
    let store = try open()
    outgrown?.pollAfterMigration()
    if options.vfs == nil, let identity = identity(of: options) {
      _ = StoreRegistry.exitHandler
      stores.withLock { stores in
        stores = stores.filter { $0.value.object != nil }
        stores[identity] = store.weakHandle
      }
    }
    return store
  }

  /// Work to run at the end of the program, before the stores are checkpointed, in the order of its registration.
  private static let exitWork = Locked<[@Sendable () -> Void]>([])

  /// Registers work for the end of the program, while the stores can still be written to. It runs only if a store of a file
  /// was opened.
  static func runAtExit(_ work: @escaping @Sendable () -> Void) { exitWork.withLock { $0.append(work) } }

  /// A handler for the end of the program, since a container in a global is never released. Without it, changes of a context with
  /// autosave would be lost, and the database file would lack the contents of its write-ahead log: a copy of the file alone
  /// would be empty.
  private static let exitHandler: Int32 = atexit {
    for work in StoreRegistry.exitWork.withLock({ $0 }) { work() }
    for open in StoreRegistry.shared.stores.withLock({ Array($0.values) }) { open.object?.database.checkpointAtExit() }
  }

  /// Returns the device and inode, so that links and other spellings of a path are the same file. Does not open the file.
  private func identity(of options: SQLiteStore.Options) -> FileKey? {
    var info = stat()
    guard stat(options.url.path(percentEncoded: false), &info) == 0 else { return nil }
    return FileKey(
      device: UInt64(truncatingIfNeeded: info.st_dev), inode: UInt64(truncatingIfNeeded: info.st_ino),
      isReadOnly: options.isReadOnly)
  }
}
