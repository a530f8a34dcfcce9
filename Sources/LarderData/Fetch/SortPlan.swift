package import Foundation

/// Sort descriptors as ORDER BY, and as the same order in memory.
///
/// nil comes first in ascending order, as in SQLite, and last in descending; rows that are equal in every descriptor
/// stand in the order of their identifiers.
@usableFromInline
package struct SortPlan {
  /// The text after ORDER BY.
  package let sql: String
  /// The properties that are compared, by ``ModelLayout/bit(_:)``.
  package let mask: UInt64

  /// The objects that relationships lead to, one list for each key that follows some.
  let related: [[RelatedSource]]

  private let keys: [SortKey]

  /// - Throws: ``SwiftDataError/unsupportedSortDescriptor``, with the descriptor that has no order in the store.
  package init<Model>(_ descriptors: [SortDescriptor<Model>], layout: ModelLayout) throws {
    keys = try descriptors.map { try SortKey($0, layout) }
    mask = keys.reduce(0) { mask, key in
      mask | (key.related.map { $0.path[0].bit } ?? ModelLayout.bit(layout.columns[key.column].property))
    }
    related = keys.compactMap { $0.related?.sources }
    let dialect = SQLiteDialect()
    sql = (keys.map { $0.sql(dialect, layout) } + [StoreFormat.identifierColumn]).joined(separator: ", ")
  }

  /// The same where the statement joins tables.
  func joinedSQL(_ layout: ModelLayout) -> String {
    let dialect = SQLiteDialect()
    let identifier = "+\(dialect.identifier(layout.entityName)).\(StoreFormat.identifierColumn)"
    return (keys.map { $0.sql(dialect, layout, isJoined: true) } + [identifier]).joined(separator: ", ")
  }

  /// The columns of which an index has this order; empty where none can have it.
  var indexableColumns: [Int] {
    let directions = Set(keys.map(\.isReverse))
    let isStored = keys.allSatisfy { key in
      if case .stored = key.comparison { key.related == nil } else { false }
    }
    // Rows that are equal come by identifier, forward: an index of which the rest is read backward would not do.
    return isStored && directions.count == 1 ? keys.map(\.column) : []
  }

  /// Puts objects in order.
  ///
  /// - Parameters:
  ///   - identifier: An object's row identifier.
  ///   - value: The stored form of a column, by its place in ``ModelLayout/columns``.
  ///   - relatedValue: The same of the object at the end of the relationships that lead to it.
  func sort<Element>(
    _ elements: inout [Element], identifier: (Element) -> Int64, value: (Element, Int) throws -> StoredValue,
    relatedValue: (Element, [RelatedSource], Int) throws -> StoredValue = { _, _, _ in .null }
  ) throws {
    // Each value is read once, not once for each comparison.
    let ranked = try elements.map { element in
      (
        element: element, identifier: identifier(element),
        values: try keys.map { key in
          try key.related.map { try relatedValue(element, $0.sources, key.column) } ?? value(element, key.column)
        }
      )
    }
    elements = ranked.sorted { left, right in
      for (key, values) in zip(keys, zip(left.values, right.values)) {
        let sign = key.sign(values.0, values.1)
        if sign != 0 { return sign < 0 }
      }
      return left.identifier < right.identifier
    }.map(\.element)
  }
}
