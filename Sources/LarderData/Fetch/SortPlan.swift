package import Foundation
import LarderSupport

/// Sort descriptors as ORDER BY, and as the same order in memory.
///
/// nil comes first in ascending order, as in SQLite, and last in descending; rows that are equal in every descriptor
/// stand in the order of their identifiers, which a descriptor of `persistentModelID` may reverse.
@usableFromInline
package struct SortPlan {
  /// The text after ORDER BY.
  package var sql: String { sql(IdentifierOrder.column) }
  private let keysSQL: String
  /// The properties that are compared, by ``_ModelLayout/bit(_:)``.
  package let mask: _PropertyMask

  /// Whether some of it the store cannot say: objects are asked, and the text is that of the rest.
  @usableFromInline let sortsInMemory: Bool

  /// The objects that relationships lead to, one list for each key that follows some.
  let related: [[RelatedSource]]

  private let keys: [SortKey]
  /// Whether rows that are equal in every key stand in the reverse order of their identifiers.
  private let isDescendingByIdentifier: Bool
  /// Whether a descriptor asks for the order of identifiers.
  private let hasIdentifierKey: Bool

  /// - Throws: ``SwiftDataError/unsupportedSortDescriptor``, with the descriptor that has no order in the store.
  package init<Model>(_ descriptors: [SortDescriptor<Model>], layout: _ModelLayout) throws {
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

  /// The same where the statement joins tables.
  func joinedSQL(_ layout: _ModelLayout) -> String {
    let dialect = SQLiteDialect()
    let column = "+\(dialect.identifier(layout.entityName)).\(StoreFormat.identifierColumn)"
    let identifier = IdentifierOrder.sql(column, isDescending: isDescendingByIdentifier, isExplicit: hasIdentifierKey)
    let names = keys.filter { $0.accessor == nil }.map { $0.sql(dialect, layout, isJoined: true) }
    return (names + [identifier]).joined(separator: ", ")
  }

  /// The columns of which an index has this order; empty where none can have it.
  var indexableColumns: [Int] {
    let directions = Set(keys.map(\.isReverse))
    let isStored = keys.allSatisfy { key in
      if case .stored = key.comparison { key.related == nil && key.accessor == nil } else { false }
    }
    // Rows that are equal come by identifier, forward: an index of which the rest is read backward would not do.
    return isStored && directions.count == 1 && !isDescendingByIdentifier ? keys.map(\.column) : []
  }

  /// What an element is compared by: its row identifier, and a value for each key.
  typealias Rank = (identifier: Int64, values: [_StoredValue])

  /// What an element is compared by.
  ///
  /// - Parameters:
  ///   - value: The stored form of a column, by its place in ``_ModelLayout/columns``.
  ///   - relatedValue: The same of the object at the end of the relationships that lead to it.
  ///   - asked: What the object is asked for.
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

  /// Puts elements in order by what each is compared by.
  func sort<Element>(_ elements: inout [Element], _ rank: (Element) throws -> Rank) rethrows {
    // Each value is read once, not once for each comparison.
    let ranked = try elements.map { (element: $0, rank: try rank($0)) }
    elements = ranked.sorted { isBefore($0.rank, $1.rank) }.map(\.element)
  }
}
