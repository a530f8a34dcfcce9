package import Foundation
import LarderSupport

/// Sort descriptors as an ORDER BY clause, and as the same order in memory.
///
/// nil comes first in ascending order, as in SQLite, and last in descending order. Rows that are equal in every descriptor
/// are sorted by their identifiers, which a descriptor of `persistentModelID` may reverse.
@usableFromInline
package struct SortPlan {
  /// The text after ORDER BY.
  package var sql: String { sql(IdentifierOrder.column) }
  private let keysSQL: String
  /// The properties that are compared, by ``_ModelLayout/bit(_:)``.
  package let mask: _PropertyMask

  /// Whether a part of the order has no SQL: its values are read from objects, and the SQL has the other keys.
  @usableFromInline let sortsInMemory: Bool

  /// The related objects of the order, one list for each key that follows relationships.
  let related: [[RelatedSource]]

  private let keys: [SortKey]
  /// Whether rows that are equal in every key are sorted by their identifiers in reverse.
  private let isDescendingByIdentifier: Bool
  /// Whether a descriptor sorts by identifier.
  private let hasIdentifierKey: Bool

  /// - Throws: ``SwiftDataError/unsupportedSortDescriptor``, with the descriptor that has no order in the store.
  package init<Model>(_ descriptors: [SortDescriptor<Model>], layout: _ModelLayout) throws {
    var keys: [SortKey] = []
    var (isBackward, isByIdentifier) = (false, false)
    let dialect = SQLiteDialect()
    // A repeated key has no effect, and SQLite accepts only a limited number of terms.
    var seen: Set<String> = []
    for descriptor in descriptors {
      if let keyPath = descriptor.keyPath, IdentifierKeyPath.isIdentifier(keyPath) {
        // Identifiers are unique, so the following keys have no effect.
        (isBackward, isByIdentifier) = (descriptor.order == .reverse, true)
        break
      }
      let key = try SortKey(descriptor, layout)
      if key.accessor != nil || seen.insert(key.sql(dialect, layout)).inserted { keys.append(key) }
    }
    self.keys = keys
    self.isDescendingByIdentifier = isBackward
    self.hasIdentifierKey = isByIdentifier
    sortsInMemory = keys.contains { $0.accessor != nil }
    mask = keys.reduce(0) { mask, key in
      if key.accessor != nil { return ~0 }
      return mask | (key.related.map { $0.path[0].bit } ?? _ModelLayout.bit(layout.columns[key.column].property))
    }
    related = keys.compactMap { $0.related?.sources }
    keysSQL = keys.filter { $0.accessor == nil }.map { $0.sql(dialect, layout) + ", " }.joined()
  }

  private func sql(_ identifier: String) -> String {
    keysSQL + IdentifierOrder.sql(identifier, isDescending: isDescendingByIdentifier, isExplicit: hasIdentifierKey)
  }

  /// Returns the same for a statement that joins tables.
  func joinedSQL(_ layout: _ModelLayout) -> String {
    let dialect = SQLiteDialect()
    let column = "+\(dialect.identifier(layout.entityName)).\(StoreFormat.identifierColumn)"
    let identifier = IdentifierOrder.sql(column, isDescending: isDescendingByIdentifier, isExplicit: hasIdentifierKey)
    let names = keys.filter { $0.accessor == nil }.map { $0.sql(dialect, layout, isJoined: true) }
    return (names + [identifier]).joined(separator: ", ")
  }

  /// The columns that an index with this order would have; empty where no index can have it.
  var indexableColumns: [Int] {
    let directions = Set(keys.map(\.isReverse))
    let isStored = keys.allSatisfy { key in
      if case .stored = key.comparison { key.related == nil && key.accessor == nil } else { false }
    }
    // Equal rows are sorted by identifier in ascending order: an index that is read backward has the wrong order for them.
    return isStored && directions.count == 1 && !isDescendingByIdentifier ? keys.map(\.column) : []
  }

  /// The values by which an element is compared: its row ID, and a value for each key.
  typealias Rank = (identifier: Int64, values: [_StoredValue])

  /// Returns the values by which an element is compared.
  ///
  /// - Parameters:
  ///   - value: Returns the stored form of a column, by its index in ``_ModelLayout/columns``.
  ///   - relatedValue: Returns the same for the object at the end of the relationships.
  ///   - asked: Returns the value that an accessor reads from the object.
  func rank(
    _ identifier: Int64, value: (Int) throws -> _StoredValue,
    relatedValue: ([RelatedSource], Int) throws -> _StoredValue,
    requirement asked: (RequirementAccessor) throws -> _StoredValue
  ) throws -> Rank {
    (
      identifier,
      try keys.map { key in
        if let one = key.accessor { return try asked(one) }
        return try key.related.map { try relatedValue($0.sources, key.column) } ?? value(key.column)
      }
    )
  }

  func isBefore(_ left: Rank, _ right: Rank) -> Bool {
    for (key, values) in zip(keys, zip(left.values, right.values)) {
      let sign = key.sign(values.0, values.1)
      if sign != 0 { return sign < 0 }
    }
    let (first, second) = isDescendingByIdentifier ? (right, left) : (left, right)
    return hasIdentifierKey
      ? IdentifierOrder.isBefore(first.identifier, second.identifier) : first.identifier < second.identifier
  }

  /// Sorts elements by their ranks.
  func sort<Element>(_ elements: inout [Element], _ rank: (Element) throws -> Rank) rethrows {
    // Each value is read once, not once for each comparison.
    let ranked = try elements.map { (element: $0, rank: try rank($0)) }
    elements = ranked.sorted { isBefore($0.rank, $1.rank) }.map(\.element)
  }
}
