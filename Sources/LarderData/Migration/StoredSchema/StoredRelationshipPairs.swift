/// The stored pairs of a relationship, seen from one of its ends.
package struct StoredRelationshipPairs {
  /// The identity of the relationship: the same from both ends.
  package let relationshipID: String
  /// The table that stores the pairs: a table with a foreign key, or a join table.
  package let table: String
  /// Whether the owner is the target of the join table, or the destination of the foreign key.
  package private(set) var isFlipped = false
  /// A query of `owner`, `other`, `owner_order` (the other's place in the owner's list) and `other_order`.
  package private(set) var query: String
  /// The class at the other end, by its name in the store.
  package let destination: String
  /// Whether an owner may have several objects.
  package let isToMany: Bool
  /// Whether an object may have several owners.
  package let hasManyOwners: Bool
  package let isSymmetric: Bool
  /// The column of the owner's row with the foreign key, and the column with its order, if the pairs are stored in a
  /// foreign key.
  package private(set) var key: (table: String, column: String, order: String?)?

  /// - Parameter names: The names of the tables at the time of the query.
  package init?(_ relationship: StoredRelationship, in store: StoredSchema, _ names: TemporaryTableNames) {
    if let held = StoredRelationshipPairs.stored(relationship, in: store, names) {
      self = held
    } else if let inverse = relationship.inverse,
      let mirrored = store.property(inverse, of: relationship.destination)?.relationship,
      let held = StoredRelationshipPairs.stored(mirrored, in: store, names)
    {
      self = held.flipped(to: relationship)
    } else {
      return nil
    }
  }

  private init(
    _ relationship: StoredRelationship, relationshipID place: String, table: String, query: String, isToMany: Bool,
    hasManyOwners: Bool
  ) {
    self.relationshipID = place
    self.table = table
    self.query = query
    self.isToMany = isToMany
    self.hasManyOwners = hasManyOwners
    destination = relationship.destination
    isSymmetric = relationship.isSymmetric
  }

  private static func stored(
    _ relationship: StoredRelationship, in store: StoredSchema, _ names: TemporaryTableNames
  ) -> StoredRelationshipPairs? {
    let q = StoreFormat.quoted
    let mirrored = relationship.inverse.flatMap { store.property($0, of: relationship.destination)?.relationship }
    let hasManyOwners = mirrored?.isToMany ?? true
    if let column = relationship.column, let table = store.table(of: relationship.ofClass) {
      let order = relationship.order.map(q) ?? "NULL"
      var pairs = StoredRelationshipPairs(
        relationship, relationshipID: "\(table.name).\(column)", table: table.name,
        query: "SELECT \(StoreFormat.identifierColumn) AS owner, \(q(column)) AS other, NULL AS owner_order, "
          + "\(order) AS other_order FROM \(q(names[table.name])) WHERE \(q(column)) IS NOT NULL",
        isToMany: false, hasManyOwners: hasManyOwners)
      pairs.key = (table.name, column, relationship.order)
      return pairs
    }
    guard let joinTable = relationship.joinTable else { return nil }
    let target = joinTable.isOrderedByTarget ? JoinTable.targetOrderColumn : "NULL"
    let isSource = relationship.isSource ?? true
    let ends =
      isSource
      ? [JoinTable.sourceColumn, JoinTable.targetColumn, JoinTable.sourceOrderColumn, target]
      : [JoinTable.targetColumn, JoinTable.sourceColumn, target, JoinTable.sourceOrderColumn]
    var pairs = StoredRelationshipPairs(
      relationship, relationshipID: joinTable.name, table: joinTable.name,
      query: "SELECT \(ends[0]) AS owner, \(ends[1]) AS other, \(ends[2]) AS owner_order, \(ends[3]) AS other_order "
        + "FROM \(q(names[joinTable.name]))",
      isToMany: true, hasManyOwners: hasManyOwners)
    pairs.isFlipped = !isSource
    return pairs
  }

  /// Returns only the pairs whose owners a query finds.
  package func filtered(byOwners owners: String) -> StoredRelationshipPairs {
    var pairs = self
    pairs.query = "SELECT * FROM (\(query)) WHERE owner IN (\(owners))"
    return pairs
  }

  /// Returns the pairs as seen from the other end.
  package func flipped(to relationship: StoredRelationship) -> StoredRelationshipPairs {
    var pairs = StoredRelationshipPairs(
      relationship, relationshipID: relationshipID, table: table,
      query: "SELECT other AS owner, owner AS other, other_order AS owner_order, owner_order AS other_order "
        + "FROM (\(query))",
      isToMany: hasManyOwners, hasManyOwners: isToMany)
    pairs.isFlipped = !isFlipped
    return pairs
  }
}
