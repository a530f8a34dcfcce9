import LarderSQLite
import LarderSupport

/// What inserts that met rows bring into the rows' lists of pairs: nothing of a row itself tells that.
struct UnitedPairs {
  private struct List {
    let saving: EntitySaving
    let row: Int64
    let relation: RelationLayout
    let count: String
    let before: Int64
  }

  private let connection: Connection
  private var lists: [List] = []

  /// Counts the pairs that the rows have, before any are written.
  init(_ savings: [EntitySaving], _ connection: Connection) throws {
    self.connection = connection
    for saving in savings where !saving.unions.isEmpty {
      for relation in saving.state.layout.relations {
        guard case .link(let table, let isSource) = relation.form else { continue }
        let own = isSource ? LinkTable.sourceColumn : LinkTable.targetColumn
        let sql = "SELECT count(*) FROM \(StoreFormat.quoted(table.name)) WHERE \(own) = ?1"
        for union in saving.unions {
          guard case .many(let members?) = saving.state.erased(union.object)._$relation(relation.property),
            !members.isEmpty
          else { continue }
          let before = try UnitedPairs.count(sql, union.row, connection)
          lists.append(List(saving: saving, row: union.row, relation: relation, count: sql, before: before))
        }
      }
    }
  }

  /// Notes the lists that have more by now.
  func note() throws {
    var updates: [ObjectIdentifier: (saving: EntitySaving, masks: [Int64: PropertyMask])] = [:]
    for list in lists where try UnitedPairs.count(list.count, list.row, connection) > list.before {
      updates[ObjectIdentifier(list.saving), default: (list.saving, [:])].masks[list.row, default: 0] |=
        list.relation.bit
    }
    for (saving, masks) in updates.values { try saving.noteBesideRows(masks) }
  }

  private static func count(_ sql: String, _ row: Int64, _ connection: Connection) throws -> Int64 {
    try connection.withStatement(for: sql) { statement in
      statement.bind(1, row)
      return try statement.step() ? statement.int64(0) : 0
    }
  }
}
