import LarderSQLite
import LarderSupport

/// One model's share of a save: what is known only once the rows are written, kept until the commit so that a save
/// that fails leaves the objects as they were.
final class EntitySaving {
  /// An insert that met a stored row with the same key, and became that row.
  struct Union {
    /// The inserted object.
    let object: AnyObject
    let row: Int64
    fileprivate(set) var version: Int64
  }

  let state: EntityState
  let connection: Connection
  let relations: RelationSaving
  private(set) var unions: [Union] = []
  /// Rows whose version is not the one that the context expects.
  private(set) var versions: [Int64: Int64] = [:]
  /// Objects that got another identifier because a stranger's row had theirs.
  private(set) var redrawn: [Int64: Int64] = [:]
  private(set) var changes: ChangeSet.Entity
  /// How many of the pending inserts this save writes. A type's own coding may insert more while it does.
  private(set) var insertedCount = 0

  /// Where edits begin that came while this was written.
  let firstUndo: Int
  /// Those edits, where there may be some.
  let lateEdits: LateEdits?

  init(_ state: EntityState, connection: Connection, _ relations: RelationSaving, _ lateEdits: LateEdits?) {
    self.state = state
    firstUndo = state.undo.count
    self.lateEdits = lateEdits
    self.connection = connection
    self.relations = relations
    changes = ChangeSet.Entity(layout: state.layout, identity: state.identity)
  }

  /// Deletions first, so that a new row may take a deleted one's key; then edits; then inserts. Classes that share a
  /// table take each step together.
  static func write(_ savings: [EntitySaving]) throws {
    var groups: [[EntitySaving]] = []
    for saving in savings {
      if let place = groups.firstIndex(where: { $0[0].state.root === saving.state.root }) {
        groups[place].append(saving)
      } else {
        groups.append([saving])
      }
    }
    let room = TombstoneRoom()
    for group in groups {
      for saving in group { try saving.deleteRows(room) }
      for (place, saving) in group.enumerated() {
        saving.later = group[(place + 1)...].map(\.state)
        try saving.updateRows(saving.state.layout.type)
      }
      for saving in group { try saving.insertRows(saving.state.layout.type) }
    }
  }

  /// Classes of the same table whose edits come after this one's.
  private(set) var later: [EntityState] = []

  private func updateRows<Model: PersistentModel>(_ type: Model.Type) throws {
    guard !state.changed.isEmpty else { return }
    let rows = UpdatingRows(self, connection: connection)
    try Model._$updateAll(state, rows)
    changes.updated = rows.updates
  }

  private func insertRows<Model: PersistentModel>(_ type: Model.Type) throws {
    guard !state.inserted.isEmpty else { return }
    let rows = try InsertingRows(self, connection: connection)
    insertedCount = state.inserted.count
    try Model._$insertAll(state, rows)
    changes.inserted = rows.rows
    merge(united)
    if !unions.isEmpty { try refuseTakenNumbers() }
  }

  private func deleteRows(_ room: TombstoneRoom) throws {
    guard !state.deletedRows.isEmpty else { return }
    try refuseOutdatedDeletions()
    // In the order of the rows, which is the order of the pages.
    let rows = state.deletedRows.inOrder()
    let deleting = try DeletingRows(state.statements, connection: connection)
    guard let tombstones = try TombstoneReading(state, room, connection: connection) else {
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

  private var united: [Int64: PropertyMask] = [:]
  private var unitedRows: [ObjectIdentifier: Int64] = [:]
  /// Rows whose place at the end of a relationship of one to one another row took, with the to-ones that are NULL now.
  private(set) var parted: [Int64: PropertyMask] = [:]

  func unite(_ object: AnyObject, row: Int64, version: Int64, isChanged: Bool) {
    unions.append(Union(object: object, row: row, version: version))
    unitedRows[ObjectIdentifier(object)] = row
    // Which of its columns differed nobody knows.
    if isChanged { united[row, default: 0] |= ~state.layout.ephemeralMask }
  }

  /// Notes changes of rows that are written already: in what does not lie in the row, or by inserts that met them. A row
  /// that this save inserted and then updated is an insert; one that it updated twice is one update.
  private func merge(_ updates: [Int64: PropertyMask]) {
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
  func withdraw(_ masks: [Int64: PropertyMask]) {
    let met = Set(unions.map(\.row))
    changes.updated = changes.updated.compactMap { update in
      guard let mask = masks[update.row], !met.contains(update.row) else { return update }
      let left = update.mask & ~mask
      return left == 0 ? nil : ChangeSet.Update(row: update.row, mask: left)
    }
  }

  /// Notes changes in what does not lie in the rows. The version of a row that changes in nothing else is raised for that.
  func noteBesideRows(_ updates: [Int64: PropertyMask]) throws {
    // A change of lists alone has written no row.
    let written = changes.updated.filter { $0.mask & state.layout.storedMask != 0 }
    let known = Set(changes.inserted + written.map(\.row))
    let raised = Set(updates.keys).subtracting(known)
    for row in raised.inOrder() { try connection.raiseVersion(of: row, in: state.statements.table) }
    merge(updates)
    for place in unions.indices where raised.contains(unions[place].row) { unions[place].version += 1 }
  }

  /// Notes that the save has set the foreign key of a row's one-to-one to NULL, because another row refers to the same object.
  /// Call ``noteParted()`` after the last such row.
  func part(_ row: Int64, _ relation: RelationLayout) {
    parted[row, default: 0] |= relation.bit
    setVersion(StoreFormat.noVersion, of: row)
    state.leaveBehind(row)
  }

  /// Adds the rows whose foreign keys were set to NULL to the save's changes, all of them in one pass.
  func noteParted() {
    if parted.isEmpty { return }
    merge(parted)
    // An instance that is in hand is brought in step with its row.
    for place in unions.indices where parted[unions[place].row] != nil {
      unions[place].version = StoreFormat.noVersion
    }
  }

  /// - Parameter row: The number that it was given last.
  func redraw(_ row: Int64, as new: Int64) {
    let former = redrawn.first { $0.value == row }?.key
    redrawn[former ?? row] = new
  }

  /// The row that an object is written as.
  func row(of model: any PersistentModel) -> Int64 {
    if let row = unitedRows[ObjectIdentifier(model)] { return row }
    let row = model._$header.pointee.rowID
    return redrawn[row] ?? row
  }

  /// A data store has given an inserted row another number.
  func redrawInserted(_ row: Int64, as new: Int64) {
    redraw(row, as: new)
    if let place = changes.inserted.firstIndex(of: row) { changes.inserted[place] = new }
  }

  /// A data store has found that an inserted row is one that it has.
  func uniteInserted(_ object: AnyObject, _ row: Int64, with known: Int64, version: Int64) {
    unite(object, row: known, version: version, isChanged: false)
    changes.inserted.removeAll { $0 == row }
    changes.updated.append(ChangeSet.Update(row: known, mask: ~state.layout.ephemeralMask))
  }

  func setVersion(_ version: Int64, of row: Int64) { versions[row] = version }

  /// Notes the versions that rows were inserted with, for the inserts of this model and for those that have met such a row.
  ///
  /// - Parameter rows: The versions, by the rows of the hierarchy. See ``ReturnedRows``.
  func noteReturned(_ rows: [Int64: Int64]) {
    for row in changes.inserted where versions[row] != StoreFormat.noVersion {
      if let version = rows[row] { setVersion(version, of: row) }
    }
    for place in unions.indices where unions[place].version != StoreFormat.noVersion {
      if let version = rows[unions[place].row] { unions[place].version = version }
    }
  }

  // MARK: Rows by key

  /// Reads those parts of a row's keys that a mask leaves out: somebody else may have written them.
  func readKeys(of row: Int64, outside mask: PropertyMask, into values: inout [StoredValue]) throws {
    let columns = Set(state.layout.uniqueGroups.joined()).inOrder().filter {
      ModelLayout.bit(state.layout.columns[$0].property) & mask == 0
    }
    if columns.isEmpty { return }
    let names = columns.map { StoreFormat.quoted(state.layout.columns[$0].name) }.joined(separator: ", ")
    let sql = "SELECT \(names) FROM \(state.statements.table) WHERE \(StoreFormat.identifierColumn) = ?1"
    try connection.withStatement(for: sql) { statement in
      statement.bind(1, row)
      guard try statement.step() else { return }
      for (place, column) in columns.enumerated() {
        values[column] = StoredValue(column: Int32(place), of: statement.handle)
      }
    }
  }

  /// The rows that hold a model's keys, each with the constraint by which it was found.
  func rows(withKeysOf values: [StoredValue]) throws -> [KeyedRow] {
    var result: [KeyedRow] = []
    for (group, sql) in zip(state.layout.uniqueGroups, state.statements.selectByKey) {
      try connection.withStatement(for: sql) { statement in
        for (place, column) in group.enumerated() { statement.bind(Int32(place + 1), values[column]) }
        guard try statement.step() else { return }
        result.append(
          KeyedRow(
            group: group, row: statement.int64(0), version: statement.int64(1),
            identity: state.identity(of: statement, column: 2)))
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

extension EntitySaving {
  /// A model's columns in wire order, by the values that it has now.
  static func values<Model: PersistentModel>(of model: Model, _ layout: ModelLayout) -> [StoredValue] {
    StoredColumns(of: model, layout).values
  }

  func identifier(_ row: Int64, isSaved: Bool = true) -> PersistentIdentifier {
    PersistentIdentifier(identity: state.identity, key: row, isSaved: isSaved)
  }
}
