/// The pairs of a relationship as they lie in the store, seen from one of its ends.
package struct FormerPairs {
  /// What tells the relationship: the same from both ends.
  package let place: String
  /// The table that has them: the keys, or the pairs.
  package let table: String
  /// Whether the owner is the end that the store has for a target, or a key's destination.
  package private(set) var isFlipped = false
  /// A query of `owner`, `other`, `owner_order` (the other's place in the owner's list) and `other_order`.
  package private(set) var query: String
  /// The class at the other end, as the store has it.
  package let destination: String
  /// Whether an owner may have several.
  package let isToMany: Bool
  /// Whether the other may have several owners.
  package let hasManyOwners: Bool
  package let isSymmetric: Bool
  /// The column of the owner's own row that has the key, and that of its order, where the pairs are such keys.
  package private(set) var key: (table: String, column: String, order: String?)?

  /// - Parameter names: What the tables are called by the time the query runs.
  package init?(_ relation: StoredRelation, in store: StoreShape, _ names: FormerNames) {
    if let held = FormerPairs.held(relation, in: store, names) {
      self = held
    } else if let inverse = relation.inverse,
      let mirrored = store.property(inverse, of: relation.destination)?.relation,
      let held = FormerPairs.held(mirrored, in: store, names)
    {
      self = held.flipped(to: relation)
    } else {
      return nil
    }
  }

  private init(
    _ relation: StoredRelation, place: String, table: String, query: String, isToMany: Bool, hasManyOwners: Bool
  ) {
    self.place = place
    self.table = table
    self.query = query
    self.isToMany = isToMany
    self.hasManyOwners = hasManyOwners
    destination = relation.destination
    isSymmetric = relation.isSymmetric
  }

  private static func held(
    _ relation: StoredRelation, in store: StoreShape, _ names: FormerNames
  ) -> FormerPairs? {
    let q = StoreFormat.quoted
    let mirrored = relation.inverse.flatMap { store.property($0, of: relation.destination)?.relation }
    let hasManyOwners = mirrored?.isToMany ?? true
    if let column = relation.column, let table = store.table(of: relation.ofClass) {
      let order = relation.order.map(q) ?? "NULL"
      var pairs = FormerPairs(
        relation, place: "\(table.name).\(column)", table: table.name,
        query: "SELECT \(StoreFormat.identifierColumn) AS owner, \(q(column)) AS other, NULL AS owner_order, "
          + "\(order) AS other_order FROM \(q(names[table.name])) WHERE \(q(column)) IS NOT NULL",
        isToMany: false, hasManyOwners: hasManyOwners)
      pairs.key = (table.name, column, relation.order)
      return pairs
    }
    guard let link = relation.link else { return nil }
    let target = link.isOrderedByTarget ? LinkTable.targetOrder : "NULL"
    let isSource = relation.isSource ?? true
    let ends =
      isSource
      ? [LinkTable.sourceColumn, LinkTable.targetColumn, LinkTable.sourceOrder, target]
      : [LinkTable.targetColumn, LinkTable.sourceColumn, target, LinkTable.sourceOrder]
    var pairs = FormerPairs(
      relation, place: link.name, table: link.name,
      query: "SELECT \(ends[0]) AS owner, \(ends[1]) AS other, \(ends[2]) AS owner_order, \(ends[3]) AS other_order "
        + "FROM \(q(names[link.name]))",
      isToMany: true, hasManyOwners: hasManyOwners)
    pairs.isFlipped = !isSource
    return pairs
  }

  /// Those alone whose owners a query finds.
  package func ofOwners(_ owners: String) -> FormerPairs {
    var pairs = self
    pairs.query = "SELECT * FROM (\(query)) WHERE owner IN (\(owners))"
    return pairs
  }

  /// The same from the other end.
  package func flipped(to relation: StoredRelation) -> FormerPairs {
    var pairs = FormerPairs(
      relation, place: place, table: table,
      query: "SELECT other AS owner, owner AS other, other_order AS owner_order, owner_order AS other_order "
        + "FROM (\(query))",
      isToMany: hasManyOwners, hasManyOwners: isToMany)
    pairs.isFlipped = !isFlipped
    return pairs
  }
}
