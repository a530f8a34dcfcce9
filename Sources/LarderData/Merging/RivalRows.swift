import LarderSQLite
import LarderSupport

/// Thrown inside a save's transaction: others have led rows to what rows of the save lead to as well, by a relationship of one
/// to one, after the context had taken over what there was.
// @unchecked: thrown and caught on one thread.
struct RivalRows: Error, @unchecked Sendable {
  let state: EntityState
  let rows: [Int64]
  /// How often a save is tried before it is written as it is: a store that was written by other programs may have such rows
  /// whatever is done.
  static let attempts = 10
}

extension ContextCore {
  /// Has what others have written meanwhile told again, so that one of the two loses what both lead to.
  func settle(_ rivals: RivalRows) {
    var entity = ChangeSet.Entity(layout: rivals.state.layout, identity: rivals.state.identity)
    entity.updated = rivals.rows.map { ChangeSet.Update(row: $0, mask: ~0) }
    inbox.deliver(ChangeSet(entities: [entity]))
    mergeOthers()
  }

  /// - Throws: ``RivalRows``.
  func refuseRivals(of savings: [EntitySaving], on connection: Connection) throws {
    for saving in savings where saving.state.layout.hasRelations {
      for relation in saving.state.layout.relations where !relation.isToMany {
        guard case .key(let column, _) = relation.form, relation.mirrored?.isToMany == false else { continue }
        let there = try state(for: relation.destinationLayout)
        let rows = try saving.rivals(by: relation, column, there, connection)
        if !rows.isEmpty { throw RivalRows(state: saving.state.root, rows: rows) }
      }
    }
  }
}

extension EntitySaving {
  /// The rows that lead to what rows of the save have been led to, and are none of it.
  fileprivate func rivals(
    by relation: RelationLayout, _ column: Int, _ there: EntityState, _ connection: Connection
  ) throws -> [Int64] {
    var rivals: [Int64] = []
    let (id, key) = (StoreFormat.identifierColumn, StoreFormat.quoted(state.layout.columns[column].name))
    let sql = "SELECT \(id) FROM \(state.statements.table) WHERE \(key) = ?1 AND \(id) <> ?2"
    let select = try connection.statement(for: sql)
    defer { select.checkIn() }
    for object in state.changed + state.inserted {
      let owner = state.erased(object)
      let own = self.row(of: owner)
      guard relation.isEdited(of: owner),
        case let row = owner._$key(relation.property), row > 0, parted[own] == nil,
        // Nobody else has led anything to what is new; what became a row that is there has been seen to by UnitedEnds.
        there.find(row).map({ !there.erased($0)._$header.pointee.status.contains(.inserted) }) ?? true
      else { continue }
      select.bind(1, row)
      select.bind(2, own)
      defer { select.reset() }
      while try select.step() { rivals.append(select.int64(0)) }
    }
    return rivals
  }
}
