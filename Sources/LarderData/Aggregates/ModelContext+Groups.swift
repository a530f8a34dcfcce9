// Beyond Apple's API: what a database computes of groups without making objects.

public import Foundation

extension ModelContext {
  /// Figures of each group of models that have the same values, in the order of these values.
  ///
  /// ```swift
  /// for (network, (count, strongest)) in try context.groups(
  ///   by: \Quake.network, aggregating: .count, .maximum(\.magnitude))
  /// { print(network, count, strongest ?? 0) }
  /// ```
  ///
  /// A group can be made by several key paths, which then are a tuple. nil is a value as others are, and comes first;
  /// texts are in the order of their UTF-8 bytes. Groups of which no model matches are not there.
  ///
  /// - Throws: As ``aggregate(_:_:where:includePendingChanges:)``.
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

  /// How many models there are of each value of a property, in the order of the values.
  ///
  /// ```swift
  /// for (network, count) in try context.counts(by: \Quake.network) { print(network, count) }
  /// ```
  ///
  /// - Throws: As ``aggregate(_:_:where:includePendingChanges:)``.
  public func counts<T: PersistentModel, Key>(
    by keyPath: KeyPath<T, Key>, where predicate: Predicate<T>? = nil, includePendingChanges: Bool = true
  ) throws -> [(key: Key, count: Int)] {
    try groups(
      by: keyPath, aggregating: .count, where: predicate, includePendingChanges: includePendingChanges
    ).map { (key: $0.key, count: $0.values) }
  }

  /// The different values of a property among the models that match, in their order; nil comes first.
  ///
  /// ```swift
  /// let networks = try context.distinct(\Quake.network)
  /// ```
  ///
  /// - Throws: As ``aggregate(_:_:where:includePendingChanges:)``.
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
