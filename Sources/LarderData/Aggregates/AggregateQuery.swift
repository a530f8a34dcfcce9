import Foundation
import LarderSQLite
import LarderSupport

/// Computes functions of groups of models: in one statement where the store has the whole answer, else over the
/// models that match.
struct AggregateQuery<Model: PersistentModel> {
  typealias Part = (function: AggregateFunction, column: AggregateColumn?)

  let layout: ModelLayout
  let keys: [AggregateColumn]
  private let parts: [Part]
  private let fetch: PreparedFetch
  /// Where objects are asked as they are stored: a context that has nothing pending.
  private let storedCore: ContextCore?

  /// - Parameters:
  ///   - keys: What makes a group; without any, all models are one.
  init(
    _ core: ContextCore, keys: [PartialKeyPath<Model>], _ functions: [(AggregateFunction, PartialKeyPath<Model>?)],
    _ predicate: Predicate<Model>?, includePendingChanges: Bool
  ) throws {
    let layout = Model._$layout
    self.layout = layout
    var descriptor = FetchDescriptor<Model>(predicate: predicate)
    descriptor.includePendingChanges = includePendingChanges
    if core.asksStores { try core.bringUpToDate(descriptor) }
    self.keys = try keys.map { try AggregateColumn.find($0, layout, for: .aggregate) }
    parts = try functions.map { function, keyPath in
      let column = try keyPath.map { try AggregateColumn.find($0, layout, for: .aggregate) }
      try column?.requireOneColumn(layout)
      if function == .minimum || function == .maximum { _ = try column?.requireOrder(layout) }
      return (function, column)
    }
    asksObjects = (self.keys + parts.compactMap(\.column)).contains { $0.asked != nil }
    storedCore =
      asksObjects && !includePendingChanges && core.hasChanges ? ContextCore(container: core.container) : nil
    fetch = try PreparedFetch(FetchRequest(descriptor), in: storedCore ?? core)
  }

  /// Whether some of it the store cannot say.
  private let asksObjects: Bool

  func column(of part: Int) -> AggregateColumn? { parts[part].column }

  /// For each group, in the order of the keys, the stored values of its keys and then those of the functions.
  func rows() throws -> [[StoredValue]] { try mustBeInMemory() ? rowsInMemory() : rowsOfStore() }

  /// Whether something is pending that the store's answer would leave out.
  private func mustBeInMemory() throws -> Bool {
    if asksObjects { return true }
    if fetch.request.includesPending {
      let mask = (keys + parts.compactMap(\.column)).reduce(into: PropertyMask()) { $0 |= $1.mask }
      if fetch.state.familyDirtyMask & mask != 0 { return true }
    }
    return try fetch.concernsPending()
  }

  // MARK: In the store

  private func rowsOfStore() throws -> [[StoredValue]] {
    let names = keys.flatMap { $0.names(layout) }
    let functions = parts.map { part in
      part.function.sql(
        part.column?.names(layout).first ?? "", ordered: part.column?.orderedNames(layout).first ?? "")
    }
    var tail = ""
    if !keys.isEmpty {
      let order = keys.flatMap { $0.orderedNames(layout) }
      tail = " GROUP BY \(names.joined(separator: ", ")) ORDER BY \(order.joined(separator: ", "))"
    }
    let yield = QueryYield.aggregate(columns: (names + functions).joined(separator: ", "), tail: tail)
    return try fetch.run(yield, limit: nil, offset: 0) { statement in
      var rows: [[StoredValue]] = []
      while try statement.step() {
        rows.append((0..<statement.columnCount).map { StoredValue(column: $0, of: statement.handle) })
      }
      return rows
    }
  }

  // MARK: In memory

  private func rowsInMemory() throws -> [[StoredValue]] {
    defer { storedCore?.abandon() }
    let models = try fetch.models(Model.self)
    var groups: [[StoredValue]: [any Accumulator]] = keys.isEmpty ? [[]: accumulators()] : [:]
    for model in models {
      let values = fetch.state.own(model).values
      let key = try keys.flatMap { try $0.values(of: model, values) }
      let group = groups[key] ?? accumulators()
      for (accumulator, part) in zip(group, parts) {
        accumulator.add(try part.column?.values(of: model, values).first ?? .null)
      }
      groups[key] = group
    }
    let orders = keys.flatMap { $0.orders(layout) }
    return groups.sorted { isBefore($0.key, $1.key, orders) }.map { $0.key + $0.value.flatMap(\.result) }
  }

  private func accumulators() -> [any Accumulator] {
    parts.map { $0.function.accumulator($0.column?.order ?? .text) }
  }

  private func isBefore(_ left: [StoredValue], _ right: [StoredValue], _ orders: [ColumnOrder]) -> Bool {
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
