import LarderSupport

/// A reference to a column of the object itself, or of a related object.
///
/// Objects are numbered in the order in which a predicate uses them; 0 is the object that is evaluated. A reference contains
/// the object's number and the column's index in its model's layout in one integer, so that a column of the object itself is
/// its index.
enum ColumnReference {
  private static let shift = 16
  private static let columnMask = (1 << shift) - 1
  /// The value in place of a column's index for the row ID. A table has at most 2,000 columns.
  private static let rowIDColumn = columnMask

  static func make(column index: Int, source: Int) -> Int { source << shift | index }
  static func rowID(of source: Int) -> Int {
    source == 0 ? Evaluator.rowIDReference : source << shift | rowIDColumn
  }

  static func source(_ place: Int) -> Int { place < 0 ? 0 : place >> shift }
  static func columnIndex(_ place: Int) -> Int { place & columnMask }
  static func isRowID(_ place: Int) -> Bool { place < 0 || columnIndex(place) == rowIDColumn }
}

/// An object that a predicate reaches through a relationship: the object of a to-one, or each object of a to-many. It may
/// also be the object itself, cast to a subclass.
struct RelatedSource {
  /// The number of the object that has the relationship.
  let parent: Int
  /// The relationship; nil for a cast of the same object.
  let relationship: RelationshipLayout?
  let layout: _ModelLayout
  /// Whether it represents each object of a to-many relationship in turn.
  let isElement: Bool
  /// The properties that the predicate reads.
  var mask: _PropertyMask = 0

  init(parent: Int, relationship: RelationshipLayout, isElement: Bool) {
    self.parent = parent
    self.relationship = relationship
    self.isElement = isElement
    layout = relationship.destinationLayout
    // The related object depends on the foreign key that this model has.
    if case .inverse(let key) = relationship.storage { mask = _ModelLayout.bit(key) }
  }

  /// Creates the same object, cast to another class.
  init(parent: Int, castTo layout: _ModelLayout) {
    self.parent = parent
    self.layout = layout
    relationship = nil
    isElement = false
  }
}

/// A to-many relationship, with an optional filter.
struct CollectionTerm {
  /// The number of its elements' ``RelatedSource``.
  let source: Int
  var filter: Term?

  func filtered(by test: Term) -> CollectionTerm {
    CollectionTerm(source: source, filter: filter.map { .all([$0, test]) } ?? test)
  }
}
