internal import CSQLite

/// Who is asked whether the work of a connection is still wanted.
final class StatementWatcher {
  let isUnwanted: () -> Bool
  init(_ isUnwanted: @escaping () -> Bool) { self.isUnwanted = isUnwanted }
}

extension Connection {
  /// Instructions of SQLite's between two looks: less than a millisecond of work.
  private static let instructionsBetweenLooks: Int32 = 10_000

  /// Runs the body, and asks from time to time whether it is still wanted, also in the middle of a long statement.
  ///
  /// ```swift
  /// try connection.watched(by: { progress.isCancelled }) { try connection.execute(longStatement) }
  /// ```
  ///
  /// Where the body is part of another one that is watched, that one is asked, too.
  ///
  /// - Parameter isUnwanted: Called on this thread. Once it says so, the running statement fails with
  ///   ``ResultCode/interrupted``, and a transaction that it changed something in is rolled back.
  public func watched<Result>(by isUnwanted: @escaping () -> Bool, _ body: () throws -> Result) rethrows -> Result {
    let outer = watcher
    let inner = StatementWatcher { isUnwanted() || outer?.isUnwanted() ?? false }
    ask(inner)
    defer { ask(outer) }
    return try body()
  }

  /// The watcher lives as long as SQLite knows of it, since the connection holds it.
  private func ask(_ next: StatementWatcher?) {
    defer { watcher = next }
    guard isOpen else { return }
    if let next {
      sqlite3_progress_handler(
        handle, Connection.instructionsBetweenLooks,
        { context in
          guard let context else { return 0 }
          return Unmanaged<StatementWatcher>.fromOpaque(context).takeUnretainedValue().isUnwanted() ? 1 : 0
        }, Unmanaged.passUnretained(next).toOpaque())
    } else {
      sqlite3_progress_handler(handle, 0, nil, nil)
    }
  }
}
