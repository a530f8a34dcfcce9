public import LarderSQLite

/// Writes an object's properties, in the order that a model's layout gives them.
///
/// What `@Model` generates writes through this and knows nothing of SQLite. On the fast path values are bound to a
/// statement without a copy on the heap; any other sink collects them as ``StoredValue``.
public struct RowBinder: ~Copyable {
  /// Held by whoever makes a binder, and runs the statement afterwards.
  @usableFromInline let statement: UncountedStatement?
  @usableFromInline let sink: RowSink?
  @usableFromInline package var next: Int32
  /// Not counted, for each row: layouts are static, or kept with the classes of a file's rows.
  @usableFromInline unowned(unsafe) let layout: ModelLayout
  /// The first value that could not be stored: the position at which it was met, and why.
  @usableFromInline package var problem: (position: Int32, reason: String)?

  @inlinable
  package init(statement: Statement, layout: ModelLayout, first: Int32 = 1) {
    self.statement = UncountedStatement(statement)
    self.sink = nil
    self.layout = layout
    self.next = first
  }

  package init(sink: RowSink, layout: ModelLayout) {
    self.statement = nil
    self.sink = sink
    self.layout = layout
    self.next = 1
  }

  /// Binds a scalar to the next place.
  @inlinable
  public mutating func bind<Value: ColumnValue>(_ value: Value) {
    if let statement {
      let index = next
      next &+= 1
      value._bind(statement, index, &self)
    } else {
      slowBind(value)
    }
  }

  /// Binds a row's identifier; what is not above 0 stands for none.
  @usableFromInline
  mutating func bindKey(_ row: Int64, _ property: Int) {
    if row <= 0 {
      if !layout.properties[property].isOptional {
        fail("it refers to nothing, and is not optional", at: next)
      }
      put(.null)
    } else {
      put(.integer(row))
    }
  }

  @usableFromInline
  mutating func slowBind<Value: ColumnValue>(_ value: Value) {
    do {
      let stored = try value._stored()
      put(stored)
    } catch {
      fail(error.reason, at: next)
      put(.null)
    }
  }

  /// Binds a stored form to the next place.
  public mutating func put(_ value: StoredValue) {
    if let sink {
      sink.values.append(value)
    } else if let statement {
      statement.bind(next, value)
    }
    next &+= 1
  }

  /// Says that the value for a place cannot be stored; the first such value is the one that is told.
  public mutating func fail(_ reason: String, at position: Int32) {
    if problem == nil { problem = (position, reason) }
  }
}

/// Collects what a ``RowBinder`` is given.
public final class RowSink {
  // An element is added or the list is read: nothing of a user's runs meanwhile.
  @exclusivity(unchecked) package var values: [StoredValue] = []
  package init() {}
}

extension Statement {
  /// Binds any stored value, for the paths that are not hot.
  package func bind(_ index: Int32, _ value: StoredValue) { UncountedStatement(self).bind(index, value) }
}

extension UncountedStatement {
  /// Binds any stored value, for the paths that are not hot.
  package func bind(_ index: Int32, _ value: StoredValue) {
    switch value {
    case .null: bindNull(index)
    case .integer(let value): bind(index, value)
    case .real(let value): bind(index, value)
    case .text(let value): bind(index, value)
    case .blob(let value): value.withUnsafeBytes { bind(index, $0) }
    }
  }
}
