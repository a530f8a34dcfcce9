internal import CSQLite

extension Connection {
  /// Instructions of SQLite's between two looks: less than a millisecond of work.
  private static let instructionsBetweenLooks: Int32 = 10_000

  private final class Watcher {
    let isUnwanted: () -> Bool
    init(_ isUnwanted: @escaping () -> Bool) { self.isUnwanted = isUnwanted }
  }

  /// Runs the body, and asks from time to time whether it is still wanted, also in the middle of a long statement.
  ///
  /// ```swift
  /// try connection.watched(by: { progress.isCancelled }) { try connection.execute(longStatement) }
  /// ```
  ///
  /// - Parameter isUnwanted: Called on this thread. Once it says so, the running statement fails with
  ///   ``ResultCode/interrupted``, and a transaction that it changed something in is rolled back.
  public func watched<Result>(by isUnwanted: @escaping () -> Bool, _ body: () throws -> Result) rethrows -> Result {
    let watcher = Watcher(isUnwanted)
    sqlite3_progress_handler(
      handle, Connection.instructionsBetweenLooks,
      { context in
        guard let context else { return 0 }
        return Unmanaged<Watcher>.fromOpaque(context).takeUnretainedValue().isUnwanted() ? 1 : 0
      }, Unmanaged.passUnretained(watcher).toOpaque())
    defer { if isOpen { sqlite3_progress_handler(handle, 0, nil, nil) } }
    return try withExtendedLifetime(watcher) { try body() }
  }
}
