import Foundation
import LarderSQLite
import LarderSupport

/// A computation of functions over groups of models: by one statement if the store has the whole answer, otherwise over the
/// matching models in memory.
struct AggregateQuery<Model: PersistentModel> {
  typealias Aggregation = (function: AggregateFunction, column: AggregateColumn?)

  let layout: _ModelLayout
  let keys: [AggregateColumn]
  private let aggregations: [Aggregation]
  private let fetch: PreparedFetch
  /// A context without pending changes, for evaluating objects as they are stored.
  private let storedStateCore: _ContextCore?

  /// Creates a query.
  ///
  /// - Parameters:
  ///   - keys: The key paths that form groups; without any, all models are one group.
  init(
    _ core: _ContextCore, keys: [PartialKeyPath<Model>], _ functions: [(AggregateFunction, PartialKeyPath<Model>?)],
    _ predicate: Predicate<Model>?, includePendingChanges: Bool
  ) throws {
    let layout = Model._$layout
    self.layout = layout
    var descriptor = FetchDescriptor<Model>(predicate: predicate)
    descriptor.includePendingChanges = includePendingChanges
    if core.hasStorageBackends { try core.refreshFromBackend(descriptor) }
    self.keys = try keys.map { try AggregateColumn.find($0, layout, for: .aggregate) }
    aggregations = try functions.map { function, keyPath in
      let column = try keyPath.map { try AggregateColumn.find($0, layout, for: .aggregate) }
      try column?.requireOneColumn(layout)
      if function == .minimum || function == .maximum { _ = try column?.requireOrder(layout) }
      return (function, column)
    }
    evaluatesObjects = (self.keys + aggregations.compactMap(\.column)).contains { $0.accessor != nil }
    storedStateCore =
      evaluatesObjects && !includePendingChanges && core.hasChanges ? _ContextCore(container: core.container) : nil
    fetch = try PreparedFetch(FetchRequest(descriptor), in: storedStateCore ?? core)
  }

  /// Whether a part of the query has no SQL and is evaluated on objects.
  private let evaluatesObjects: Bool

  func column(of part: Int) -> AggregateColumn? { aggregations[part].column }

  /// Returns, for each group in the order of the keys, the stored values of its keys, then those of the functions.
  func rows() throws -> [[_StoredValue]] { try requiresInMemoryEvaluation() ? rowsInMemory() : rowsFromStore() }

  /// Returns whether pending changes would be missing from the store's answer.
  private func requiresInMemoryEvaluation() throws -> Bool {
    if evaluatesObjects { return true }
    if fetch.request.includesPending {
      let mask = (keys + aggregations.compactMap(\.column)).reduce(into: _PropertyMask()) { $0 |= $1.mask }
      if fetch.tracker.familyDirtyMask & mask != 0 { return true }
    }
    return try fetch.isAffectedByPendingChanges()
  }

  // MARK: In the store

  private func rowsFromStore() throws -> [[_StoredValue]] {
    let names = keys.flatMap { $0.names(layout) }
    let functions = aggregations.map { part in
      part.function.sql(
        part.column?.names(layout).first ?? "", ordered: part.column?.orderedNames(layout).first ?? "")
    }
    var tail = ""
    if !keys.isEmpty {
      let order = keys.flatMap { $0.orderedNames(layout) }
      tail = " GROUP BY \(names.joined(separator: ", ")) ORDER BY \(order.joined(separator: ", "))"
    }
    let yield = ResultShape.aggregate(columns: (names + functions).joined(separator: ", "), tail: tail)
    return try fetch.run(yield, limit: nil, offset: 0) { statement in
      var rows: [[_StoredValue]] = []
      while try statement.step() {
        rows.append((0..<statement.columnCount).map { _StoredValue(column: $0, of: statement.handle) })
      }
      return rows
    }
  }

  // MARK: In memory

  private func rowsInMemory() throws -> [[_StoredValue]] {
    defer { storedStateCore?.abandon() }
    let models = try fetch.models(Model.self)
    var groups: [[_StoredValue]: [any Accumulator]] = keys.isEmpty ? [[]: makeAccumulators()] : [:]
    for model in models {
      let values = fetch.tracker.concreteTracker(model).objectValues
      let key = try keys.flatMap { try $0.values(of: model, values) }
      let group = groups[key] ?? makeAccumulators()
      for (accumulator, part) in zip(group, aggregations) {
        accumulator.add(try part.column?.values(of: model, values).first ?? .null)
      }
      groups[key] = group
    }
    let orders = keys.flatMap { $0.orders(layout) }
    return groups.sorted { isBefore($0.key, $1.key, orders) }.map { $0.key + $0.value.flatMap(\.result) }
  }

  private func makeAccumulators() -> [any Accumulator] {
    aggregations.map { $0.function.makeAccumulator($0.column?.orderKind ?? .text) }
  }

  private func isBefore(_ left: [_StoredValue], _ right: [_StoredValue], _ orders: [ColumnOrder]) -> Bool {
    for (order, (left, right)) in zip(orders, zip(left, right)) {
      switch (left, right) {
      case (.null, .null): continue
      case (.null, _): return true
      case (_, .null): return false
      default:
        let sign = StoredOrder.sign(left, right, order == .decimal ? .decimal : .text) ?? 0
        if sign != 0 { return sign < 0 }
      }
    }
    return false
  }
}
