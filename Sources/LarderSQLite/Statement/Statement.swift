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
/// Parameters count from 1 and columns from 0, as in SQLite. A value stays bound until it is bound anew, across
/// ``reset()``, except ``BoundValues``. A binding that fails is reported by the next ``step()`` or ``run()``, so that
/// binding itself need not throw.
///
/// A statement belongs to the connection that prepared it, and to its thread. It may outlive the connection object:
/// SQLite keeps what a statement needs until the last one is gone.
public final class Statement {
  public let handle: OpaquePointer

  /// The connection's handle. Valid for as long as this statement is.
  @usableFromInline let database: OpaquePointer

  /// The text, as it was prepared.
  public let sql: String

  /// How many parameters there are.
  public let parameterCount: Int32

  /// How many columns a row has; 0 for a statement that returns none.
  public let columnCount: Int32

  /// A slot for each parameter, in which a short text or blob lies while SQLite refers to it. A slot is written only
  /// when its own parameter is bound, and the block never moves: what the other parameters refer to stays as it is.
  @usableFromInline let slots: UnsafeMutableRawPointer?
  @usableFromInline let slotSize: Int

  // Of the following, those that are touched for each row are not checked for overlapping access: each access is a
  // single load or store by the one thread that uses the statement, and the check costs as much as binding a number.

  /// Set from the first step to the reset: then the slots must not be written.
  @usableFromInline @exclusivity(unchecked) var isActive = false

  /// Set while somebody works with this statement. See ``checkOut()``.
  public var isCheckedOut: Bool { checkedOut }
  @usableFromInline @exclusivity(unchecked) var checkedOut = false

  /// The first failure to bind since the last reset, or SQLITE_OK.
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

/// Counts of one connection, of statements that are gone.
final class StatementCounters {
  var preparedCount: Int64 = 0
  var finalizedRunCount: Int64 = 0
  var finalizedStepCount: Int64 = 0
}

extension Statement {
  /// Whether the statement cannot change the database.
  public var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

  /// Whether the statement has been stepped and neither finished nor been reset.
  public var isBusy: Bool { sqlite3_stmt_busy(handle) != 0 }

  /// The name of a column, or an empty string where there is none.
  public func columnName(_ column: Int32) -> String {
    guard column >= 0, column < columnCount, let name = sqlite3_column_name(handle, column) else { return "" }
    return String(cString: name)
  }

  /// The number of the parameter with this name (such as ":id"), or 0.
  public func parameterIndex(_ name: String) -> Int32 { sqlite3_bind_parameter_index(handle, name) }

  /// Takes the statement for oneself; false when somebody else has it.
  ///
  /// For holders of a statement that ``Connection/statement(for:)`` gave them and that was checked in since: when this
  /// fails, ask the connection for another copy.
  @inlinable
  public func checkOut() -> Bool {
    if checkedOut { return false }
    checkedOut = true
    return true
  }

  /// Resets the statement and lets others have it.
  @inlinable
  public func checkIn() {
    reset()
    checkedOut = false
  }
}
