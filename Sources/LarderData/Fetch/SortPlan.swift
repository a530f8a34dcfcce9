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

  private let keys: [SortKey]

  /// - Throws: ``SwiftDataError/unsupportedSortDescriptor``, with the descriptor that has no order in the store.
  package init<Model>(_ descriptors: [SortDescriptor<Model>], layout: ModelLayout) throws {
    keys = try descriptors.map { try SortKey($0, layout) }
    mask = keys.reduce(0) { $0 | ModelLayout.bit(layout.columns[$1.column].property) }
    let dialect = SQLiteDialect()
    sql = (keys.map { $0.sql(dialect, layout) } + [StoreFormat.identifierColumn]).joined(separator: ", ")
  }

  /// The columns of which an index has this order; empty where none can have it.
  var indexableColumns: [Int] {
    let directions = Set(keys.map(\.isReverse))
    let isStored = keys.allSatisfy { if case .stored = $0.comparison { true } else { false } }
    // Rows that are equal come by identifier, forward: an index of which the rest is read backward would not do.
    return isStored && directions.count == 1 ? keys.map(\.column) : []
  }

  /// Puts objects in order.
  ///
  /// - Parameters:
  ///   - identifier: An object's row identifier.
  ///   - value: The stored form of a column, by its place in ``ModelLayout/columns``.
  package func sort<Element>(
    _ elements: inout [Element], identifier: (Element) -> Int64, value: (Element, Int) throws -> StoredValue
  ) throws {
    // Each value is read once, not once for each comparison.
    let ranked = try elements.map { element in
      (element: element, identifier: identifier(element), values: try keys.map { try value(element, $0.column) })
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
