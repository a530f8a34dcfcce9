public import CSQLite

/// A statement for binding values that is not reference-counted.
///
/// With a million rows, each value is bound by a call of its own; retaining and releasing the statement around each
/// call took as long as the binding. The caller must retain the statement for as long as this value is used, and runs
/// it afterwards.
///
/// ```swift
/// let target = UnretainedStatement(insert)
/// target.bind(1, 7 as Int64)
/// target.bind(2, "pear")
/// try insert.run()
/// ```
@frozen
public struct UnretainedStatement {
  /// The statement's own handle.
  public let handle: OpaquePointer
  @usableFromInline let statement: Unmanaged<Statement>

  /// Creates a reference to the statement, without retaining it.
  @inlinable
  public init(_ statement: Statement) {
    handle = statement.handle
    self.statement = .passUnretained(statement)
  }

  /// Binds an integer.
  @inlinable
  public func bind(_ index: Int32, _ value: Int64) {
    if sqlite3_bind_int64(handle, index, value) != SQLITE_OK { bindThroughStatement(index, value) }
  }

  /// Binds a number; NaN becomes NULL, as SQLite has no NaN.
  @inlinable
  public func bind(_ index: Int32, _ value: Double) {
    if sqlite3_bind_double(handle, index, value) != SQLITE_OK { bindThroughStatement(index, value) }
  }

  /// Binds NULL.
  @inlinable
  public func bindNull(_ index: Int32) {
    if sqlite3_bind_null(handle, index) != SQLITE_OK { bindNullThroughStatement(index) }
  }

  /// Binds a text; see ``Statement/bind(_:_:)-(_,String)``.
  @inlinable
  public func bind(_ index: Int32, _ value: String) {
    statement._withUnsafeGuaranteedRef { $0.bind(index, value) }
  }

  /// Binds a blob; see ``Statement/bind(_:_:)-(_,UnsafeRawBufferPointer)``.
  public func bind(_ index: Int32, _ value: UnsafeRawBufferPointer) {
    statement._withUnsafeGuaranteedRef { $0.bind(index, value) }
  }

  // A binding that fails is repeated by the statement itself, which finds the cause and records it.

  @usableFromInline @inline(never)
  func bindThroughStatement(_ index: Int32, _ value: Int64) { statement.takeUnretainedValue().bind(index, value) }

  @usableFromInline @inline(never)
  func bindThroughStatement(_ index: Int32, _ value: Double) { statement.takeUnretainedValue().bind(index, value) }

  @usableFromInline @inline(never)
  func bindNullThroughStatement(_ index: Int32) { statement.takeUnretainedValue().bindNull(index) }
}
