import LarderSQLite

/// A to-many of pairs that records give by the keys of its members.
struct UpsertList<Record> {
  typealias Keys = (
    _ record: UnsafePointer<Record>, _ body: ((value: StoredValue, problem: String?)) throws -> Void
  ) throws -> Void

  let relation: RelationLayout
  let statements: LinkStatements
  /// Finds the members.
  let rows: RelatedRows
  /// Gives each key of a record's.
  let keys: Keys

  init(_ relation: RelationLayout, _ statements: LinkStatements, _ rows: RelatedRows, _ keys: @escaping Keys) {
    self.relation = relation
    self.statements = statements
    self.rows = rows
    self.keys = keys
  }

  /// The rows of a record's members, each once, in the record's order.
  ///
  /// - Throws: ``SaveError`` where one is not there, or there are too few or too many.
  func members(of record: UnsafePointer<Record>, _ layout: ModelLayout) throws -> [Int64] {
    var members: [Int64] = []
    var seen: Set<Int64> = []
    func refused(_ code: SaveError.Code, _ reason: String) -> SaveError {
      SaveError(
        code, entityName: layout.entityName, properties: [relation.name],
        "\(layout.entityName).\(relation.name) cannot be stored: \(reason). Correct the record, or leave it out.")
    }
    try keys(record) { key in
      if let problem = key.problem { throw refused(.unstorableValue, problem) }
      guard let row = try rows.row(key.value) else { throw refused(.unstorableValue, rows.absence) }
      if seen.insert(row).inserted { members.append(row) }
    }
    if relation.maximumCount > 0, members.count > relation.maximumCount {
      throw refused(.relationshipCount, "it may have at most \(relation.maximumCount) objects")
    }
    if members.count < relation.minimumCount {
      throw refused(.relationshipCount, "it must have at least \(relation.minimumCount) objects")
    }
    return members
  }
}
