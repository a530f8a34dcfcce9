// Beyond Apple's API: what a database computes without making objects.

public import Foundation

extension ModelContext {
  /// Several figures of the models that match, from one statement.
  ///
  /// ```swift
  /// let (count, strongest) = try context.aggregate(
  ///   Quake.self, .count, .maximum(\.magnitude), where: #Predicate { $0.time > start })
  /// ```
  ///
  /// What is pending in the context is part of the answer. Where it can change it, the models that match are fetched
  /// and looked at one by one, else none is made.
  ///
  /// - Throws: As ``fetch(_:)``; ``FetchError`` with ``FetchError/Code/invalidAggregate`` for a key path that the store
  ///   cannot compute with, and with ``FetchError/Code/arithmetic`` for a sum that its type has no place for.
  public func aggregate<T: PersistentModel, each Value>(
    _ model: T.Type, _ aggregates: repeat Aggregate<T, each Value>, where predicate: Predicate<T>? = nil,
    includePendingChanges: Bool = true
  ) throws -> (repeat each Value) {
    let parts = AggregateFunctionList(repeat each aggregates)
    let query = try AggregateQuery<T>(
      core, keys: [], parts.functions, predicate, includePendingChanges: includePendingChanges)
    var reader = AggregateReader(query, row: try query.rows().first ?? [])
    return (repeat try reader.next(each aggregates))
  }

  /// How many models match.
  ///
  /// ```swift
  /// let strong = try context.count(Quake.self, where: #Predicate { $0.magnitude >= 5 })
  /// ```
  ///
  /// - Throws: As ``fetch(_:)``.
  public func count<T: PersistentModel>(
    _ model: T.Type, where predicate: Predicate<T>? = nil, includePendingChanges: Bool = true
  ) throws -> Int { try aggregate(model, .count, where: predicate, includePendingChanges: includePendingChanges) }

  /// How many of the models that match have a value that is not nil.
  public func count<T: PersistentModel, Value>(
    of keyPath: KeyPath<T, Value>, where predicate: Predicate<T>? = nil, includePendingChanges: Bool = true
  ) throws -> Int {
    try aggregate(T.self, .count(keyPath), where: predicate, includePendingChanges: includePendingChanges)
  }

  /// How many different values the models that match have, nil not counted.
  public func countDistinct<T: PersistentModel, Value>(
    of keyPath: KeyPath<T, Value>, where predicate: Predicate<T>? = nil, includePendingChanges: Bool = true
  ) throws -> Int {
    try aggregate(T.self, .countDistinct(keyPath), where: predicate, includePendingChanges: includePendingChanges)
  }

  /// The sum of a property over the models that match, nil passed over; zero where there are none.
  ///
  /// ```swift
  /// let total = try context.sum(of: \Payment.amount, where: #Predicate { $0.isSettled })
  /// ```
  ///
  /// Sums are exact, see ``SummableValue``; the sum of infinities of both signs is NaN.
  ///
  /// - Throws: As ``aggregate(_:_:where:includePendingChanges:)``.
  public func sum<T: PersistentModel, Value: SummableValue>(
    of keyPath: KeyPath<T, Value>, where predicate: Predicate<T>? = nil, includePendingChanges: Bool = true
  ) throws -> Value.Sum {
    try aggregate(T.self, .sum(keyPath), where: predicate, includePendingChanges: includePendingChanges)
  }

  /// The average of a property over the models that match, nil passed over; nil where there are none.
  ///
  /// ```swift
  /// let mean = try context.average(of: \Quake.magnitude) ?? 0
  /// ```
  ///
  /// - Throws: As ``aggregate(_:_:where:includePendingChanges:)``.
  public func average<T: PersistentModel, Value: SummableValue>(
    of keyPath: KeyPath<T, Value>, where predicate: Predicate<T>? = nil, includePendingChanges: Bool = true
  ) throws -> Value.Average? {
    try aggregate(T.self, .average(keyPath), where: predicate, includePendingChanges: includePendingChanges)
  }

  /// The least value of a property among the models that match; nil where there are none.
  ///
  /// Where the property has an index, and there is no predicate, this reads one entry of it. Strings are compared by
  /// their UTF-8 bytes, as in predicates.
  ///
  /// - Throws: As ``aggregate(_:_:where:includePendingChanges:)``.
  public func minimum<T: PersistentModel, Value: OrderedValue>(
    of keyPath: KeyPath<T, Value>, where predicate: Predicate<T>? = nil, includePendingChanges: Bool = true
  ) throws -> Value.Present? {
    try aggregate(T.self, .minimum(keyPath), where: predicate, includePendingChanges: includePendingChanges)
  }

  /// The greatest value of a property among the models that match; nil where there are none. See
  /// ``minimum(of:where:includePendingChanges:)``.
  public func maximum<T: PersistentModel, Value: OrderedValue>(
    of keyPath: KeyPath<T, Value>, where predicate: Predicate<T>? = nil, includePendingChanges: Bool = true
  ) throws -> Value.Present? {
    try aggregate(T.self, .maximum(keyPath), where: predicate, includePendingChanges: includePendingChanges)
  }
}
