internal import CLarderSQLite
internal import CSQLite

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A failure of SQLite, or of this driver before the call into SQLite.
///
/// It names the failure (``code``, ``extendedCode``, ``message``), the place (``sql``, ``context``) and a remedy
/// (``advice``). Bound values never appear in it: they may be private.
public struct SQLiteError: Error, Sendable, Equatable {
  /// The kind of failure.
  public var code: ResultCode
  /// The kind in detail, such as the failed constraint.
  public var extendedCode: ExtendedResultCode
  /// SQLite's own message.
  public var message: String
  /// The statement, as it was prepared: with parameters, without their values.
  public var sql: String?
  /// The operation that failed, such as "opening the database".
  public var context: String
  /// The reason, if the driver itself refused the call; for matching.
  public var reason: Reason?

  /// Creates an error from an extended result code.
  public init(
    code: Int32, message: String, sql: String? = nil, context: String, reason: Reason? = nil
  ) {
    self.code = ResultCode(extended: code)
    extendedCode = ExtendedResultCode(rawValue: code)
    self.message = message
    self.sql = sql
    self.context = context
    self.reason = reason
  }

  /// A reason of the driver itself.
  public enum Reason: Sendable, Equatable {
    /// A write was begun inside a write on the same thread.
    case recursiveWrite
    /// The stated limit passed before a lock or a reader was free.
    case timedOut
    /// The connection or database has been closed.
    case closed
    /// The database stores its text as UTF-16.
    case notUTF8
    /// A transaction was begun inside another.
    case alreadyInTransaction
    /// A savepoint was requested outside a transaction.
    case notInTransaction
    /// SQLite rolled the transaction back before its end, or the body ended it itself.
    case transactionLost
    /// The database was opened for reading only.
    case readOnlyDatabase
    /// A text or blob is longer than SQLite can hold.
    case valueTooLong
    /// The SQL holds no statement, or more than one.
    case notOneStatement
    /// A path contains a NUL or is empty.
    case invalidPath
    /// The file was deleted, moved or replaced while it was open.
    case fileReplaced
    /// The database is where nothing can be written, and its log is next to it.
    case unreadableLog
  }
}

extension SQLiteError {
  /// Creates the error that a connection has just reported.
  @usableFromInline
  init(database: OpaquePointer?, code: Int32, sql: String? = nil, context: String) {
    // The connection's message belongs to its latest call. If that was a different call, the code's own text is
    // correct.
    let message =
      if let database, sqlite3_extended_errcode(database) == code || sqlite3_errcode(database) == code {
        String(cString: sqlite3_errmsg(database))
      } else {
        String(cString: sqlite3_errstr(code))
      }
    self.init(code: code, message: message, sql: sql, context: context)
    // If SQLite cannot extend a file next to the database, it reports a full disk as an input/output error.
    if self.code == .ioError, let database, [ENOSPC, EDQUOT].contains(sqlite3_system_errno(database)) {
      self.code = .full
    }
  }

  static func refused(_ reason: Reason, code: Int32, _ message: String, sql: String? = nil, context: String)
    -> SQLiteError
  {
    SQLiteError(code: code, message: message, sql: sql, context: context, reason: reason)
  }

  static func closed(context: String) -> SQLiteError {
    refused(.closed, code: SQLITE_MISUSE, "the connection is closed", context: context)
  }
}

extension SQLiteError: CustomStringConvertible {
  public var description: String {
    var text = "SQLite error \(extendedCode.rawValue) (\(code)) while \(context): \(message). \(advice)"
    if let sql {
      let beginning = sql.prefix(SQLiteError.maximumSQLLengthInDescription)
      text += " SQL: \(beginning)" + (beginning.endIndex < sql.endIndex ? "…" : "")
    }
    return text
  }

  /// 500 characters: enough to identify the statement, in a readable line of a log. ``sql`` holds the full text.
  static let maximumSQLLengthInDescription = 500
}
