/// A relationship to a model that has none back.
package struct IncomingRelationship {
  package let layout: _ModelLayout
  package let relationship: RelationshipLayout

  /// Those of some models, by the number of the layout that they lead to.
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
