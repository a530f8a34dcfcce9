import LarderSQLite
import LarderSupport

/// Records the join rows that inserts resolved to existing rows add to those rows: no column of the rows shows them.
struct UpsertedJoinRows {
  private struct JoinList {
    let entityWriter: EntityWriter
    let row: Int64
    let relationship: RelationshipLayout
    let countSQL: String
    let previousCount: Int64
  }

  private let connection: Connection
  private var lists: [JoinList] = []

  /// Counts the join rows of the existing rows, before any are written.
  init(_ entityWriters: [EntityWriter], _ connection: Connection) throws {
    self.connection = connection
    for entityWriter in entityWriters where !entityWriter.resolvedUpserts.isEmpty {
      for relationship in entityWriter.tracker.layout.relationships {
        guard case .joinTable(let table, let isSource) = relationship.storage else { continue }
        let own = isSource ? JoinTable.sourceColumn : JoinTable.targetColumn
        let sql = "SELECT count(*) FROM \(StoreFormat.quoted(table.name)) WHERE \(own) = ?1"
        for union in entityWriter.resolvedUpserts {
          guard
            case .many(let members?) = entityWriter.tracker.erased(union.object)._$relationshipValue(
              relationship.property),
            !members.isEmpty
          else { continue }
          let before = try UpsertedJoinRows.count(sql, union.row, connection)
          lists.append(
            JoinList(
              entityWriter: entityWriter, row: union.row, relationship: relationship, countSQL: sql,
              previousCount: before))
        }
      }
    }
  }

  /// Records an update for each list that has more join rows than before.
  func recordAdditions() throws {
    var updates: [ObjectIdentifier: (entityWriter: EntityWriter, masks: [Int64: _PropertyMask])] = [:]
    for list in lists where try UpsertedJoinRows.count(list.countSQL, list.row, connection) > list.previousCount {
      updates[ObjectIdentifier(list.entityWriter), default: (list.entityWriter, [:])].masks[list.row, default: 0] |=
        list.relationship.bit
    }
    for (entityWriter, masks) in updates.values { try entityWriter.recordOutOfRowUpdates(masks) }
  }

  private static func count(_ sql: String, _ row: Int64, _ connection: Connection) throws -> Int64 {
    try connection.withStatement(for: sql) { statement in
      statement.bind(1, row)
      return try statement.step() ? statement.int64(0) : 0
    }
  }
}
