internal import CSQLite

extension Connection {
  /// Prepares one statement, for repeated use.
  ///
  /// - Throws: ``SQLiteError``, also if the text holds no statement or more than one.
  public func prepare(_ sql: String) throws -> Statement {
    let context = "preparing a statement"
    guard isOpen else { throw SQLiteError.closed(context: context) }
    var sql = sql
    let (statement, rest) = try sql.withUTF8 { try prepareFirst($0, context: context) }
    guard let statement else {
      throw SQLiteError.refused(
        .notOneStatement, code: SQLITE_MISUSE, "there is no statement", sql: sql, context: context)
    }
    if rest < sql.utf8.count {
      let following = try sql.withUTF8 { try prepareFirst(.init(rebasing: $0[rest...]), context: context).0 }
      if let following {
        sqlite3_finalize(following)
        sqlite3_finalize(statement)
        throw SQLiteError.refused(
          .notOneStatement, code: SQLITE_MISUSE, "there is more than one statement", sql: sql, context: context)
      }
    }
    return Statement(handle: statement, database: handle, sql: sql, counters: counters)
  }

  /// Returns a prepared statement from the cache, checked out for the caller.
  ///
  /// Return it with ``Statement/checkIn()``. While it is checked out (in an outer loop, for example), another caller
  /// gets a copy.
  ///
  /// - Complexity: A dictionary look-up once the text has been prepared.
  public func statement(for sql: String) throws -> Statement {
    if let statement = statementCache.checkOut(for: sql) { return statement }
    let statement = try prepare(sql)
    _ = statement.checkOut()
    statementCache.insert(statement)
    return statement
  }

  /// Runs the body with a statement from the cache, and returns the statement to the cache.
  public func withStatement<Result>(for sql: String, _ body: (Statement) throws -> Result) throws -> Result {
    let statement = try statement(for: sql)
    defer { statement.checkIn() }
    return try body(statement)
  }

  /// Runs one or more statements without values, and ignores their rows.
  public func execute(_ sql: String) throws {
    let context = "running a statement"
    guard isOpen else { throw SQLiteError.closed(context: context) }
    var sql = sql
    var offset = 0
    while offset < sql.utf8.count {
      let (prepared, rest) = try sql.withUTF8 { try prepareFirst(.init(rebasing: $0[offset...]), context: context) }
      let text = String(sql.utf8.dropFirst(offset).prefix(rest)) ?? sql
      // SQL ends at a NUL.
      if rest == 0 { break }
      offset += rest
      guard let prepared else { continue }
      try Statement(handle: prepared, database: handle, sql: text, counters: counters).run()
    }
  }

  /// Returns the first column of the first row as a number; `nil` without a row.
  public func int64(_ sql: String) throws -> Int64? {
    try withStatement(for: sql) { try $0.step() ? $0.int64(0) : nil }
  }

  /// Returns the first column of the first row as a text; `nil` without a row.
  public func string(_ sql: String) throws -> String? {
    try withStatement(for: sql) { try $0.step() ? $0.string(0) : nil }
  }

  /// Removes the statements that the cache holds.
  public func removeCachedStatements() { statementCache.removeAll() }

  /// Prepares the first statement of a text, and returns it with the offset of the rest.
  private func prepareFirst(
    _ utf8: UnsafeBufferPointer<UInt8>, context: String
  ) throws -> (statement: OpaquePointer?, rest: Int) {
    guard let base = utf8.baseAddress, utf8.count > 0 else { return (nil, utf8.count) }
    guard let length = Int32(exactly: utf8.count) else {
      throw SQLiteError.refused(.valueTooLong, code: SQLITE_TOOBIG, "the SQL is too long", context: context)
    }
    var statement: OpaquePointer?
    var tail: UnsafePointer<CChar>?
    let text = UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self)
    let code = sqlite3_prepare_v3(handle, text, length, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, &tail)
    guard code == SQLITE_OK else {
      throw SQLiteError(database: handle, code: code, sql: String(decoding: utf8, as: UTF8.self), context: context)
    }
    return (statement, tail.map { $0 - text } ?? utf8.count)
  }
}
