import Foundation
import Synchronization

/// Lists the statements that SQLite runs in this process, by the store's file, whoever runs them.
///
/// SQLite itself tells of them: each connection that is opened after ``begin()`` is traced. What asks for nothing is left
/// out, as the library opens connections ahead of need, and ends transactions that nobody reads in any more.
enum StatementTrace {
  private static let lists = Mutex<[String: [String]]>([:])

  /// Traces what is opened from now on; once for the process.
  static func begin() { _ = registration }

  /// The statements that have been run on a store so far.
  static func statements(at store: URL) -> [String] { lists.withLock { $0[name(of: store.path), default: []] } }

  private static let asksForNothing = ["PRAGMA", "BEGIN", "COMMIT", "ROLLBACK"]

  private static let registration: Void = {
    guard let register = SQLite.autoExtension else { return }
    _ = register { connection, _, _ in
      _ = SQLite.trace?(
        connection, SQLite.traceStatements, { _, _, statement, text in StatementTrace.note(statement, text) }, nil)
      return 0
    }
  }()

  private static func note(_ statement: OpaquePointer?, _ text: UnsafeMutableRawPointer?) {
    guard let connection = SQLite.connection?(statement), let path = SQLite.filename?(connection, "main") else {
      return
    }
    let sql = text.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) } ?? ""
    guard !asksForNothing.contains(where: sql.hasPrefix) else { return }
    lists.withLock { $0[name(of: String(cString: path)), default: []].append(sql) }
  }

  /// The folder is named by chance, and the rest of a path may be written in several ways.
  private static func name(of path: String) -> String { path.split(separator: "/").suffix(2).joined(separator: "/") }
}

/// The functions of the SQLite that the program is linked with; the library gives none of them on.
private enum SQLite {
  typealias Opened = @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Int32
  typealias Traced = @convention(c) (UInt32, UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutableRawPointer?) -> Void
  typealias AutoExtension = @convention(c) (Opened) -> Int32
  typealias Trace = @convention(c) (OpaquePointer?, UInt32, Traced?, UnsafeMutableRawPointer?) -> Int32
  typealias Connection = @convention(c) (OpaquePointer?) -> OpaquePointer?
  typealias Filename = @convention(c) (OpaquePointer?, UnsafePointer<CChar>) -> UnsafePointer<CChar>?

  /// `SQLITE_TRACE_STMT`.
  static let traceStatements: UInt32 = 1

  static let autoExtension = function("sqlite3_auto_extension", AutoExtension.self)
  static let trace = function("sqlite3_trace_v2", Trace.self)
  static let connection = function("sqlite3_db_handle", Connection.self)
  static let filename = function("sqlite3_db_filename", Filename.self)

  private static func function<Function>(_ name: String, _ type: Function.Type) -> Function? {
    dlsym(nil, name).map { unsafeBitCast($0, to: type) }
  }
}
