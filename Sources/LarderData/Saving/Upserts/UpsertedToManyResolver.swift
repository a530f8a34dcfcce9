import LarderSQLite
import LarderSupport

/// Retracts updates of to-manys for inserts that were resolved to rows which the owners already had as members: the pending
/// inserts were added to these lists, and the stored lists are unchanged.
struct UpsertedToManyResolver {
  /// A to-many with inserts that were resolved to existing members of it.
  private struct ToMany {
    let owner: any PersistentModel
    let tracker: _EntityTracker
    let relationship: RelationshipLayout
    var existingMembers: Set<ObjectIdentifier> = []
  }

  private let core: _ContextCore
  private let entityWriters: [EntityWriter]
  private let relationshipWriter: RelationshipWriter
  private let connection: Connection

  init(
    _ core: _ContextCore, _ entityWriters: [EntityWriter], _ relationships: RelationshipWriter, _ connection: Connection
  ) {
    self.core = core
    self.entityWriters = entityWriters
    self.relationshipWriter = relationships
    self.connection = connection
  }

  /// Retracts the updates of lists that have no other change. Called after the rows and their orders are written.
  func retractUnchanged() throws {
    var lists: [RelationshipKey: ToMany] = [:]
    for entityWriter in entityWriters
    where !entityWriter.resolvedUpserts.isEmpty && entityWriter.tracker.layout.hasRelations {
      for relationship in entityWriter.tracker.layout.relationships {
        guard case .foreignKey(let column, let order?) = relationship.storage, let list = relationship.inverse,
          !_ModelLayout.sharesBit(list.property)
        else { continue }
        let names = [entityWriter.tracker.layout.columns[column].name, order].map(StoreFormat.quoted).joined(
          separator: ", ")
        let sql =
          "SELECT \(names) FROM \(entityWriter.tracker.statements.table) WHERE \(StoreFormat.identifierColumn) = ?1"
        try collectLists(entityWriter, relationship, list, sql, &lists)
      }
    }
    var masks: [ObjectIdentifier: [Int64: _PropertyMask]] = [:]
    for list in lists.values where isOtherwiseUnchanged(list) {
      let row = list.owner._$header.pointee.rowID
      masks[ObjectIdentifier(list.tracker), default: [:]][row, default: 0] |= list.relationship.bit
    }
    for entityWriter in entityWriters {
      if let masks = masks[ObjectIdentifier(entityWriter.tracker)] { entityWriter.retractUpdates(masks) }
    }
  }

  /// - Parameter sql: A statement that reads a row's foreign key, and its order in the list.
  private func collectLists(
    _ entityWriter: EntityWriter, _ relationship: RelationshipLayout, _ list: RelationshipLayout, _ sql: String,
    _ lists: inout [RelationshipKey: ToMany]
  ) throws {
    let there = try core.tracker(for: relationship.destinationLayout)
    for union in entityWriter.resolvedUpserts {
      let member = entityWriter.tracker.erased(union.object)
      let row = member._$foreignKey(relationship.property)
      guard row > 0, let object = there.find(row) else { continue }
      let owner = there.erased(object)
      let header = owner._$header
      guard header.pointee.status.contains(.stored), header.pointee.changedMask & list.bit != 0,
        try wasMember(member, union.row, of: row, entityWriter.tracker.layout, relationship.property, sql)
      else { continue }
      let new = ToMany(owner: owner, tracker: there.concreteTracker(owner), relationship: list)
      lists[RelationshipKey(owner, list.property), default: new].existingMembers.insert(ObjectIdentifier(union.object))
    }
  }

  /// Whether a row referenced an owner before the insert was resolved to it. A row that was added to the owner has the order
  /// that the insert was given, which no other has; a row that was a member has kept its own.
  private func wasMember(
    _ member: any PersistentModel, _ row: Int64, of owner: Int64, _ layout: _ModelLayout, _ key: Int, _ sql: String
  ) throws -> Bool {
    if relationshipWriter.hasNewOrder(row, layout, key) { return false }
    let given = relationshipWriter.order(of: member, layout, key)
    return try connection.withStatement(for: sql) { statement in
      statement.bind(1, row)
      guard try statement.step(), !statement.isNull(0), statement.int64(0) == owner, !statement.isNull(1) else {
        return false
      }
      return statement.int64(1) != given
    }
  }

  /// Whether the list has no other change of its members or their order.
  private func isOtherwiseUnchanged(_ list: ToMany) -> Bool {
    let place = RelationshipKey(list.owner, list.relationship.property)
    guard case .many(let base)? = list.tracker.originalRelationships[place]?.value else { return false }
    if let edit = list.tracker.joinEdits[place] {
      return base == nil && edit.removed.isEmpty
        && edit.added.allSatisfy { list.existingMembers.contains(ObjectIdentifier($0)) }
    }
    guard let base, case .many(let members?) = list.owner._$relationshipValue(list.relationship.property) else {
      return false
    }
    return members.filter { !list.existingMembers.contains(ObjectIdentifier($0)) }.elementsEqual(base, by: ===)
  }
}
