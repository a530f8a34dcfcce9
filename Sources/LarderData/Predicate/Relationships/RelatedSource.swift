import LarderSupport

/// Where a column of a predicate lies: of the object itself, or of one that a relationship leads to.
///
/// Objects are numbered as a predicate meets them, 0 for the one that it is asked of. A place has the object's number
/// and that of the column in its model's layout in one integer, so that a column of the object itself is its number.
enum ColumnReference {
  private static let shift = 16
  private static let columnMask = (1 << shift) - 1
  /// Stands for the row's identifier where a column's number would stand. A table has at most 2,000 columns.
  private static let rowIDColumn = columnMask

  static func make(column index: Int, source: Int) -> Int { source << shift | index }
  static func rowID(of source: Int) -> Int {
    source == 0 ? Evaluator.rowIDReference : source << shift | rowIDColumn
  }

  static func source(_ place: Int) -> Int { place < 0 ? 0 : place >> shift }
  static func columnIndex(_ place: Int) -> Int { place & columnMask }
  static func isRowID(_ place: Int) -> Bool { place < 0 || columnIndex(place) == rowIDColumn }
}

/// An object that a predicate reaches by a relationship: the one at the other end of a to-one, or each of a to-many. Or
/// the object itself, where it is of a class below.
struct RelatedSource {
  /// The number of the object whose relationship it is.
  let parent: Int
  /// nil where it is the object itself.
  let relationship: RelationshipLayout?
  let layout: _ModelLayout
  /// Whether it stands for each object of a to-many in turn.
  let isElement: Bool
  /// The properties that are read of it.
  var mask: _PropertyMask = 0

  init(parent: Int, relationship: RelationshipLayout, isElement: Bool) {
    self.parent = parent
    self.relationship = relationship
    self.isElement = isElement
    layout = relationship.destinationLayout
    // Who is related depends on the key that this one has, where it has it.
    if case .inverse(let key) = relationship.storage { mask = _ModelLayout.bit(key) }
  }

  /// The same object as one of another class, if it is one.
  init(parent: Int, castTo layout: _ModelLayout) {
    self.parent = parent
    self.layout = layout
    relationship = nil
    isElement = false
  }
}

/// A to-many, or what a filter leaves of it.
struct CollectionTerm {
  /// The number of its elements' ``RelatedSource``.
  let source: Int
  var filter: Term?

  func filtered(by test: Term) -> CollectionTerm {
    CollectionTerm(source: source, filter: filter.map { .all([$0, test]) } ?? test)
  }
}
