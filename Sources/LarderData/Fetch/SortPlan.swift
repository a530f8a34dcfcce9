package import Foundation

/// Sort descriptors as ORDER BY, and as the same order in memory.
///
/// nil comes first in ascending order, as in SQLite, and last in descending; rows that are equal in every descriptor
/// stand in the order of their identifiers, which a descriptor of `persistentModelID` may reverse.
@usableFromInline
package struct SortPlan {
  /// The text after ORDER BY.
  package var sql: String { sql(IdentifierOrder.column) }
  private let keysText: String
  /// The properties that are compared, by ``ModelLayout/bit(_:)``.
  package let mask: UInt64

  /// The objects that relationships lead to, one list for each key that follows some.
  let related: [[RelatedSource]]

  private let keys: [SortKey]
  /// Whether rows that are equal in every key stand in the reverse order of their identifiers.
  private let isBackward: Bool
  /// Whether a descriptor asks for the order of identifiers.
  private let isByIdentifier: Bool

  /// - Throws: ``SwiftDataError/unsupportedSortDescriptor``, with the descriptor that has no order in the store.
  package init<Model>(_ descriptors: [SortDescriptor<Model>], layout: ModelLayout) throws {
    var keys: [SortKey] = []
    var (isBackward, isByIdentifier) = (false, false)
    let dialect = SQLiteDialect()
    // Asked for again, an order decides nothing, and a database takes only so many.
    var seen: Set<String> = []
    for descriptor in descriptors {
      if let keyPath = descriptor.keyPath, IdentifierKeyPath.isIdentifier(keyPath) {
        // No two are equal in it, so that what follows decides nothing.
        (isBackward, isByIdentifier) = (descriptor.order == .reverse, true)
        break
      }
      let key = try SortKey(descriptor, layout)
      if seen.insert(key.sql(dialect, layout)).inserted { keys.append(key) }
    }
    self.keys = keys
    self.isBackward = isBackward
    self.isByIdentifier = isByIdentifier
    mask = keys.reduce(0) { mask, key in
      mask | (key.related.map { $0.path[0].bit } ?? ModelLayout.bit(layout.columns[key.column].property))
    }
    related = keys.compactMap { $0.related?.sources }
    keysText = keys.map { $0.sql(dialect, layout) + ", " }.joined()
  }

  private func sql(_ identifier: String) -> String {
    keysText + IdentifierOrder.sql(identifier, isBackward: isBackward, isAskedFor: isByIdentifier)
  }

  /// The same where the statement joins tables.
  func joinedSQL(_ layout: ModelLayout) -> String {
    let dialect = SQLiteDialect()
    let column = "+\(dialect.identifier(layout.entityName)).\(StoreFormat.identifierColumn)"
    let identifier = IdentifierOrder.sql(column, isBackward: isBackward, isAskedFor: isByIdentifier)
    return (keys.map { $0.sql(dialect, layout, isJoined: true) } + [identifier]).joined(separator: ", ")
  }

  /// The columns of which an index has this order; empty where none can have it.
  var indexableColumns: [Int] {
    let directions = Set(keys.map(\.isReverse))
    let isStored = keys.allSatisfy { key in
      if case .stored = key.comparison { key.related == nil } else { false }
    }
    // Rows that are equal come by identifier, forward: an index of which the rest is read backward would not do.
    return isStored && directions.count == 1 && !isBackward ? keys.map(\.column) : []
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
      let (first, second) = isBackward ? (right, left) : (left, right)
      return isByIdentifier
        ? IdentifierOrder.isBefore(first.identifier, second.identifier) : first.identifier < second.identifier
    }.map(\.element)
  }
}
