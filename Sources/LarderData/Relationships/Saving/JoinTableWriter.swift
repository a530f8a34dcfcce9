import LarderSQLite
import LarderSupport

/// A writer of the pairs of one relationship that changed since the last save.
struct JoinTableWriter {
  private let tracker: _EntityTracker
  private let relationship: RelationshipLayout
  private let connection: Connection
  private let statements: JoinTableStatements

  init(
    _ tracker: _EntityTracker, _ relationship: RelationshipLayout, _ table: JoinTable, isSource: Bool,
    _ connection: Connection
  ) {
    self.tracker = tracker
    self.relationship = relationship
    self.connection = connection
    statements = JoinTableStatements(relationship, table, isSource: isSource)
  }

  func write() throws {
    for object in tracker.inserted {
      let model = tracker.erased(object)
      guard case .many(let members?) = model._$relationshipValue(relationship.property) else { continue }
      try writeAll(members, of: model)
    }
    for former in tracker.originalRelationships.values where former.property == relationship.property {
      guard !former.model._$header.pointee.status.contains(.deleted) else { continue }
      if case .many(let members?) = former.model._$relationshipValue(relationship.property) {
        if case .many(let base?) = former.value {
          try writeDifference(members, from: base, of: former.model)
        } else {
          try replaceAll(with: members, of: former.model)
        }
      } else if let edit = tracker.joinEdits[RelationshipKey(former.model, relationship.property)] {
        try writeEdit(edit, of: former.model)
      }
    }
  }

  /// Writes the members that were added and removed while the list was not loaded.
  private func writeEdit(_ edit: JoinEdit, of model: any PersistentModel) throws {
    let row = model._$header.pointee.rowID
    for member in edit.removed {
      try execute(statements.delete, row, member)
      if let mirroredDelete = statements.reverseDelete { try execute(mirroredDelete, row, member) }
    }
    try append(edit.added[...], to: row)
  }

  private func append(_ members: ArraySlice<any PersistentModel>, to row: Int64) throws {
    guard !members.isEmpty else { return }
    var order = try connection.withStatement(for: statements.selectMaximumOrder) { statement in
      statement.bind(1, row)
      return try statement.step() ? statement.int64(0) : 0
    }
    for member in members where !member._$header.pointee.status.contains(.deleted) {
      order += StoreFormat.orderStep
      try writePair(row, member._$header.pointee.rowID, order)
    }
  }

  private func writeDifference(
    _ members: [any PersistentModel], from base: [any PersistentModel], of model: any PersistentModel
  ) throws {
    let row = model._$header.pointee.rowID
    let present = Set(members.map { ObjectIdentifier($0) })
    for member in base where !present.contains(ObjectIdentifier(member)) {
      try execute(statements.delete, row, member._$header.pointee.rowID)
      if let mirroredDelete = statements.reverseDelete {
        try execute(mirroredDelete, row, member._$header.pointee.rowID)
      }
    }
    guard let kept = RelationshipWriter.unchangedPrefixCount(base, members) else {
      return try writeAll(members, of: model)
    }
    try append(members[kept...], to: row)
  }

  /// Writes a list whose former members are not known.
  private func replaceAll(with members: [any PersistentModel], of model: any PersistentModel) throws {
    let row = model._$header.pointee.rowID
    let present = Set(members.map { $0._$header.pointee.rowID })
    let stored = try connection.withStatement(for: statements.selectMembers) { statement in
      statement.bind(1, row)
      var rows: [Int64] = []
      while try statement.step() { rows.append(statement.int64(0)) }
      return rows
    }
    for member in stored where !present.contains(member) {
      try execute(statements.delete, row, member)
      if let mirroredDelete = statements.reverseDelete { try execute(mirroredDelete, row, member) }
    }
    try writeAll(members, of: model)
  }

  private func writeAll(_ members: [any PersistentModel], of model: any PersistentModel) throws {
    for (place, member) in members.enumerated() {
      try writePair(
        model._$header.pointee.rowID, member._$header.pointee.rowID, Int64(place + 1) * StoreFormat.orderStep)
    }
  }

  private func writePair(_ row: Int64, _ other: Int64, _ order: Int64) throws {
    try connection.withStatement(for: statements.upsert) { statement in
      statement.bind(1, row)
      statement.bind(2, other)
      statement.bind(3, order)
      try statement.run()
    }
    if let mirroredInsert = statements.reverseInsert { try execute(mirroredInsert, row, other) }
  }

  private func execute(_ sql: String, _ row: Int64, _ other: Int64) throws {
    try connection.withStatement(for: sql) { statement in
      statement.bind(1, row)
      statement.bind(2, other)
      try statement.run()
    }
  }
}
