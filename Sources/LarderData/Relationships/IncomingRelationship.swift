/// A relationship to a model that has no inverse of it.
package struct IncomingRelationship {
  package let layout: _ModelLayout
  package let relationship: RelationshipLayout

  /// Returns such relationships of the models, by the ID of the layout of their destination.
  static func all(in layouts: [_ModelLayout]) -> [Int: [IncomingRelationship]] {
    var result: [Int: [IncomingRelationship]] = [:]
    for layout in layouts {
      for relationship in layout.noninheritedRelations where relationship.inverseProperty == nil {
        result[relationship.destinationLayout.id, default: []].append(
          IncomingRelationship(layout: layout, relationship: relationship))
      }
    }
    return result
  }
}
