import LarderSQLite
import LarderSupport

/// Writes the pairs of one relationship that changed since the last save.
struct LinkSaving {
  private let state: EntityState
  private let relation: RelationLayout
  private let connection: Connection
  private let statements: LinkStatements

  init(
    _ state: EntityState, _ relation: RelationLayout, _ table: LinkTable, isSource: Bool, _ connection: Connection
  ) {
    self.state = state
    self.relation = relation
    self.connection = connection
    statements = LinkStatements(relation, table, isSource: isSource)
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
      try run(statements.delete, row, member)
      if let mirroredDelete = statements.mirroredDelete { try run(mirroredDelete, row, member) }
    }
    try append(edit.added[...], to: row)
  }

  private func append(_ members: ArraySlice<any PersistentModel>, to row: Int64) throws {
    guard !members.isEmpty else { return }
    var order = try connection.withStatement(for: statements.greatest) { statement in
      statement.bind(1, row)
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
      try run(statements.delete, row, member._$header.pointee.rowID)
      if let mirroredDelete = statements.mirroredDelete { try run(mirroredDelete, row, member._$header.pointee.rowID) }
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
    let stored = try connection.withStatement(for: statements.members) { statement in
      statement.bind(1, row)
      var rows: [Int64] = []
      while try statement.step() { rows.append(statement.int64(0)) }
      return rows
    }
    for member in stored where !present.contains(member) {
      try run(statements.delete, row, member)
      if let mirroredDelete = statements.mirroredDelete { try run(mirroredDelete, row, member) }
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
    try connection.withStatement(for: statements.upsert) { statement in
      statement.bind(1, row)
      statement.bind(2, other)
      statement.bind(3, order)
      try statement.run()
    }
    if let mirroredInsert = statements.mirroredInsert { try run(mirroredInsert, row, other) }
  }

  private func run(_ sql: String, _ row: Int64, _ other: Int64) throws {
    try connection.withStatement(for: sql) { statement in
      statement.bind(1, row)
      statement.bind(2, other)
      try statement.run()
    }
  }
}
