public import Foundation
import LarderSQLite

// Beyond Apple's API.

extension ModelContainer {
  /// Copies a store into a file while contexts and other processes read and write the store.
  ///
  /// ```swift
  /// let day = Date.now.formatted(.iso8601.year().month().day())
  /// try container.backup(to: backups.appending(component: "trips-\(day).store"))
  /// ```
  ///
  /// The copy contains every save that returned before the call, and none that happens during it. The file takes its
  /// name when it is complete and synced to the disk. The copy is an ordinary store. To restore it, put it in the place
  /// of the store while no process has that open, and remove the files next to the store (`-wal`, `-shm`). A store in
  /// memory can be copied, too; other users of it wait.
  ///
  /// The copy includes any damage. Before you replace your last good copy, call ``integrityCheck(progress:)``.
  ///
  /// While a large store is copied its log grows, since the snapshot that is copied must last.
  ///
  /// - Parameters:
  ///   - url: The target file. An existing file is replaced as a whole, even if it is damaged; it must not be open, nor
  ///     belong to a store, as a store's log does.
  ///   - configurationName: The configuration of the store, if the container has several; `nil` for the first.
  ///   - progress: Counts pages of the file; cancelling it ends the copy.
  /// - Throws: ``StoreError``, or `CancellationError`; ``DataStoreError/unsupportedFeature`` for a custom
  ///   ``DataStore``. The file at the URL is then unchanged.
  public func backup(to url: URL, configurationName: String? = nil, progress: Progress? = nil) throws {
    let store = try store(ofConfiguration: configurationName)
    try StoreBackup(store, to: url).write(progress)
  }

  /// Returns the store of a configuration; of the first one for `nil`.
  ///
  /// - Throws: ``StoreError`` if no configuration has the name; ``DataStoreError/unsupportedFeature`` for a custom data
  ///   store.
  func store(ofConfiguration name: String?) throws -> SQLiteStore {
    if let found = name.map({ name in core.stores.first { $0.name == name } }) ?? core.stores.first {
      guard let store = found.sqlite else { throw DataStoreError.unsupportedFeature }
      return store
    }
    let names = core.stores.map { "\"\($0.name)\"" }.joined(separator: ", ")
    throw StoreError(.cannotOpen, nil, "The container has no configuration named \"\(name ?? "")\". It has \(names).")
  }
}
