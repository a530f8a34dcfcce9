import LarderSupport

/// Something to compute of many models: a part of ``ModelContext/aggregate(_:_:where:includePendingChanges:)`` and of
/// ``ModelContext/groups(by:aggregating:where:includePendingChanges:)``.
///
/// ```swift
/// let (count, strongest) = try context.aggregate(Quake.self, .count, .maximum(\.magnitude))
/// ```
///
/// nil is passed over, as in SQL: an average is that of the values that are there. Without any, a sum is zero, and an
/// average, a minimum and a maximum are nil.
public struct Aggregate<Model: PersistentModel, Value> {
  let function: AggregateFunction
  let keyPath: PartialKeyPath<Model>?
  /// Makes the value from the columns that the function takes.
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

/// What a value is read with.
struct AggregateReading {
  let layout: _ModelLayout
  let column: AggregateColumn?

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
  /// How many models there are.
  public static var count: Aggregate {
    Aggregate(.rows, nil) { stored, _ in integer(stored.first) }
  }

  /// How many models have a value that is not nil.
  public static func count<Member>(_ keyPath: KeyPath<Model, Member>) -> Aggregate {
    Aggregate(.values, keyPath) { stored, _ in integer(stored.first) }
  }

  /// How many different values there are, nil not counted.
  public static func countDistinct<Member>(_ keyPath: KeyPath<Model, Member>) -> Aggregate {
    Aggregate(.distinctValues, keyPath) { stored, _ in integer(stored.first) }
  }
}

private func integer(_ stored: _StoredValue?) -> Int {
  if case .integer(let value) = stored { Int(clamping: value) } else { 0 }
}

// MARK: - Sums

extension Aggregate {
  /// The sum of the values that are not nil; zero of no values.
  public static func sum<Number: SummableValue>(_ keyPath: KeyPath<Model, Number>) -> Aggregate
  where Value == Number.Sum {
    Aggregate(.sum(Number._total), keyPath) { stored, reading in
      try reading.requireRepresentable(stored.first.flatMap(Number._sum), "sum")
    }
  }

  /// The average of the values that are not nil; nil of no values.
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

// MARK: - Extremes

extension Aggregate {
  /// The least value that is not nil; nil of no values.
  public static func minimum<Member: OrderedValue>(_ keyPath: KeyPath<Model, Member>) -> Aggregate
  where Value == Member.Present? { extreme(.minimum, keyPath) }

  /// The greatest value that is not nil; nil of no values.
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
