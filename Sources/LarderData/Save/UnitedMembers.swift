import LarderSQLite
import LarderSupport

/// Inserts that met rows, in the to-manys of owners that the rows have already: they have entered these lists while they were
/// pending, and nothing has changed there.
struct UnitedMembers {
  /// A to-many with inserts in it that became members of it.
  private struct List {
    let owner: any PersistentModel
    let state: EntityState
    let relation: RelationLayout
    var unmoved: Set<ObjectIdentifier> = []
  }

  private let core: ContextCore
  private let savings: [EntitySaving]
  private let relations: RelationSaving
  private let connection: Connection

  init(_ core: ContextCore, _ savings: [EntitySaving], _ relations: RelationSaving, _ connection: Connection) {
    self.core = core
    self.savings = savings
    self.relations = relations
    self.connection = connection
  }

  /// Takes back that the lists have changed, where nothing else has changed them. After the rows and their orders are
  /// written.
  func withdraw() throws {
    var lists: [RelationPlace: List] = [:]
    for saving in savings where !saving.unions.isEmpty && saving.state.layout.hasRelations {
      for relation in saving.state.layout.relations {
        guard case .key(let column, let order?) = relation.form, let list = relation.mirrored,
          !ModelLayout.sharesBit(list.property)
        else { continue }
        let names = [saving.state.layout.columns[column].name, order].map(StoreFormat.quoted).joined(separator: ", ")
        let sql =
          "SELECT \(names) FROM \(saving.state.statements.table) WHERE \(StoreFormat.identifierColumn) = ?1"
        try find(saving, relation, list, sql, &lists)
      }
    }
    var masks: [ObjectIdentifier: [Int64: PropertyMask]] = [:]
    for list in lists.values where isOtherwiseAsItWas(list) {
      let row = list.owner._$header.pointee.rowID
      masks[ObjectIdentifier(list.state), default: [:]][row, default: 0] |= list.relation.bit
    }
    for saving in savings {
      if let masks = masks[ObjectIdentifier(saving.state)] { saving.withdraw(masks) }
    }
  }

  /// - Parameter sql: Reads what a row leads to, and its order there.
  private func find(
    _ saving: EntitySaving, _ relation: RelationLayout, _ list: RelationLayout, _ sql: String,
    _ lists: inout [RelationPlace: List]
  ) throws {
    let there = try core.state(for: relation.destinationLayout)
    for union in saving.unions {
      let member = saving.state.erased(union.object)
      let row = member._$key(relation.property)
      guard row > 0, let object = there.find(row) else { continue }
      let owner = there.erased(object)
      let header = owner._$header
      guard header.pointee.status.contains(.stored), header.pointee.changed & list.bit != 0,
        try isUnmoved(member, union.row, below: row, saving.state.layout, relation.property, sql)
      else { continue }
      let new = List(owner: owner, state: there.own(owner), relation: list)
      lists[RelationPlace(owner, list.property), default: new].unmoved.insert(ObjectIdentifier(union.object))
    }
  }

  /// Whether a row leads to an owner as it did before the insert met it. One that came to the owner has the order there that
  /// the insert was given, which no other has; one that was there has kept its own.
  private func isUnmoved(
    _ member: any PersistentModel, _ row: Int64, below owner: Int64, _ layout: ModelLayout, _ key: Int, _ sql: String
  ) throws -> Bool {
    if relations.isOrdered(row, layout, key) { return false }
    let given = relations.order(of: member, layout, key)
    return try connection.withStatement(for: sql) { statement in
      statement.bind(1, row)
      guard try statement.step(), !statement.isNull(0), statement.int64(0) == owner, !statement.isNull(1) else {
        return false
      }
      return statement.int64(1) != given
    }
  }

  /// Whether the list has nothing else that it did not have before, and all of that in its order.
  private func isOtherwiseAsItWas(_ list: List) -> Bool {
    let place = RelationPlace(list.owner, list.relation.property)
    guard case .many(let base)? = list.state.formerRelations[place]?.value else { return false }
    if let edit = list.state.linkEdits[place] {
      return base == nil && edit.removed.isEmpty
        && edit.added.allSatisfy { list.unmoved.contains(ObjectIdentifier($0)) }
    }
    guard let base, case .many(let members?) = list.owner._$relation(list.relation.property) else { return false }
    return members.filter { !list.unmoved.contains(ObjectIdentifier($0)) }.elementsEqual(base, by: ===)
  }
}
