internal import CSQLite

/// Who is asked whether the work of a connection is still wanted.
final class CancellationCheck {
  let isCancelled: () -> Bool
  init(_ isUnwanted: @escaping () -> Bool) { self.isCancelled = isUnwanted }
}

extension Connection {
  /// Instructions of SQLite's between two looks: less than a millisecond of work.
  private static let instructionsBetweenChecks: Int32 = 10_000

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
  public func withCancellation<Result>(when isUnwanted: @escaping () -> Bool, _ body: () throws -> Result) rethrows
    -> Result
  {
    let outer = cancellationCheck
    let inner = CancellationCheck { isUnwanted() || outer?.isCancelled() ?? false }
    installProgressHandler(inner)
    defer { installProgressHandler(outer) }
    return try body()
  }

  /// The watcher lives as long as SQLite knows of it, since the connection holds it.
  private func installProgressHandler(_ next: CancellationCheck?) {
    defer { cancellationCheck = next }
    guard isOpen else { return }
    if let next {
      sqlite3_progress_handler(
        handle, Connection.instructionsBetweenChecks,
        { context in
          guard let context else { return 0 }
          return Unmanaged<CancellationCheck>.fromOpaque(context).takeUnretainedValue().isCancelled() ? 1 : 0
        }, Unmanaged.passUnretained(next).toOpaque())
    } else {
      sqlite3_progress_handler(handle, 0, nil, nil)
    }
  }
}
