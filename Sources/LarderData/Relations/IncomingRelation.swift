/// A relationship to a model that has none back.
package struct IncomingRelation {
  package let layout: ModelLayout
  package let relation: RelationLayout

  /// Those of some models, by the number of the layout that they lead to.
  static func all(in layouts: [ModelLayout]) -> [Int: [IncomingRelation]] {
    var result: [Int: [IncomingRelation]] = [:]
    for layout in layouts {
      for relation in layout.ownRelations where relation.inverse == nil {
        result[relation.destinationLayout.id, default: []].append(IncomingRelation(layout: layout, relation: relation))
      }
    }
    return result
  }
}
