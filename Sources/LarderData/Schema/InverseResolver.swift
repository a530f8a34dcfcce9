/// Finds the inverse of each relationship between two models.
///
/// The result depends on these two models only, so that a model has the same layout in every container. An inverse that is
/// declared at either end comes first, then the only relationship that is left in each direction. Relationships of a model
/// to itself are inverses only if this is declared.
enum InverseResolver {
  /// One end of a relationship.
  struct End {
    let model: any PersistentModel.Type
    let property: Schema.PropertyMetadata
    let destination: any PersistentModel.Type
    let isToMany: Bool

    var name: String { property.name }
    var keyPath: AnyKeyPath { property.keypath }
    var declared: Schema.Relationship? { property.metadata as? Schema.Relationship }
    var isOptional: Bool { ValueTypes.isOptional(type(of: property.keypath).valueType) }

    init?(_ property: Schema.PropertyMetadata, of model: any PersistentModel.Type) {
      guard let found = ValueTypes.destination(of: type(of: property.keypath).valueType) else { return nil }
      self.model = model
      self.property = property
      destination = found.model
      isToMany = found.isToMany
    }
  }

  /// Returns the relationships of a model.
  static func ends(of model: any PersistentModel.Type) -> [End] {
    model.schemaMetadata.compactMap { End($0, of: model) }
  }

  /// Returns the inverse of a relationship, if there is one.
  static func inverse(of end: End) -> End? {
    let here = ends(of: end.model).filter { $0.destination == end.destination }
    let there = ends(of: end.destination).filter { $0.destination == end.model }
    if let named = declaredInverse(of: end, there) { return named }
    guard end.model != end.destination else { return nil }
    let free = here.filter { declaredInverse(of: $0, there) == nil }
    let freeThere = there.filter { declaredInverse(of: $0, here) == nil }
    guard free.count == 1, freeThere.count == 1, free[0].keyPath == end.keyPath else { return nil }
    // A relationship that declares an inverse which does not exist is an error of its own, and has no inverse.
    guard free[0].declared?.inverseKeyPath == nil, freeThere[0].declared?.inverseKeyPath == nil else { return nil }
    return freeThere[0]
  }

  private static func declaredInverse(of end: End, _ others: [End]) -> End? {
    if let named = end.declared?.inverseKeyPath { return others.first { $0.keyPath == named } }
    return others.first { $0.declared?.inverseKeyPath == end.keyPath }
  }
}
