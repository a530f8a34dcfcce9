public import CSQLite

extension Statement {
  /// Runs to the next row. False when there is none.
  ///
  /// After an error the statement is reset, so that it holds no lock.
  @inlinable
  public func step() throws -> Bool {
    let code = stepCode()
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw failure(code)
  }

  /// As ``step()``, for loops that look at the code themselves: SQLITE_ROW, SQLITE_DONE, or an error's extended code,
  /// which ``failure(_:)`` turns into an error.
  @inlinable
  public func stepCode() -> Int32 {
    if bindingFailure != SQLITE_OK { return bindingFailure }
    isActive = true
    return sqlite3_step(handle)
  }

  /// Ends the run, so that values can be bound and the statement run anew. Bound values stay, but for ``BoundValues``.
  @inlinable
  public func reset() {
    // Its code repeats the error of the step, which has been reported there.
    sqlite3_reset(handle)
    isActive = false
    bindingFailure = SQLITE_OK
    if hasBoundArrays { releaseArrays() }
  }

  /// Runs to the end, passing over rows, and resets.
  @inlinable
  public func run() throws {
    var code = stepCode()
    while code == SQLITE_ROW { code = stepCode() }
    if code != SQLITE_DONE { throw failure(code) }
    reset()
  }

  /// The error for a code of ``stepCode()``. Resets the statement.
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
