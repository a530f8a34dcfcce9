public import CSQLite
public import LarderSQLite
public import LarderSupport

/// The update statements of one entity in a save: one for each set of properties that changed together.
@usableFromInline
final class RowUpdater: _RowUpdater {
  @usableFromInline let database: OpaquePointer
  // Unchecked: no code runs while an element is appended, and one is appended for each update.
  @usableFromInline @exclusivity(unchecked) var updates: [ChangeSet.Update] = []
  let entityWriter: EntityWriter
  let connection: Connection
  private var statements: [_PropertyMask: Statement] = [:]
  /// Whether the keys that are about to change have been parked.
  var keysAreParked = false

  init(_ entityWriter: EntityWriter, connection: Connection) {
    self.entityWriter = entityWriter
    self.connection = connection
    database = connection.handle
    tracksReentrantEdits = entityWriter.reentrantEdits != nil
    super.init()
    updates.reserveCapacity(entityWriter.tracker.changed.count)
  }

  /// Whether edits made while rows are written are recorded.
  @usableFromInline let tracksReentrantEdits: Bool

  /// Called before an object is written.
  @usableFromInline
  func willWrite(_ header: UnsafeMutablePointer<_ModelHeader.Fields>) { entityWriter.reentrantEdits?.willWrite(header) }

  deinit { for statement in statements.values { statement.checkIn() } }

  /// Returns the statement for a set of properties; most saves need one.
  @usableFromInline
  func statement(for mask: _PropertyMask) throws -> Statement {
    if let known = statements[mask] { return known }
    let made = try connection.statement(for: entityWriter.tracker.statements.update(mask))
    statements[mask] = made
    return made
  }
}

/// Writes the changed properties of edited objects, in the order of their first edit.
@inlinable
public func _$updateAll<Model: PersistentModel>(
  _ type: Model.Type, _ table: _InstanceTable, _ rows: _RowUpdater
) throws {
  let tracker = unsafeDowncast(table, to: _EntityTracker.self)
  let rows = unsafeDowncast(rows, to: RowUpdater.self)
  let changed = tracker.changed
  var place = 0
  while place < changed.count {
    let header = unsafeDowncast(changed[place], to: Model.self)._$header
    let mask = header.pointee.changedMask & ~tracker.layout.ephemeralMask
    if header.pointee.status.contains(.deleted) || mask == 0 {
      place += 1
    } else if mask & tracker.layout.storedMask == 0 {
      // A relationship that other rows store: no column of this row changes.
      try rows.checkRowExists(header)
      rows.updates.append(ChangeSet.Update(row: header.pointee.rowID, mask: mask))
      place += 1
    } else {
      try _$updateConsecutive(type, changed, &place, mask, tracker, rows)
    }
  }
}

/// Updates consecutive objects with the same changed properties by one statement, which is looked up once.
@inlinable
@inline(__always)
func _$updateConsecutive<Model: PersistentModel>(
  _ type: Model.Type, _ changed: [AnyObject], _ place: inout Int, _ mask: _PropertyMask, _ tracker: _EntityTracker,
  _ rows: RowUpdater
) throws {
  let statement = try rows.statement(for: mask)
  let layout = tracker.layout
  let ephemeral = layout.ephemeralMask
  var binder = _RowBinder(statement: statement, layout: layout)
  repeat {
    let model = unsafeDowncast(changed[place], to: Model.self)
    let header = model._$header
    if header.pointee.changedMask & ~ephemeral != mask || header.pointee.status.contains(.deleted) { return }
    if rows.tracksReentrantEdits { rows.willWrite(header) }
    binder.nextIndex = 1
    model._$bind(&binder, mask)
    if binder.firstProblem != nil { throw rows.unstorableValueError(model, &binder, mask) }
    statement.bind(binder.nextIndex, header.pointee.rowID)
    statement.bind(binder.nextIndex &+ 1, header.pointee.version)
    var code = statement.stepCode()
    // A later object may still have the key: two objects can swap theirs.
    if code != SQLITE_DONE, try rows.parkKeys(code, after: model, tracker) {
      statement.reset()
      code = statement.stepCode()
    }
    if code != SQLITE_DONE { throw rows.updateError(statement, code, model, mask) }
    statement.reset()
    let written = sqlite3_changes(rows.database) == 0 ? try rows.resolveStaleVersion(model, mask) : mask
    rows.updates.append(ChangeSet.Update(row: header.pointee.rowID, mask: written))
    place += 1
  } while place < changed.count
}
