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

/// The stores that are open in this process, by file: two containers on one file share a store.
///
/// Opening a file a second time by a descriptor of its own, and closing that, would drop the locks of the first.
final class StoreRegistry: Sendable {
  static let shared = StoreRegistry()

  private struct FileKey: Hashable {
    let device: UInt64
    let inode: UInt64
    let isReadOnly: Bool
  }

  private let stores = Locked<[FileKey: WeakHandle<SQLiteStore>]>([:])

  /// The files that are open.
  var paths: [String] {
    let open = stores.withLock { $0.values.map { $0 } }
    return open.compactMap { $0.object?.database.path }
  }

  /// A file is opened by one thread at a time, so that two containers made at once find each other's store.
  private struct Opening {
    let lock = OwnedLock()
    var users = 0
  }
  private let openings = Locked<[String: Opening]>([:])
  /// Ten minutes: a thread may be migrating the store.
  private static let openingTimeout = Duration.seconds(600)

  /// - Parameters:
  ///   - open: Opens the file anew.
  ///   - reusing: Prepares a store that is open; false where it has the shape of other models, and the file is to be opened anew.
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

  /// A container in a global is never let go: without this, changes of a context that saves by itself would be lost, the
  /// file of a program that has ended would lack what is in the log beside it, and a copy of the file alone would be
  /// empty.
  private static let exitHandler: Int32 = atexit {
    AutosaveRegistry.shared.saveAtExit()
    for open in StoreRegistry.shared.stores.withLock({ Array($0.values) }) { open.object?.database.checkpointAtExit() }
  }

  /// By device and inode, so that links and other spellings of a path are the same file. It is not opened for that.
  private func identity(of options: SQLiteStore.Options) -> FileKey? {
    var info = stat()
    guard stat(options.url.path(percentEncoded: false), &info) == 0 else { return nil }
    return FileKey(
      device: UInt64(truncatingIfNeeded: info.st_dev), inode: UInt64(truncatingIfNeeded: info.st_ino),
      isReadOnly: options.isReadOnly)
  }
}
