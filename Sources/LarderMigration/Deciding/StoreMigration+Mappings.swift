import LarderData

extension StoreMigration {
  /// How the rows of a table that is rebuilt are made, class by class.
  ///
  /// - Parameter facts: What is known of a class's property besides what is stored.
  func mappings(of change: TableChange, facts: (String, String) -> PropertyFacts?) -> [ClassMapping] {
    change.definition.classNames.compactMap { name in
      matches[name].flatMap { match in
        ClassMapping(match, in: change.definition, self, facts: { facts(name, $0) })
      }
    }
  }

  /// What a relationship that a class declares comes from.
  func mapping(of relation: StoredRelation) -> RelationMapping {
    RelationMapping(relation, of: relation.ofClass, matches, in: store, names)
  }
}
