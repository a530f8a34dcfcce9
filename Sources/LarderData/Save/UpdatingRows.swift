public import CSQLite
public import LarderSQLite
public import LarderSupport

/// The updates of one model in a save: a statement for each set of properties that changed together.
public final class UpdatingRows {
  @usableFromInline let database: OpaquePointer
  // Unchecked, as nothing runs while one enters, and one does for each update.
  @usableFromInline @exclusivity(unchecked) package var updates: [ChangeSet.Update] = []
  let saving: EntitySaving
  let connection: Connection
  private var statements: [PropertyMask: Statement] = [:]
  /// Whether the keys that are about to change have been set aside.
  var keysAreAside = false

  init(_ saving: EntitySaving, connection: Connection) {
    self.saving = saving
    self.connection = connection
    database = connection.handle
    expectsLateEdits = saving.lateEdits != nil
    updates.reserveCapacity(saving.state.changed.count)
  }

  /// Whether edits are looked for that come while rows are written.
  @usableFromInline let expectsLateEdits: Bool

  /// An object is about to be written.
  @usableFromInline
  func begin(_ header: UnsafeMutablePointer<ModelHeader.Fields>) { saving.lateEdits?.begin(header) }

  deinit { for statement in statements.values { statement.checkIn() } }

  /// The statement for a set of properties; most saves need one.
  @usableFromInline
  func statement(for mask: PropertyMask) throws -> Statement {
    if let known = statements[mask] { return known }
    let made = try connection.statement(for: saving.state.statements.update(mask))
    statements[mask] = made
    return made
  }
}

/// Writes the changed properties of edited objects, in the order of their first edit.
@inlinable
public func _$updateAll<Model: PersistentModel>(
  _ type: Model.Type, _ state: EntityState, _ rows: UpdatingRows
) throws {
  let changed = state.changed
  var place = 0
  while place < changed.count {
    let header = unsafeDowncast(changed[place], to: Model.self)._$header
    let mask = header.pointee.changed & ~state.layout.ephemeralMask
    if header.pointee.status.contains(.deleted) || mask == 0 {
      place += 1
    } else if mask & state.layout.storedMask == 0 {
      // A relationship that other rows tell: nothing of this one changes.
      try rows.refuseGone(header)
      rows.updates.append(ChangeSet.Update(row: header.pointee.rowID, mask: mask))
      place += 1
    } else {
      try _$updateRun(type, changed, &place, mask, state, rows)
    }
  }
}

/// Those of them that follow each other and changed the same properties: by one statement, which is looked for once.
@inlinable
@inline(__always)
func _$updateRun<Model: PersistentModel>(
  _ type: Model.Type, _ changed: [AnyObject], _ place: inout Int, _ mask: PropertyMask, _ state: EntityState,
  _ rows: UpdatingRows
) throws {
  let statement = try rows.statement(for: mask)
  let layout = state.layout
  let ephemeral = layout.ephemeralMask
  var binder = RowBinder(statement: statement, layout: layout)
  repeat {
    let model = unsafeDowncast(changed[place], to: Model.self)
    let header = model._$header
    if header.pointee.changed & ~ephemeral != mask || header.pointee.status.contains(.deleted) { return }
    if rows.expectsLateEdits { rows.begin(header) }
    binder.next = 1
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
    place += 1
  } while place < changed.count
}
