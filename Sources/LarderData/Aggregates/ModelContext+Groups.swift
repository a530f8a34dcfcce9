// An addition to Apple's API: computations over groups in the database, without creating objects.

public import Foundation

extension ModelContext {
  /// Computes values for each group of models with equal keys, in the order of the keys.
  ///
  /// ```swift
  /// for (network, (count, strongest)) in try context.groups(
  ///   by: \Quake.network, aggregating: .count, .maximum(\.magnitude))
  /// { print(network, count, strongest ?? 0) }
  /// ```
  ///
  /// Several key paths may form a group; its key is then a tuple. nil is a key like any other, and comes first. Strings are
  /// ordered by their UTF-8 bytes. Groups without a matching model are not returned.
  ///
  /// - Parameters:
  ///   - keyPaths: The key paths that form the groups.
  ///   - aggregates: The values to compute for each group.
  ///   - predicate: The condition that a model must meet; `nil` for all models.
  ///   - includePendingChanges: Whether the context's pending changes are part of the result.
  /// - Returns: The key and the values of each group.
  /// - Throws: The errors of ``aggregate(_:_:where:includePendingChanges:)``.
  public func groups<T: PersistentModel, each Key, each Value>(
    by keyPaths: repeat KeyPath<T, each Key>, aggregating aggregates: repeat Aggregate<T, each Value>,
    where predicate: Predicate<T>? = nil, includePendingChanges: Bool = true
  ) throws -> [(key: (repeat each Key), values: (repeat each Value))] {
    let parts = AggregateFunctionList(repeat each aggregates)
    var keys: [PartialKeyPath<T>] = []
    for keyPath in repeat each keyPaths { keys.append(keyPath) }
    let query = try AggregateQuery<T>(
      core, keys: keys, parts.functions, predicate, includePendingChanges: includePendingChanges)
    return try query.rows().map { row in
      var reader = AggregateReader(query, row: row)
      let key = (repeat try reader.nextKey((each Key).self))
      return (key: key, values: (repeat try reader.next(each aggregates)))
    }
  }

  /// Returns the number of models for each value of a property, in the order of the values.
  ///
  /// ```swift
  /// for (network, count) in try context.counts(by: \Quake.network) { print(network, count) }
  /// ```
  ///
  /// - Throws: The errors of ``aggregate(_:_:where:includePendingChanges:)``.
  public func counts<T: PersistentModel, Key>(
    by keyPath: KeyPath<T, Key>, where predicate: Predicate<T>? = nil, includePendingChanges: Bool = true
  ) throws -> [(key: Key, count: Int)] {
    try groups(
      by: keyPath, aggregating: .count, where: predicate, includePendingChanges: includePendingChanges
    ).map { (key: $0.key, count: $0.values) }
  }

  /// Returns the distinct values of a property among the matching models, sorted; nil comes first.
  ///
  /// ```swift
  /// let networks = try context.distinct(\Quake.network)
  /// ```
  ///
  /// - Throws: The errors of ``aggregate(_:_:where:includePendingChanges:)``.
  public func distinct<T: PersistentModel, Value>(
    _ keyPath: KeyPath<T, Value>, where predicate: Predicate<T>? = nil, includePendingChanges: Bool = true
  ) throws -> [Value] {
    let query = try AggregateQuery<T>(
      core, keys: [keyPath], [], predicate, includePendingChanges: includePendingChanges)
    return try query.rows().map { row in
      var reader = AggregateReader(query, row: row)
      return try reader.nextKey(Value.self)
    }
  }
}
