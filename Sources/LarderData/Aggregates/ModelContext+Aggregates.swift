// An addition to Apple's API: computations in the database, without creating objects.

public import Foundation

extension ModelContext {
  /// Computes several values over the matching models, with one statement.
  ///
  /// ```swift
  /// let (count, strongest) = try context.aggregate(
  ///   Quake.self, .count, .maximum(\.magnitude), where: #Predicate { $0.time > start })
  /// ```
  ///
  /// The context's pending changes are part of the result. If they can change it, the matching models are fetched and
  /// evaluated one by one; otherwise no objects are created.
  ///
  /// - Parameters:
  ///   - model: The class of the models.
  ///   - aggregates: The values to compute.
  ///   - predicate: The condition that a model must meet; `nil` for all models.
  ///   - includePendingChanges: Whether the context's pending changes are part of the result.
  /// - Returns: The values, in the order of the aggregates.
  /// - Throws: The errors of ``fetch(_:)``; ``FetchError`` with ``FetchError/Code/invalidAggregate`` for a key path that the
  ///   store cannot compute with, and with ``FetchError/Code/arithmetic`` for a sum that its type cannot represent.
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

  /// Returns the number of matching models.
  ///
  /// ```swift
  /// let strong = try context.count(Quake.self, where: #Predicate { $0.magnitude >= 5 })
  /// ```
  ///
  /// - Parameters:
  ///   - model: The class of the models.
  ///   - predicate: The condition that a model must meet; `nil` for all models.
  ///   - includePendingChanges: Whether the context's pending changes are part of the result.
  /// - Throws: The errors of ``fetch(_:)``.
  public func count<T: PersistentModel>(
    _ model: T.Type, where predicate: Predicate<T>? = nil, includePendingChanges: Bool = true
  ) throws -> Int { try aggregate(model, .count, where: predicate, includePendingChanges: includePendingChanges) }

  /// Returns the number of matching models whose value is not nil.
  ///
  /// - Throws: The errors of ``aggregate(_:_:where:includePendingChanges:)``.
  public func count<T: PersistentModel, Value>(
    of keyPath: KeyPath<T, Value>, where predicate: Predicate<T>? = nil, includePendingChanges: Bool = true
  ) throws -> Int {
    try aggregate(T.self, .count(keyPath), where: predicate, includePendingChanges: includePendingChanges)
  }

  /// Returns the number of distinct values of the matching models, nil not counted.
  ///
  /// - Throws: The errors of ``aggregate(_:_:where:includePendingChanges:)``.
  public func countDistinct<T: PersistentModel, Value>(
    of keyPath: KeyPath<T, Value>, where predicate: Predicate<T>? = nil, includePendingChanges: Bool = true
  ) throws -> Int {
    try aggregate(T.self, .countDistinct(keyPath), where: predicate, includePendingChanges: includePendingChanges)
  }

  /// Returns the sum of a property over the matching models, nil skipped; zero if there are none.
  ///
  /// ```swift
  /// let total = try context.sum(of: \Payment.amount, where: #Predicate { $0.isSettled })
  /// ```
  ///
  /// Sums are exact, see ``SummableValue``; the sum of infinities of both signs is NaN.
  ///
  /// - Throws: The errors of ``aggregate(_:_:where:includePendingChanges:)``.
  public func sum<T: PersistentModel, Value: SummableValue>(
    of keyPath: KeyPath<T, Value>, where predicate: Predicate<T>? = nil, includePendingChanges: Bool = true
  ) throws -> Value.Sum {
    try aggregate(T.self, .sum(keyPath), where: predicate, includePendingChanges: includePendingChanges)
  }

  /// Returns the average of a property over the matching models, nil skipped; nil if there are none.
  ///
  /// ```swift
  /// let mean = try context.average(of: \Quake.magnitude) ?? 0
  /// ```
  ///
  /// - Throws: The errors of ``aggregate(_:_:where:includePendingChanges:)``.
  public func average<T: PersistentModel, Value: SummableValue>(
    of keyPath: KeyPath<T, Value>, where predicate: Predicate<T>? = nil, includePendingChanges: Bool = true
  ) throws -> Value.Average? {
    try aggregate(T.self, .average(keyPath), where: predicate, includePendingChanges: includePendingChanges)
  }

  /// Returns the minimum of a property over the matching models; nil if there are none.
  ///
  /// If the property has an index and there is no predicate, this reads one entry of the index. Strings are compared by
  /// their UTF-8 bytes, as in predicates.
  ///
  /// - Throws: The errors of ``aggregate(_:_:where:includePendingChanges:)``.
  public func minimum<T: PersistentModel, Value: OrderedValue>(
    of keyPath: KeyPath<T, Value>, where predicate: Predicate<T>? = nil, includePendingChanges: Bool = true
  ) throws -> Value.Present? {
    try aggregate(T.self, .minimum(keyPath), where: predicate, includePendingChanges: includePendingChanges)
  }

  /// Returns the maximum of a property over the matching models; nil if there are none. See
  /// ``minimum(of:where:includePendingChanges:)``.
  public func maximum<T: PersistentModel, Value: OrderedValue>(
    of keyPath: KeyPath<T, Value>, where predicate: Predicate<T>? = nil, includePendingChanges: Bool = true
  ) throws -> Value.Present? {
    try aggregate(T.self, .maximum(keyPath), where: predicate, includePendingChanges: includePendingChanges)
  }
}
