public import LarderSQLite

/// Writes an object's properties, in the order that a model's layout gives them.
///
/// What `@Model` generates writes through this and knows nothing of SQLite. On the fast path values are bound to a
/// statement without a copy on the heap; any other sink collects them as ``_StoredValue``.
public struct _RowBinder: ~Copyable {
  /// Held by whoever makes a binder, and runs the statement afterwards.
  @usableFromInline let statement: UnretainedStatement?
  @usableFromInline let sink: _RowSink?
  @usableFromInline package var nextIndex: Int32
  /// Not counted, for each row: layouts are static, or kept with the classes of a file's rows.
  @usableFromInline unowned(unsafe) let layout: _ModelLayout
  /// The first value that could not be stored: the position at which it was met, and why.
  @usableFromInline package var firstProblem: (position: Int32, reason: String)?

  @inlinable
  package init(statement: Statement, layout: _ModelLayout, first: Int32 = 1) {
    self.statement = UnretainedStatement(statement)
    self.sink = nil
    self.layout = layout
    self.nextIndex = first
  }

  package init(sink: _RowSink, layout: _ModelLayout) {
    self.statement = nil
    self.sink = sink
    self.layout = layout
    self.nextIndex = 1
  }

  /// Binds a scalar to the next place.
  @inlinable
  public mutating func bind<Value: _ColumnValue>(_ value: Value) {
    if let statement {
      let index = nextIndex
      nextIndex &+= 1
      value._bind(statement, index, &self)
    } else {
      bindToSink(value)
    }
  }

  /// Binds a row's identifier; what is not above 0 stands for none.
  @usableFromInline
  mutating func bindForeignKey(_ row: Int64, _ property: Int) {
    if row <= 0 {
      if !layout.properties[property].isOptional {
        reportUnstorable("it refers to nothing, and is not optional", at: nextIndex)
      }
      bindStored(.null)
    } else {
      bindStored(.integer(row))
    }
  }

  @usableFromInline
  mutating func bindToSink<Value: _ColumnValue>(_ value: Value) {
    do {
      let stored = try value._stored()
      bindStored(stored)
    } catch {
      reportUnstorable(error.reason, at: nextIndex)
      bindStored(.null)
    }
  }

  /// Binds a stored form to the next place.
  public mutating func bindStored(_ value: _StoredValue) {
    if let sink {
      sink.values.append(value)
    } else if let statement {
      statement.bind(nextIndex, value)
    }
    nextIndex &+= 1
  }

  /// Says that the value for a place cannot be stored; the first such value is the one that is told.
  public mutating func reportUnstorable(_ reason: String, at position: Int32) {
    if firstProblem == nil { firstProblem = (position, reason) }
  }
}

/// Collects what a ``_RowBinder`` is given.
public final class _RowSink {
  // An element is added or the list is read: nothing of a user's runs meanwhile.
  @exclusivity(unchecked) package var values: [_StoredValue] = []
  package init() {}
}

extension Statement {
  /// Binds any stored value, for the paths that are not hot.
  package func bind(_ index: Int32, _ value: _StoredValue) { UnretainedStatement(self).bind(index, value) }
}

extension UnretainedStatement {
  /// Binds any stored value, for the paths that are not hot.
  package func bind(_ index: Int32, _ value: _StoredValue) {
    switch value {
    case .null: bindNull(index)
    case .integer(let value): bind(index, value)
    case .real(let value): bind(index, value)
    case .text(let value): bind(index, value)
    case .blob(let value): value.withUnsafeBytes { bind(index, $0) }
    }
  }
}
