internal import CSQLite

/// A closure that reports whether the work of a connection is cancelled.
final class CancellationCheck {
  let isCancelled: () -> Bool
  init(_ isUnwanted: @escaping () -> Bool) { self.isCancelled = isUnwanted }
}

extension Connection {
  /// SQLite's instructions between two checks: less than a millisecond of work.
  private static let instructionsBetweenChecks: Int32 = 10_000

  /// Runs the body, and checks from time to time whether it is cancelled, also during a long statement.
  ///
  /// ```swift
  /// try connection.withCancellation(when: { progress.isCancelled }) { try connection.execute(longStatement) }
  /// ```
  ///
  /// In a nested call, the outer closure is asked, too.
  ///
  /// - Parameter isUnwanted: Called on this thread. Once it returns `true`, the running statement fails with
  ///   ``ResultCode/interrupted``, and a transaction in which the statement changed something is rolled back.
  public func withCancellation<Result>(when isUnwanted: @escaping () -> Bool, _ body: () throws -> Result) rethrows
    -> Result
  {
    let outer = cancellationCheck
    let inner = CancellationCheck { isUnwanted() || outer?.isCancelled() ?? false }
    installProgressHandler(inner)
    defer { installProgressHandler(outer) }
    return try body()
  }

  /// Installs the check. The connection retains it for as long as SQLite may call it.
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
