import LarderSupport

/// A value computed from many models: an argument of ``ModelContext/aggregate(_:_:where:includePendingChanges:)`` and
/// ``ModelContext/groups(by:aggregating:where:includePendingChanges:)``.
///
/// ```swift
/// let (count, strongest) = try context.aggregate(Quake.self, .count, .maximum(\.magnitude))
/// ```
///
/// nil is skipped, as in SQL: an average is that of the other values. Without any other value, a sum is zero, and an
/// average, a minimum and a maximum are nil.
public struct Aggregate<Model: PersistentModel, Value> {
  let function: AggregateFunction
  let keyPath: PartialKeyPath<Model>?
  /// Creates the value from the result columns of the function.
  let value: (ArraySlice<_StoredValue>, AggregateReading) throws -> Value

  fileprivate init(
    _ function: AggregateFunction, _ keyPath: PartialKeyPath<Model>?,
    _ value: @escaping (ArraySlice<_StoredValue>, AggregateReading) throws -> Value
  ) {
    self.function = function
    self.keyPath = keyPath
    self.value = value
  }
}

/// The context for converting stored values: a layout and a column.
struct AggregateReading {
  let layout: _ModelLayout
  let column: AggregateColumn?

  /// Returns the value, or throws if there is none.
  ///
  /// - Throws: ``FetchError`` with ``FetchError/Code/arithmetic``.
  func requireRepresentable<Value>(_ value: Value?, _ what: String) throws -> Value {
    if let value { return value }
    throw FetchError(
      .arithmetic, entityName: layout.entityName,
      "The \(what) of \(column?.name ?? "the rows") has no place in \(Value.self), or a stored value is no number. "
        + "Narrow the predicate, or fetch the models and add them up in a wider type.")
  }
}

// MARK: - Counts

extension Aggregate where Value == Int {
  /// The number of models.
  public static var count: Aggregate {
    Aggregate(.rows, nil) { stored, _ in integer(stored.first) }
  }

  /// Returns the number of models with a value that is not nil.
  public static func count<Member>(_ keyPath: KeyPath<Model, Member>) -> Aggregate {
    Aggregate(.values, keyPath) { stored, _ in integer(stored.first) }
  }

  /// Returns the number of distinct values, nil not counted.
  public static func countDistinct<Member>(_ keyPath: KeyPath<Model, Member>) -> Aggregate {
    Aggregate(.distinctValues, keyPath) { stored, _ in integer(stored.first) }
  }
}

private func integer(_ stored: _StoredValue?) -> Int {
  if case .integer(let value) = stored { Int(clamping: value) } else { 0 }
}

// MARK: - Sums

extension Aggregate {
  /// Returns the sum of the values that are not nil; zero if there are none.
  public static func sum<Number: SummableValue>(_ keyPath: KeyPath<Model, Number>) -> Aggregate
  where Value == Number.Sum {
    Aggregate(.sum(Number._total), keyPath) { stored, reading in
      try reading.requireRepresentable(stored.first.flatMap(Number._sum), "sum")
    }
  }

  /// Returns the average of the values that are not nil; nil if there are none.
  public static func average<Number: SummableValue>(_ keyPath: KeyPath<Model, Number>) -> Aggregate
  where Value == Number.Average? {
    Aggregate(.average(Number._total), keyPath) { stored, reading in
      guard let total = stored.first, let last = stored.last else { return nil }
      if Number._total == .integer { return Number._average(total, count: 0) }
      let count = integer(last)
      return count == 0 ? nil : try reading.requireRepresentable(Number._average(total, count: count), "average")
    }
  }
}

// MARK: - Extrema

extension Aggregate {
  /// Returns the minimum of the values that are not nil; nil if there are none.
  public static func minimum<Member: OrderedValue>(_ keyPath: KeyPath<Model, Member>) -> Aggregate
  where Value == Member.Present? { extreme(.minimum, keyPath) }

  /// Returns the maximum of the values that are not nil; nil if there are none.
  public static func maximum<Member: OrderedValue>(_ keyPath: KeyPath<Model, Member>) -> Aggregate
  where Value == Member.Present? { extreme(.maximum, keyPath) }

  private static func extreme<Member: OrderedValue>(
    _ function: AggregateFunction, _ keyPath: KeyPath<Model, Member>
  ) -> Aggregate where Value == Member.Present? {
    Aggregate(function, keyPath) { stored, reading in
      if stored.first == .null { return nil }
      return try reading.column?.value(stored, reading.layout, Member.self)._present
    }
  }
}
