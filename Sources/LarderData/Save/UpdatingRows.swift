public import CSQLite
public import LarderSQLite

/// The updates of one model in a save: a statement for each set of properties that changed together.
public final class UpdatingRows {
  @usableFromInline let database: OpaquePointer
  @usableFromInline var statement: Statement?
  @usableFromInline var mask: UInt64 = 0
  @usableFromInline package var updates: [ChangeSet.Update] = []
  let saving: EntitySaving
  let connection: Connection
  private var statements: [UInt64: Statement] = [:]
  /// Whether the keys that are about to change have been set aside.
  var keysAreAside = false

  init(_ saving: EntitySaving, connection: Connection) {
    self.saving = saving
    self.connection = connection
    database = connection.handle
    updates.reserveCapacity(saving.state.changed.count)
  }

  deinit { for statement in statements.values { statement.checkIn() } }

  /// The statement for a set of properties; most saves need one.
  @usableFromInline
  func prepare(_ mask: UInt64) throws -> Statement {
    let found: Statement
    if let known = statements[mask] {
      found = known
    } else {
      found = try connection.statement(for: saving.state.statements.update(mask))
      statements[mask] = found
    }
    statement = found
    self.mask = mask
    return found
  }
}

/// Writes the changed properties of edited objects, in the order of their first edit.
@inlinable
public func _$updateAll<Model: PersistentModel>(
  _ type: Model.Type, _ state: EntityState, _ rows: UpdatingRows
) throws {
  for object in state.changed {
    let model = unsafeDowncast(object, to: Model.self)
    let header = model._$header
    let mask = header.pointee.changed & ~state.layout.ephemeralMask
    if header.pointee.status.contains(.deleted) || mask == 0 { continue }
    if mask & state.layout.storedMask == 0 {
      // A relationship that other rows tell: nothing of this one changes.
      rows.updates.append(ChangeSet.Update(row: header.pointee.rowID, mask: mask))
      continue
    }
    let statement: Statement
    if let current = rows.statement, rows.mask == mask {
      statement = current
    } else {
      statement = try rows.prepare(mask)
    }
    var binder = RowBinder(statement: statement, layout: state.layout)
    model._$bind(&binder, mask)
    if binder.problem != nil { throw rows.unstorable(model, &binder, mask) }
    statement.bind(binder.next, header.pointee.rowID)
    statement.bind(binder.next &+ 1, header.pointee.version)
    var code = statement.stepCode()
    // The key may be that of an object whose own turn is still to come: two objects can swap theirs.
    if code != SQLITE_DONE, try rows.setKeysAside(code, after: model, state) {
      statement.reset()
      code = statement.stepCode()
    }
    if code != SQLITE_DONE { throw rows.failed(statement, code, model, mask) }
    statement.reset()
    let written = sqlite3_changes(rows.database) == 0 ? try rows.outdated(model, mask) : mask
    rows.updates.append(ChangeSet.Update(row: header.pointee.rowID, mask: written))
  }
}
