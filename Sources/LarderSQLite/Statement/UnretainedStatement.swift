public import CSQLite

/// A statement to bind values to, that is not counted as held.
///
/// Of a million rows each value is bound by a call of its own; to retain and release the statement around each took as long
/// as the binding. Whoever makes one of these holds the statement for as long as it is used, and runs it afterwards.
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

  @inlinable
  public init(_ statement: Statement) {
    handle = statement.handle
    self.statement = .passUnretained(statement)
  }

  @inlinable
  public func bind(_ index: Int32, _ value: Int64) {
    if sqlite3_bind_int64(handle, index, value) != SQLITE_OK { bindThroughStatement(index, value) }
  }

  /// Binds a number; NaN becomes NULL, as SQLite has no NaN.
  @inlinable
  public func bind(_ index: Int32, _ value: Double) {
    if sqlite3_bind_double(handle, index, value) != SQLITE_OK { bindThroughStatement(index, value) }
  }

  @inlinable
  public func bindNull(_ index: Int32) {
    if sqlite3_bind_null(handle, index) != SQLITE_OK { bindNullThroughStatement(index) }
  }

  /// As ``Statement/bind(_:_:)-(_,String)``.
  @inlinable
  public func bind(_ index: Int32, _ value: String) {
    statement._withUnsafeGuaranteedRef { $0.bind(index, value) }
  }

  /// As ``Statement/bind(_:_:)-(_,UnsafeRawBufferPointer)``.
  public func bind(_ index: Int32, _ value: UnsafeRawBufferPointer) {
    statement._withUnsafeGuaranteedRef { $0.bind(index, value) }
  }

  // What fails is bound once more by the statement itself, which knows why, and notes it.

  @usableFromInline @inline(never)
  func bindThroughStatement(_ index: Int32, _ value: Int64) { statement.takeUnretainedValue().bind(index, value) }

  @usableFromInline @inline(never)
  func bindThroughStatement(_ index: Int32, _ value: Double) { statement.takeUnretainedValue().bind(index, value) }

  @usableFromInline @inline(never)
  func bindNullThroughStatement(_ index: Int32) { statement.takeUnretainedValue().bindNull(index) }
}
