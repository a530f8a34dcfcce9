import LarderSQLite
import LarderSupport

/// One model's share of a save: what is known only once the rows are written, kept until the commit so that a save
/// that fails leaves the objects as they were.
final class EntityWriter {
  /// An insert that met a stored row with the same key, and became that row.
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
  /// Rows whose version is not the one that the context expects.
  private(set) var versionsAfterSave: [Int64: Int64] = [:]
  /// Objects that got another identifier because a stranger's row had theirs.
  private(set) var reassignedRowIDs: [Int64: Int64] = [:]
  private(set) var changes: ChangeSet.Entity
  /// How many of the pending inserts this save writes. A type's own coding may insert more while it does.
  private(set) var insertedCount = 0

  /// Where edits begin that came while this was written.
  let firstReentrantEntry: Int
  /// Those edits, where there may be some.
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

  /// Deletions first, so that a new row may take a deleted one's key; then edits; then inserts. Classes that share a
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

  /// Classes of the same table whose edits come after this one's.
  private(set) var laterTrackers: [_EntityTracker] = []

  private func updateRows<Model: PersistentModel>(_ type: Model.Type) throws {
    guard !tracker.changed.isEmpty else { return }
    let rows = _RowUpdater(self, connection: connection)
    try Model._$updateAll(tracker, rows)
    changes.updated = rows.updates
  }

  private func insertRows<Model: PersistentModel>(_ type: Model.Type) throws {
    guard !tracker.inserted.isEmpty else { return }
    let rows = try _RowInserter(self, connection: connection)
    insertedCount = tracker.inserted.count
    try Model._$insertAll(tracker, rows)
    changes.inserted = rows.rows
    mergeUpdates(upsertMasks)
    if !resolvedUpserts.isEmpty { try checkRowIDCollisions() }
  }

  private func deleteRows(_ room: TombstoneBudget) throws {
    guard !tracker.deletedRows.isEmpty else { return }
    try checkStaleDeletions()
    // In the order of the rows, which is the order of the pages.
    let rows = tracker.deletedRows.inOrder()
    let deleting = try RowDeleter(tracker.statements, connection: connection)
    guard let tombstones = try TombstoneReader(tracker, room, connection: connection) else {
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

  // MARK: Inserts that met a row

  private var upsertMasks: [Int64: _PropertyMask] = [:]
  private var upsertRows: [ObjectIdentifier: Int64] = [:]
  /// Rows whose place at the end of a relationship of one to one another row took, with the to-ones that are NULL now.
  private(set) var nullifiedKeys: [Int64: _PropertyMask] = [:]

  func resolveUpsert(_ object: AnyObject, row: Int64, version: Int64, isChanged: Bool) {
    resolvedUpserts.append(ResolvedUpsert(object: object, row: row, version: version))
    upsertRows[ObjectIdentifier(object)] = row
    // Which of its columns differed nobody knows.
    if isChanged { upsertMasks[row, default: 0] |= ~tracker.layout.ephemeralMask }
  }

  /// Notes changes of rows that are written already: in what does not lie in the row, or by inserts that met them. A row
  /// that this save inserted and then updated is an insert; one that it updated twice is one update.
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

  /// Takes back that properties have changed, by the rows: nothing has, as it turned out. What an insert met stays told.
  func retractUpdates(_ masks: [Int64: _PropertyMask]) {
    let met = Set(resolvedUpserts.map(\.row))
    changes.updated = changes.updated.compactMap { update in
      guard let mask = masks[update.row], !met.contains(update.row) else { return update }
      let left = update.mask & ~mask
      return left == 0 ? nil : ChangeSet.Update(row: update.row, mask: left)
    }
  }

  /// Notes changes in what does not lie in the rows. The version of a row that changes in nothing else is raised for that.
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
    // An instance that is in hand is brought in step with its row.
    for place in resolvedUpserts.indices where nullifiedKeys[resolvedUpserts[place].row] != nil {
      resolvedUpserts[place].version = StoreFormat.unknownVersion
    }
  }

  /// - Parameter row: The number that it was given last.
  func reassignRowID(_ row: Int64, as new: Int64) {
    let former = reassignedRowIDs.first { $0.value == row }?.key
    reassignedRowIDs[former ?? row] = new
  }

  /// The row that an object is written as.
  func row(of model: any PersistentModel) -> Int64 {
    if let row = upsertRows[ObjectIdentifier(model)] { return row }
    let row = model._$header.pointee.rowID
    return reassignedRowIDs[row] ?? row
  }

  /// A data store has given an inserted row another number.
  func reassignInsertedRowID(_ row: Int64, as new: Int64) {
    reassignRowID(row, as: new)
    if let place = changes.inserted.firstIndex(of: row) { changes.inserted[place] = new }
  }

  /// A data store has found that an inserted row is one that it has.
  func resolveInsertedUpsert(_ object: AnyObject, _ row: Int64, with known: Int64, version: Int64) {
    resolveUpsert(object, row: known, version: version, isChanged: false)
    changes.inserted.removeAll { $0 == row }
    changes.updated.append(ChangeSet.Update(row: known, mask: ~tracker.layout.ephemeralMask))
  }

  func setVersion(_ version: Int64, of row: Int64) { versionsAfterSave[row] = version }

  /// Notes the versions that rows were inserted with, for the inserts of this model and for those that have met such a row.
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

  /// Reads those parts of a row's keys that a mask leaves out: somebody else may have written them.
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

  /// The rows that hold a model's keys, each with the constraint by which it was found.
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

/// A row that holds a key, and the constraint by which it was found.
struct KeyedRow {
  let group: [Int]
  let row: Int64
  let version: Int64
  /// That of the row's class.
  let identity: EntityIdentity
}

extension EntityWriter {
  /// A model's columns in wire order, by the values that it has now.
  static func values<Model: PersistentModel>(of model: Model, _ layout: _ModelLayout) -> [_StoredValue] {
    StoredColumns(of: model, layout).values
  }

  func identifier(_ row: Int64, isSaved: Bool = true) -> PersistentIdentifier {
    PersistentIdentifier(identity: tracker.identity, key: row, isSaved: isSaved)
  }
}
