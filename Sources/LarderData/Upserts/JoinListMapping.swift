import LarderSQLite

/// A mapping of a to-many relationship in a join table: records specify the members by their keys.
struct JoinListMapping<Record> {
  typealias KeyEnumeration = (
    _ record: UnsafePointer<Record>, _ body: ((value: _StoredValue, problem: String?)) throws -> Void
  ) throws -> Void

  let relationship: RelationshipLayout
  let statements: JoinTableStatements
  /// The lookup of the members' rows.
  let lookup: RelatedRowLookup
  /// A function that calls a closure with each key of a record.
  let forEachKey: KeyEnumeration

  init(
    _ relationship: RelationshipLayout, _ statements: JoinTableStatements, _ rows: RelatedRowLookup,
    _ keys: @escaping KeyEnumeration
  ) {
    self.relationship = relationship
    self.statements = statements
    self.lookup = rows
    self.forEachKey = keys
  }

  /// Returns the rows of a record's members, without duplicates, in the record's order.
  ///
  /// - Throws: ``SaveError`` if a member does not exist, or if there are too few or too many.
  func members(of record: UnsafePointer<Record>, _ layout: _ModelLayout) throws -> [Int64] {
    var members: [Int64] = []
    var seen: Set<Int64> = []
    func refused(_ code: SaveError.Code, _ reason: String) -> SaveError {
      SaveError(
        code, entityName: layout.entityName, properties: [relationship.name],
        "\(layout.entityName).\(relationship.name) cannot be stored: \(reason). Correct the record, or leave it out.")
    }
    try forEachKey(record) { key in
      if let problem = key.problem { throw refused(.unstorableValue, problem) }
      guard let row = try lookup.rowID(forKey: key.value) else { throw refused(.unstorableValue, lookup.missingReason) }
      if seen.insert(row).inserted { members.append(row) }
    }
    if relationship.maximumCount > 0, members.count > relationship.maximumCount {
      throw refused(.relationshipCount, "it may have at most \(relationship.maximumCount) objects")
    }
    if members.count < relationship.minimumCount {
      throw refused(.relationshipCount, "it must have at least \(relationship.minimumCount) objects")
    }
    return members
  }
}
