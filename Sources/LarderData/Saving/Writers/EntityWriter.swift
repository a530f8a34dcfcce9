import LarderSQLite
import LarderSupport

/// Writes one entity's rows in a save. It keeps the results until the commit, so that a failed save leaves the objects as
/// they were.
final class EntityWriter {
  /// An insert that was resolved to a stored row with the same key.
  struct ResolvedUpsert {
    /// The inserted object.
    let object: AnyObject
    let row: Int64
    fileprivate(set) var version: Int64
  }

  let tracker: _EntityTracker
  let connection: Connection
  let relationshipWriter: RelationshipWriter
  private(set) var resolvedUpserts: [ResolvedUpsert] = []
  /// The versions of rows whose version after the save is not the expected one, by the row ID.
  private(set) var versionsAfterSave: [Int64: Int64] = [:]
  /// The new row IDs of objects whose own row ID was taken by another program's row.
  private(set) var reassignedRowIDs: [Int64: Int64] = [:]
  private(set) var changes: ChangeSet.Entity
  /// The number of pending inserts that this save writes. A type's own coding may insert more during the save.
  private(set) var insertedCount = 0

  /// The index of the first original value that was recorded during the save.
  let firstReentrantEntry: Int
  /// The edits that were made during the save, or `nil` if none are possible.
  let reentrantEdits: ReentrantEdits?

  init(
    _ tracker: _EntityTracker, connection: Connection, _ relationships: RelationshipWriter, _ lateEdits: ReentrantEdits?
  ) {
    self.tracker = tracker
    firstReentrantEntry = tracker.originalValues.count
    self.reentrantEdits = lateEdits
    self.connection = connection
    self.relationshipWriter = relationships
    changes = ChangeSet.Entity(layout: tracker.layout, identity: tracker.identity)
  }

  /// Writes deletions first, so that a new row may take a deleted row's key; then edits; then inserts. Classes that share a
  /// table take each step together.
  static func write(_ entityWriters: [EntityWriter]) throws {
    var groups: [[EntityWriter]] = []
    for entityWriter in entityWriters {
      if let place = groups.firstIndex(where: { $0[0].tracker.root === entityWriter.tracker.root }) {
        groups[place].append(entityWriter)
      } else {
        groups.append([entityWriter])
      }
    }
    let room = TombstoneBudget()
    for group in groups {
      for entityWriter in group { try entityWriter.deleteRows(room) }
      for (place, entityWriter) in group.enumerated() {
        entityWriter.laterTrackers = group[(place + 1)...].map(\.tracker)
        try entityWriter.updateRows(entityWriter.tracker.layout.type)
      }
      for entityWriter in group { try entityWriter.insertRows(entityWriter.tracker.layout.type) }
    }
  }

  /// The trackers of classes in the same table whose edits are written after this one's.
  private(set) var laterTrackers: [_EntityTracker] = []

  private func updateRows<Model: PersistentModel>(_ type: Model.Type) throws {
    guard !tracker.changed.isEmpty else { return }
    let rows = RowUpdater(self, connection: connection)
    try Model._$updateAll(tracker, rows)
    changes.updated = rows.updates
  }

  private func insertRows<Model: PersistentModel>(_ type: Model.Type) throws {
    guard !tracker.inserted.isEmpty else { return }
    let rows = try RowInserter(self, connection: connection)
    insertedCount = tracker.inserted.count
    try Model._$insertAll(tracker, rows)
    changes.inserted = rows.rows
    mergeUpdates(upsertMasks)
    if !resolvedUpserts.isEmpty { try checkRowIDCollisions() }
  }

  private func deleteRows(_ room: TombstoneBudget) throws {
    guard !tracker.deletedRows.isEmpty else { return }
    try checkStaleDeletions()
    // In the order of the row IDs, which is the order of the pages.
    let rows = tracker.deletedRows.inOrder()
    let deleting = try RowDeleter(tracker.statements, connection: connection)
    guard let tombstones = try TombstoneReader(tracker.layout, tracker.statements, room, connection: connection) else {
      changes.deleted = try deleting.delete(rows)
      return
    }
    for row in rows {
      let tombstone = try tombstones.read(row)
      guard try deleting.delete(row) else { continue }
      changes.deleted.append(row)
      if let tombstone { changes.tombstones.append(tombstone) }
    }
  }

  // MARK: Resolved upserts

  private var upsertMasks: [Int64: _PropertyMask] = [:]
  private var upsertRows: [ObjectIdentifier: Int64] = [:]
  /// The rows that lost the other end of a one-to-one relationship to another row, with the to-ones that are NULL now.
  private(set) var nullifiedKeys: [Int64: _PropertyMask] = [:]

  func resolveUpsert(_ object: AnyObject, row: Int64, version: Int64, isChanged: Bool) {
    resolvedUpserts.append(ResolvedUpsert(object: object, row: row, version: version))
    upsertRows[ObjectIdentifier(object)] = row
    // The columns that differed are unknown.
    if isChanged { upsertMasks[row, default: 0] |= ~tracker.layout.ephemeralMask }
  }

  /// Records changes of rows that are already written: of properties stored outside the row, or by upserts. A row that this
  /// save inserted and then updated counts as an insert; a row that it updated twice counts as one update.
  private func mergeUpdates(_ updates: [Int64: _PropertyMask]) {
    if updates.isEmpty { return }
    let inserted = Set(changes.inserted)
    let places = Dictionary(
      changes.updated.enumerated().map { ($0.element.row, $0.offset) }, uniquingKeysWith: { first, _ in first })
    for (row, mask) in updates.sorted(by: { $0.key < $1.key }) where !inserted.contains(row) {
      if let place = places[row] {
        changes.updated[place].mask |= mask
      } else {
        changes.updated.append(ChangeSet.Update(row: row, mask: mask))
      }
    }
  }

  /// Retracts updates of properties that did not change in the end, by the rows. Updates of upserted rows stay recorded.
  func retractUpdates(_ masks: [Int64: _PropertyMask]) {
    let met = Set(resolvedUpserts.map(\.row))
    changes.updated = changes.updated.compactMap { update in
      guard let mask = masks[update.row], !met.contains(update.row) else { return update }
      let left = update.mask & ~mask
      return left == 0 ? nil : ChangeSet.Update(row: update.row, mask: left)
    }
  }

  /// Records changes of values stored outside the rows. Increments the version of a row that has no other change.
  func recordOutOfRowUpdates(_ updates: [Int64: _PropertyMask]) throws {
    // A change of lists alone has written no row.
    let written = changes.updated.filter { $0.mask & tracker.layout.storedMask != 0 }
    let known = Set(changes.inserted + written.map(\.row))
    let raised = Set(updates.keys).subtracting(known)
    for row in raised.inOrder() { try connection.incrementVersion(of: row, in: tracker.statements.table) }
    mergeUpdates(updates)
    for place in resolvedUpserts.indices where raised.contains(resolvedUpserts[place].row) {
      resolvedUpserts[place].version += 1
    }
  }

  /// Notes that the save has set the foreign key of a row's one-to-one to NULL, because another row refers to the same object.
  /// Call ``mergeNullifiedKeys()`` after the last such row.
  func recordNullifiedKey(_ row: Int64, _ relationship: RelationshipLayout) {
    nullifiedKeys[row, default: 0] |= relationship.bit
    setVersion(StoreFormat.unknownVersion, of: row)
    tracker.markStale(row)
  }

  /// Adds the rows whose foreign keys were set to NULL to the save's changes, all of them in one pass.
  func mergeNullifiedKeys() {
    if nullifiedKeys.isEmpty { return }
    mergeUpdates(nullifiedKeys)
    // An instance in memory is refreshed.
    for place in resolvedUpserts.indices where nullifiedKeys[resolvedUpserts[place].row] != nil {
      resolvedUpserts[place].version = StoreFormat.unknownVersion
    }
  }

  /// - Parameter row: The row ID that was assigned last.
  func reassignRowID(_ row: Int64, as new: Int64) {
    let former = reassignedRowIDs.first { $0.value == row }?.key
    reassignedRowIDs[former ?? row] = new
  }

  /// Returns the row ID under which an object is written.
  func row(of model: any PersistentModel) -> Int64 {
    if let row = upsertRows[ObjectIdentifier(model)] { return row }
    let row = model._$header.pointee.rowID
    return reassignedRowIDs[row] ?? row
  }

  /// Replaces the row ID of an inserted row for which a data store has assigned another one.
  func reassignInsertedRowID(_ row: Int64, as new: Int64) {
    reassignRowID(row, as: new)
    if let place = changes.inserted.firstIndex(of: row) { changes.inserted[place] = new }
  }

  /// Resolves an inserted row to an existing row that a data store has found.
  func resolveInsertedUpsert(_ object: AnyObject, _ row: Int64, with known: Int64, version: Int64) {
    resolveUpsert(object, row: known, version: version, isChanged: false)
    changes.inserted.removeAll { $0 == row }
    changes.updated.append(ChangeSet.Update(row: known, mask: ~tracker.layout.ephemeralMask))
  }

  func setVersion(_ version: Int64, of row: Int64) { versionsAfterSave[row] = version }

  /// Records the versions of reinserted rows, for the inserts of this entity and for inserts resolved to such a row.
  ///
  /// - Parameter rows: The versions, by the rows of the hierarchy. See ``ReinsertedRows``.
  func recordReinsertedVersions(_ rows: [Int64: Int64]) {
    for row in changes.inserted where versionsAfterSave[row] != StoreFormat.unknownVersion {
      if let version = rows[row] { setVersion(version, of: row) }
    }
    for place in resolvedUpserts.indices where resolvedUpserts[place].version != StoreFormat.unknownVersion {
      if let version = rows[resolvedUpserts[place].row] { resolvedUpserts[place].version = version }
    }
  }

  // MARK: Rows by key

  /// Reads the parts of a row's keys outside a mask: another context may have written them.
  func readKeyColumns(of row: Int64, outside mask: _PropertyMask, into values: inout [_StoredValue]) throws {
    let columns = Set(tracker.layout.uniqueGroups.joined()).inOrder().filter {
      _ModelLayout.bit(tracker.layout.columns[$0].property) & mask == 0
    }
    if columns.isEmpty { return }
    let names = columns.map { StoreFormat.quoted(tracker.layout.columns[$0].name) }.joined(separator: ", ")
    let sql = "SELECT \(names) FROM \(tracker.statements.table) WHERE \(StoreFormat.identifierColumn) = ?1"
    try connection.withStatement(for: sql) { statement in
      statement.bind(1, row)
      guard try statement.step() else { return }
      for (place, column) in columns.enumerated() {
        values[column] = _StoredValue(column: Int32(place), of: statement.handle)
      }
    }
  }

  /// Returns the rows that have a model's keys, each with the constraint by which it was found.
  func rows(withKeysOf values: [_StoredValue]) throws -> [KeyedRow] {
    var result: [KeyedRow] = []
    for (group, sql) in zip(tracker.layout.uniqueGroups, tracker.statements.selectByKey) {
      try connection.withStatement(for: sql) { statement in
        for (place, column) in group.enumerated() { statement.bind(Int32(place + 1), values[column]) }
        guard try statement.step() else { return }
        result.append(
          KeyedRow(
            group: group, row: statement.int64(0), version: statement.int64(1),
            identity: tracker.identity(of: statement, column: 2)))
      }
    }
    return result
  }
}

/// A row that has a key, and the constraint by which it was found.
struct KeyedRow {
  let group: [Int]
  let row: Int64
  let version: Int64
  /// The identity of the row's class.
  let identity: EntityIdentity
}

extension EntityWriter {
  /// Returns the current values of a model's columns, in column order.
  static func values<Model: PersistentModel>(of model: Model, _ layout: _ModelLayout) -> [_StoredValue] {
    StoredColumns(of: model, layout).values
  }

  func identifier(_ row: Int64, isSaved: Bool = true) -> PersistentIdentifier {
    PersistentIdentifier(identity: tracker.identity, key: row, isSaved: isSaved)
  }
}
