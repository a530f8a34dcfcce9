internal import CLarderSQLite
internal import CSQLite

/// A prepared statement.
///
/// Bind, step, read, reset. Each is one call into SQLite; nothing is allocated for a row.
///
/// ```swift
/// let find = try connection.statement(for: "SELECT id, name FROM fruit WHERE weight > ?")
/// defer { find.checkIn() }
/// find.bind(1, 0.5)
/// while try find.step() { print(find.int64(0), find.string(1)) }
/// ```
///
/// Parameters count from 1 and columns from 0, as in SQLite. A value stays bound until it is bound again, also across
/// ``reset()``; ``BoundValues`` are the exception. A binding that fails is reported by the next ``step()`` or
/// ``run()``, so that binding itself need not throw.
///
/// A statement belongs to the connection that prepared it, and to its thread. It may outlive the connection object:
/// SQLite keeps the resources of a statement until the last statement is finalized.
public final class Statement {
  /// SQLite's own handle.
  public let handle: OpaquePointer

  /// The connection's handle. Valid for as long as this statement exists.
  @usableFromInline let database: OpaquePointer

  /// The text, as it was prepared.
  public let sql: String

  /// The number of parameters.
  public let parameterCount: Int32

  /// The number of columns of a row; 0 for a statement that returns no rows.
  public let columnCount: Int32

  /// A slot for each parameter, which holds a short text or blob while SQLite refers to it. A slot is written only when
  /// its own parameter is bound, and the block never moves: the values of the other parameters stay unchanged.
  @usableFromInline let slots: UnsafeMutableRawPointer?
  @usableFromInline let slotSize: Int

  // The properties below that are accessed for each row are not checked for overlapping access: each access is a single
  // load or store by the one thread that uses the statement, and the check costs as much as binding a number.

  /// Set from the first step to the reset: the slots must not be written during that time.
  @usableFromInline @exclusivity(unchecked) var isActive = false

  /// Whether a caller has checked out this statement. See ``checkOut()``.
  public var isCheckedOut: Bool { checkedOut }
  @usableFromInline @exclusivity(unchecked) var checkedOut = false

  /// The first failure of a binding since the last reset, or SQLITE_OK.
  @usableFromInline @exclusivity(unchecked) var bindingFailure = SQLITE_OK

  /// The parameters to which arrays are bound.
  @usableFromInline var boundArrays: [Int32] = []
  @usableFromInline @exclusivity(unchecked) var hasBoundArrays = false

  private let counters: StatementCounters

  init(handle: OpaquePointer, database: OpaquePointer, sql: String, counters: StatementCounters) {
    self.handle = handle
    self.database = database
    self.sql = sql
    self.counters = counters
    parameterCount = sqlite3_bind_parameter_count(handle)
    columnCount = sqlite3_column_count(handle)
    slotSize = Statement.slotSize(parameters: Int(parameterCount))
    slots =
      parameterCount == 0
      ? nil : UnsafeMutableRawPointer.allocate(byteCount: slotSize * Int(parameterCount), alignment: 16)
    counters.preparedCount += 1
  }

  deinit {
    counters.finalizedRunCount += Int64(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_RUN, 0))
    counters.finalizedStepCount += Int64(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 0))
    sqlite3_finalize(handle)
    slots?.deallocate()
  }

  // One page for the usual statement: its strings fit, and it costs no more than a small allocation.
  private static let slotBudget = 4_096
  private static let smallestSlot = 64
  private static let largestSlot = 1_024

  private static func slotSize(parameters: Int) -> Int {
    guard parameters > 0 else { return 0 }
    return min(largestSlot, max(smallestSlot, slotBudget / parameters & ~15))
  }
}

/// Counts over the finalized statements of one connection.
final class StatementCounters {
  var preparedCount: Int64 = 0
  var finalizedRunCount: Int64 = 0
  var finalizedStepCount: Int64 = 0
}

extension Statement {
  /// Whether the statement cannot change the database.
  public var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

  /// Whether the statement has been stepped and has neither finished nor been reset.
  public var isBusy: Bool { sqlite3_stmt_busy(handle) != 0 }

  /// Returns the name of a column, or an empty string if there is none.
  public func columnName(_ column: Int32) -> String {
    guard column >= 0, column < columnCount, let name = sqlite3_column_name(handle, column) else { return "" }
    return String(cString: name)
  }

  /// Returns the index of the parameter with this name (such as ":id"), or 0.
  public func parameterIndex(_ name: String) -> Int32 { sqlite3_bind_parameter_index(handle, name) }

  /// Checks out the statement for the caller; returns `false` if another caller has it.
  ///
  /// For callers that keep a statement from ``Connection/statement(for:)`` after checking it in. If this fails, get
  /// another copy from the connection.
  @inlinable
  public func checkOut() -> Bool {
    if checkedOut { return false }
    checkedOut = true
    return true
  }

  /// Resets the statement and makes it available to other callers.
  @inlinable
  public func checkIn() {
    reset()
    checkedOut = false
  }
}
