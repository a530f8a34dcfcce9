/// The statements by which the pairs of one relationship are read and written, as seen from one of its ends.
struct LinkStatements {
  /// Writes a pair (own, other) with its place in the own list; it comes last in the other end's, where it is new.
  let upsert: String
  /// Removes a pair.
  let delete: String
  /// The greatest place in a list.
  let greatest: String
  /// The members of a list, in their order.
  let members: String
  /// For a relationship that mirrors itself: the pair the other way round.
  let mirroredInsert: String?
  let mirroredDelete: String?

  init(_ relation: RelationLayout, _ table: LinkTable, isSource: Bool) {
    let name = StoreFormat.quoted(table.name)
    let (own, other) =
      isSource
      ? (LinkTable.sourceColumn, LinkTable.targetColumn) : (LinkTable.targetColumn, LinkTable.sourceColumn)
    let ownOrder = isSource ? LinkTable.sourceOrder : LinkTable.targetOrder
    let hasOtherOrder = isSource ? table.isOrderedByTarget : true
    let otherOrder = isSource ? LinkTable.targetOrder : LinkTable.sourceOrder
    func last(_ order: String, _ column: String, _ parameter: Int) -> String {
      "(SELECT coalesce(max(\(order)), 0) + \(StoreFormat.orderStep) FROM \(name) WHERE \(column) = ?\(parameter))"
    }
    upsert =
      "INSERT INTO \(name) (\(own), \(other), \(ownOrder)\(hasOtherOrder ? ", \(otherOrder)" : "")) "
      + "VALUES (?1, ?2, ?3\(hasOtherOrder ? ", \(last(otherOrder, other, 2))" : "")) "
      + "ON CONFLICT (\(LinkTable.sourceColumn), \(LinkTable.targetColumn)) DO UPDATE SET \(ownOrder) = ?3"
    delete = "DELETE FROM \(name) WHERE \(own) = ?1 AND \(other) = ?2"
    members = "SELECT \(other) FROM \(name) WHERE \(own) = ?1 ORDER BY \(ownOrder), \(other)"
    greatest = "SELECT max(\(ownOrder)) FROM \(name) WHERE \(own) = ?1"
    guard relation.isSymmetric else {
      mirroredInsert = nil
      mirroredDelete = nil
      return
    }
    mirroredInsert =
      "INSERT INTO \(name) (\(own), \(other), \(ownOrder)) VALUES (?2, ?1, \(last(ownOrder, own, 2))) "
      + "ON CONFLICT DO NOTHING"
    mirroredDelete = "DELETE FROM \(name) WHERE \(own) = ?2 AND \(other) = ?1"
  }
}
