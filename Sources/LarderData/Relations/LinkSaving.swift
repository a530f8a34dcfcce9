import LarderSQLite

/// Writes the pairs of one relationship that changed since the last save.
struct LinkSaving {
  private let state: EntityState
  private let relation: RelationLayout
  private let connection: Connection
  private let upsert: String
  private let delete: String
  private let greatest: String
  private let others: String
  /// For a relationship that mirrors itself: the pair the other way round.
  private let mirroredInsert: String?
  private let mirroredDelete: String?

  init(
    _ state: EntityState, _ relation: RelationLayout, _ table: LinkTable, isSource: Bool, _ connection: Connection
  ) {
    self.state = state
    self.relation = relation
    self.connection = connection
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
    others = "SELECT \(other) FROM \(name) WHERE \(own) = ?1"
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

  func write() throws {
    for object in state.inserted {
      let model = state.erased(object)
      guard case .many(let members?) = model._$relation(relation.property) else { continue }
      try writeAll(members, of: model)
    }
    for former in state.formerRelations.values where former.property == relation.property {
      guard !former.model._$header.pointee.status.contains(.deleted) else { continue }
      if case .many(let members?) = former.model._$relation(relation.property) {
        if case .many(let base?) = former.value {
          try write(members, formerly: base, of: former.model)
        } else {
          try replace(by: members, of: former.model)
        }
      } else if let edit = state.linkEdits[RelationPlace(former.model, relation.property)] {
        try write(edit, of: former.model)
      }
    }
  }

  /// What came and went while the list was not loaded.
  private func write(_ edit: LinkEdit, of model: any PersistentModel) throws {
    let row = model._$header.pointee.rowID
    for member in edit.removed {
      try run(delete, row, member)
      if let mirroredDelete { try run(mirroredDelete, row, member) }
    }
    try append(edit.added[...], to: row)
  }

  private func append(_ members: ArraySlice<any PersistentModel>, to row: Int64) throws {
    guard !members.isEmpty else { return }
    var order = try connection.withStatement(for: greatest) { statement in
      statement.bind(1, row)
      defer { statement.reset() }
      return try statement.step() ? statement.int64(0) : 0
    }
    for member in members where !member._$header.pointee.status.contains(.deleted) {
      order += StoreFormat.orderStep
      try write(row, member._$header.pointee.rowID, order)
    }
  }

  private func write(
    _ members: [any PersistentModel], formerly base: [any PersistentModel], of model: any PersistentModel
  ) throws {
    let row = model._$header.pointee.rowID
    let present = Set(members.map { ObjectIdentifier($0) })
    for member in base where !present.contains(ObjectIdentifier(member)) {
      try run(delete, row, member._$header.pointee.rowID)
      if let mirroredDelete { try run(mirroredDelete, row, member._$header.pointee.rowID) }
    }
    guard let kept = RelationSaving.lengthOfUnchangedOrder(base, members) else {
      return try writeAll(members, of: model)
    }
    try append(members[kept...], to: row)
  }

  /// For a list of which nobody knows any more what it was.
  private func replace(by members: [any PersistentModel], of model: any PersistentModel) throws {
    let row = model._$header.pointee.rowID
    let present = Set(members.map { $0._$header.pointee.rowID })
    let stored = try connection.withStatement(for: others) { statement in
      statement.bind(1, row)
      defer { statement.reset() }
      var rows: [Int64] = []
      while try statement.step() { rows.append(statement.int64(0)) }
      return rows
    }
    for member in stored where !present.contains(member) {
      try run(delete, row, member)
      if let mirroredDelete { try run(mirroredDelete, row, member) }
    }
    try writeAll(members, of: model)
  }

  private func writeAll(_ members: [any PersistentModel], of model: any PersistentModel) throws {
    for (place, member) in members.enumerated() {
      try write(
        model._$header.pointee.rowID, member._$header.pointee.rowID, Int64(place + 1) * StoreFormat.orderStep)
    }
  }

  private func write(_ row: Int64, _ other: Int64, _ order: Int64) throws {
    try connection.withStatement(for: upsert) { statement in
      statement.bind(1, row)
      statement.bind(2, other)
      statement.bind(3, order)
      try statement.run()
    }
    if let mirroredInsert { try run(mirroredInsert, row, other) }
  }

  private func run(_ sql: String, _ row: Int64, _ other: Int64) throws {
    try connection.withStatement(for: sql) { statement in
      statement.bind(1, row)
      statement.bind(2, other)
      try statement.run()
    }
  }
}
