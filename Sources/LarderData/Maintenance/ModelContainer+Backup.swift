public import Foundation
import LarderSQLite

// Beyond Apple's API.

extension ModelContainer {
  /// Copies a store into a file, while contexts and other processes read and write it.
  ///
  /// ```swift
  /// let day = Date.now.formatted(.iso8601.year().month().day())
  /// try container.backup(to: backups.appending(component: "trips-\(day).store"))
  /// ```
  ///
  /// The copy is the store as it is at the beginning: every save that has returned, and none that comes meanwhile. It takes
  /// its name when it is whole and on the disk. It is a store like any other: to go back to it, put it in the place of the
  /// store while nobody has that open, and remove what lies beside it (`-wal`, `-shm`). A store in memory can be copied,
  /// too; others wait for that.
  ///
  /// It copies what is there, damage included. Where the last good copy is to be replaced, ask
  /// ``integrityCheck(progress:)`` first.
  ///
  /// While a large store is copied its log grows, since the state that is copied must last.
  ///
  /// - Parameters:
  ///   - url: The file. What is there is replaced, as a whole, also where it is damaged; it must not be open, nor belong to a
  ///     store, as its log does.
  ///   - configurationName: The configuration of the store, where the container has several; nil for the first.
  ///   - progress: Counts pages of the file; cancelling it ends the copying.
  /// - Throws: ``StoreError``, or `CancellationError`; ``DataStoreError/unsupportedFeature`` for a ``DataStore`` of one's own.
  ///   What was at the URL is then as it was.
  public func backup(to url: URL, configurationName: String? = nil, progress: Progress? = nil) throws {
    let store = try store(ofConfiguration: configurationName)
    try StoreBackup(store, to: url).write(progress)
  }

  /// - Throws: ``StoreError`` for a name that none of the configurations has.
  func store(ofConfiguration name: String?) throws -> SQLiteStore {
    if let found = name.map({ name in core.stores.first { $0.name == name } }) ?? core.stores.first {
      guard let store = found.sqlite else { throw DataStoreError.unsupportedFeature }
      return store
    }
    let names = core.stores.map { "\"\($0.name)\"" }.joined(separator: ", ")
    throw StoreError(.cannotOpen, nil, "The container has no configuration named \"\(name ?? "")\". It has \(names).")
  }
}
