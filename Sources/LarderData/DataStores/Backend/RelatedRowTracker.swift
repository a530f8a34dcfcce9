import LarderSQLite

/// A row on the other side of a relationship that a save changes, although the save does not write the row.
struct RelatedRow: Hashable, Comparable {
  /// The table of the row's entity.
  let table: String
  let row: Int64

  static func < (one: RelatedRow, other: RelatedRow) -> Bool { (one.table, one.row) < (other.table, other.row) }
}

/// A record of the rows on the other side of relationships that change when cached rows are written.
///
/// A to-one relationship is a foreign key in its own row, and a many-to-many pair is in a join table. A data store that keeps
/// lists of identifiers on the other side has to save another model than the one whose row was written. Triggers record all
/// such changes, including foreign keys that deletions remove. Only the cached rows of a data store have these triggers.
enum RelatedRowTracker {
  private static let table = "larder_ends"

  /// Creates the table of recorded rows, and the triggers that write it.
  static func createTriggers(on connection: Connection, _ layouts: [_ModelLayout]) throws {
    // By the tables of the related rows' entities.
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

  /// Deletes the recorded rows.
  static func removeAll(on connection: Connection) throws {
    try connection.withStatement(for: "DELETE FROM \(table)") { try $0.run() }
  }

  /// Returns the rows that were recorded since the last ``removeAll(on:)``, in order.
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
      // Without an inverse, the other side does not change.
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
  ///   - column: The column with the row ID whose to-many or to-one relationship changes. Reordering a list has already changed
  ///     the list's owner.
  ///   - model: The table of that row.
  private static func triggers(on table: String, _ column: String, _ model: String) -> [String] {
    let on = StoreFormat.quoted(table)
    func name(_ event: String) -> String {
      StoreFormat.quoted("\(RelatedRowTracker.table)_\(event) \(table) \(column)")
    }
    let model = StoreFormat.literal(model)
    /// Returns a statement that first checks whether the row is recorded: the conflict clause of the statement that fires a
    /// trigger overrides the conflict clause in the trigger.
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
