import LarderSQLite

/// A row at the far end of a relationship: one that a save changes as seen from there, and writes nothing to.
struct RelatedRow: Hashable, Comparable {
  /// The table of its model.
  let table: String
  let row: Int64

  static func < (one: RelatedRow, other: RelatedRow) -> Bool { (one.table, one.row) < (other.table, other.row) }
}

/// Notes the far ends of what is written to rows in memory.
///
/// A to-one is a column of its own row, and a pair is in neither of its two: whoever keeps a list of identifiers at the other
/// end has another model to keep than the one that was written. Triggers know of all such changes, those of keys that
/// deletions take out included. Only rows before a data store have them.
enum RelatedRowTracker {
  private static let table = "larder_ends"

  /// Makes the table of notes, and the triggers that write them.
  static func createTriggers(on connection: Connection, _ layouts: [_ModelLayout]) throws {
    // By the tables of the models at the far ends.
    try connection.execute(
      "CREATE TABLE \(table) (model TEXT NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (model, row)) "
        + "STRICT, WITHOUT ROWID")
    for hierarchy in ModelHierarchy.all(layouts) {
      for layout in hierarchy.members {
        for relationship in layout.noninheritedRelations {
          for trigger in triggers(layout, relationship) { try connection.execute(trigger) }
        }
      }
    }
  }

  static func removeAll(on connection: Connection) throws {
    try connection.withStatement(for: "DELETE FROM \(table)") { try $0.run() }
  }

  /// What was written since they were forgotten, in order.
  static func recordedRows(on connection: Connection) throws -> [RelatedRow] {
    try connection.withStatement(for: "SELECT model, row FROM \(table) ORDER BY model, row") { statement in
      var found: [RelatedRow] = []
      while try statement.step() { found.append(RelatedRow(table: statement.string(0), row: statement.int64(1))) }
      return found
    }
  }

  // MARK: Triggers

  private static func triggers(_ layout: _ModelLayout, _ relationship: RelationshipLayout) -> [String] {
    switch relationship.storage {
    case .inverse: return []
    case .foreignKey(let column, _):
      // Nobody looks back.
      guard relationship.inverseProperty != nil else { return [] }
      return triggers(
        on: layout.tableName, StoreFormat.quoted(layout.columns[column].name), relationship.destinationLayout.tableName)
    case .joinTable(let table, let isSource):
      guard isSource else { return [] }
      let sources = triggers(on: table.name, JoinTable.sourceColumn, table.source)
      return table.isOrderedByTarget
        ? sources + triggers(on: table.name, JoinTable.targetColumn, table.target) : sources
    }
  }

  /// - Parameters:
  ///   - column: Has the number of a row whose list, or to-one, it tells. Whoever orders a list has changed its owner.
  ///   - model: The table of that row.
  private static func triggers(on table: String, _ column: String, _ model: String) -> [String] {
    let on = StoreFormat.quoted(table)
    func name(_ event: String) -> String {
      StoreFormat.quoted("\(RelatedRowTracker.table)_\(event) \(table) \(column)")
    }
    let model = StoreFormat.literal(model)
    /// Asks whether it is noted already: how a conflict is met, the statement that fires a trigger decides for it, too.
    func note(_ row: String) -> String {
      let number = "\(row).\(column)"
      return "INSERT INTO \(RelatedRowTracker.table) SELECT \(model), \(number) WHERE \(number) IS NOT NULL AND "
        + "NOT EXISTS (SELECT 1 FROM \(RelatedRowTracker.table) WHERE model = \(model) AND row = \(number));"
    }
    return [
      "CREATE TRIGGER \(name("insert")) AFTER INSERT ON \(on) BEGIN \(note("NEW")) END",
      "CREATE TRIGGER \(name("delete")) AFTER DELETE ON \(on) BEGIN \(note("OLD")) END",
      "CREATE TRIGGER \(name("update")) AFTER UPDATE OF \(column) ON \(on) WHEN OLD.\(column) IS NOT NEW.\(column) "
        + "BEGIN \(note("OLD")) \(note("NEW")) END",
    ]
  }
}
