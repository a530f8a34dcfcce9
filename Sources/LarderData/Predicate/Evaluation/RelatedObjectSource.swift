/// The objects that a predicate reaches from the one that it is evaluated for, by the numbers that the plan gives them.
protocol RelatedObjectSource: AnyObject {
  /// Returns the stored form of a column of an object, which a ``ColumnReference`` names.
  func value(_ reference: Int) throws -> _StoredValue
  /// Returns the object of a number; `nil` where the relationship has none.
  func object(_ source: Int) throws -> (any PersistentModel)?
  /// Returns the members of a to-many.
  func elements(of source: Int) throws -> [any PersistentModel]
  /// Returns the member of a to-many that is being evaluated; `nil` where none is.
  func element(boundTo source: Int) -> (any PersistentModel)?
  /// Sets the member of a to-many that is evaluated next; `nil` for none.
  func bindElement(_ model: (any PersistentModel)?, to source: Int)
}
