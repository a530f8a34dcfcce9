public import CSQLite

extension Statement {
  /// Steps to the next row.
  ///
  /// After an error the statement is reset, so that it holds no lock.
  ///
  /// - Returns: `false` if there is no further row.
  /// - Throws: ``SQLiteError``, also for an earlier binding that failed.
  @inlinable
  public func step() throws -> Bool {
    let code = stepCode()
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw failure(code)
  }

  /// Steps like ``step()``, and returns the code, for loops that check it themselves: SQLITE_ROW, SQLITE_DONE, or the
  /// extended code of an error, which ``failure(_:)`` converts into an error.
  @inlinable
  public func stepCode() -> Int32 {
    if bindingFailure != SQLITE_OK { return bindingFailure }
    isActive = true
    return sqlite3_step(handle)
  }

  /// Ends the run, so that values can be bound and the statement can run again. Bound values stay, except
  /// ``BoundValues``.
  @inlinable
  public func reset() {
    // The result repeats the error of the step, which has been reported there.
    sqlite3_reset(handle)
    isActive = false
    bindingFailure = SQLITE_OK
    if hasBoundArrays { releaseArrays() }
  }

  /// Runs to the end, ignores the rows, and resets the statement.
  @inlinable
  public func run() throws {
    var code = stepCode()
    while code == SQLITE_ROW { code = stepCode() }
    if code != SQLITE_DONE { throw failure(code) }
    reset()
  }

  /// Returns the error for a code of ``stepCode()``, and resets the statement.
  @inline(never)
  public func failure(_ code: Int32) -> SQLiteError {
    let failedToBind = bindingFailure != SQLITE_OK
    var error = SQLiteError(
      database: database, code: code, sql: sql,
      context: failedToBind ? "binding a value to a statement" : "running a statement")
    if failedToBind, error.code == .tooBig { error.reason = .valueTooLong }
    reset()
    return error
  }
}
