/// The statements that read and write the pairs of one relationship, as seen from one of its ends.
struct JoinTableStatements {
  /// Writes a pair (own, other) with its order in the own list. A new pair is the last one in the other end's list.
  let upsert: String
  /// Removes a pair.
  let delete: String
  /// Reads the greatest order in a list.
  let selectMaximumOrder: String
  /// Reads the members of a list, in their order.
  let selectMembers: String
  /// Inserts the reversed pair, for a relationship that is its own inverse.
  let reverseInsert: String?
  let reverseDelete: String?

  init(_ relationship: RelationshipLayout, _ table: JoinTable, isSource: Bool) {
    let name = StoreFormat.quoted(table.name)
    let (own, other) =
      isSource
      ? (JoinTable.sourceColumn, JoinTable.targetColumn) : (JoinTable.targetColumn, JoinTable.sourceColumn)
    let ownOrder = isSource ? JoinTable.sourceOrderColumn : JoinTable.targetOrderColumn
    let hasOtherOrder = isSource ? table.isOrderedByTarget : true
    let otherOrder = isSource ? JoinTable.targetOrderColumn : JoinTable.sourceOrderColumn
    func last(_ order: String, _ column: String, _ parameter: Int) -> String {
      "(SELECT coalesce(max(\(order)), 0) + \(StoreFormat.orderStep) FROM \(name) WHERE \(column) = ?\(parameter))"
    }
    upsert =
      "INSERT INTO \(name) (\(own), \(other), \(ownOrder)\(hasOtherOrder ? ", \(otherOrder)" : "")) "
      + "VALUES (?1, ?2, ?3\(hasOtherOrder ? ", \(last(otherOrder, other, 2))" : "")) "
      + "ON CONFLICT (\(JoinTable.sourceColumn), \(JoinTable.targetColumn)) DO UPDATE SET \(ownOrder) = ?3"
    delete = "DELETE FROM \(name) WHERE \(own) = ?1 AND \(other) = ?2"
    selectMembers = "SELECT \(other) FROM \(name) WHERE \(own) = ?1 ORDER BY \(ownOrder), \(other)"
    selectMaximumOrder = "SELECT max(\(ownOrder)) FROM \(name) WHERE \(own) = ?1"
    guard relationship.isSymmetric else {
      reverseInsert = nil
      reverseDelete = nil
      return
    }
    reverseInsert =
      "INSERT INTO \(name) (\(own), \(other), \(ownOrder)) VALUES (?2, ?1, \(last(ownOrder, own, 2))) "
      + "ON CONFLICT DO NOTHING"
    reverseDelete = "DELETE FROM \(name) WHERE \(own) = ?2 AND \(other) = ?1"
  }
}
