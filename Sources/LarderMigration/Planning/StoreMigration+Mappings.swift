import LarderData
import LarderSupport

extension StoreMigration {
  /// Returns the mappings of the rows of a rebuilt table, one for each class.
  ///
  /// - Parameter facts: Returns the declaration of a class's property, for facts that the store does not record.
  func mappings(of change: TableChange, declaration facts: (String, String) -> PropertyDeclaration?) -> [EntityMapping]
  {
    change.definition.classNames.compactMap { name in
      matches[name].flatMap { match in
        EntityMapping(match, in: change.definition, self, declaration: { facts(name, $0) })
      }
    }
  }

  /// Returns the sources of a relationship that a class declares, by the classes that have rows with it: each may have
  /// had a relationship of its own.
  func mappings(of relationship: StoredRelationship) -> [RelationshipMapping] {
    RelationshipMapping.all(of: relationship, matches, in: store, names).map(\.mapping)
  }

  /// Returns the pairs of a relationship that a class declares. If the former owners include rows of classes that no
  /// longer have the relationship, the pairs of those rows are left out.
  func pairs(of relationship: StoredRelationship) -> [StoredRelationshipPairs] {
    var places: [(pairs: StoredRelationshipPairs, owners: [String])] = []
    for (className, mapping) in RelationshipMapping.all(of: relationship, matches, in: store, names) {
      guard let pairs = mapping.pairs, let former = matches[className]?.originalName else { continue }
      if let known = places.firstIndex(where: {
        $0.pairs.relationshipID == pairs.relationshipID && $0.pairs.isFlipped == pairs.isFlipped
      }
      ) {
        places[known].owners.append(former)
      } else {
        places.append((pairs, [former]))
      }
    }
    return places.map { pairs, owners in rows(of: owners).map { pairs.filtered(byOwners: $0) } ?? pairs }
  }

  /// Returns a query of the rows of some classes of the store; `nil` if their tables have no other rows.
  private func rows(of classes: [String]) -> String? {
    let tables = Dictionary(grouping: classes) { store.table(of: $0)?.name ?? $0 }
    var isPart = false
    let rows = tables.keys.inOrder().compactMap { name -> String? in
      guard let classes = tables[name], let table = store.table(of: classes[0]) else { return nil }
      let condition = table.classCondition(classes, as: "f")
      if condition != nil { isPart = true }
      return "SELECT f.\(StoreFormat.identifierColumn) FROM \(StoreFormat.quoted(names[name])) AS f"
        + (condition.map { " WHERE \($0)" } ?? "")
    }
    return isPart ? rows.joined(separator: " UNION ALL ") : nil
  }
}

extension RelationshipMapping {
  /// Returns the mappings of a relationship that a class declares, by the classes that have rows with it.
  static func all(
    of relationship: StoredRelationship, _ matches: EntityMatches, in store: StoredSchema, _ names: TemporaryTableNames
  ) -> [(className: String, mapping: RelationshipMapping)] {
    let classes = matches.classesWithRows(below: relationship.ofClass)
    return (classes.isEmpty ? [relationship.ofClass] : classes).map {
      ($0, RelationshipMapping(relationship, of: $0, matches, in: store, names))
    }
  }
}
