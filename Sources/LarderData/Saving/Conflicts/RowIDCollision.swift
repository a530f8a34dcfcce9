import LarderSQLite
import LarderSupport

/// Thrown inside a save's transaction: rows that another program has written have the numbers of pending objects.
///
/// What this save has written by then may lead to those numbers, and so may rows of the other program. Nothing tells the one
/// from the other, so the transaction is begun anew once the objects have other numbers.
// @unchecked: it is caught where it was thrown, in the save of the state's own context.
struct RowIDCollision: Error, @unchecked Sendable {
  let tracker: _EntityTracker
  /// How often a save is tried before it gives way to somebody who takes each number that is set apart.
  static let maximumAttempts = 100
}

extension _ContextCore {
  /// Gives objects other numbers, so that the save can be tried again.
  func resolveCollision(_ taken: RowIDCollision, attempt: Int) throws {
    let name = taken.tracker.layout.entityName
    guard attempt < RowIDCollision.maximumAttempts else {
      throw SaveError(
        .mergeConflict, entityName: name,
        "Another program took the row identifiers that new objects of \(name) were given, \(RowIDCollision.maximumAttempts) times in "
          + "a row. Save again later. Nothing was written.")
    }
    try taken.tracker.mergeReinsertions()
    try taken.tracker.reassignRowIDs()
  }
}

extension EntityWriter {
  /// Inserts that met a row by its key leave their own number, and what refers to that is to refer to the row. What refers
  /// to another program's row of that number is not.
  func checkRowIDCollisions() throws {
    let left = resolvedUpserts.compactMap { union -> Int64? in
      let row = tracker.erased(union.object)._$header.pointee.rowID
      return row == union.row ? nil : row
    }
    if left.isEmpty { return }
    let id = StoreFormat.identifierColumn
    let sql = "SELECT 1 FROM \(tracker.statements.table) WHERE \(id) IN (SELECT value FROM larder_values(?1)) LIMIT 1"
    let isTaken = try connection.withStatement(for: sql) { statement in
      statement.bind(1, BoundValues(left))
      return try statement.step()
    }
    if isTaken { throw RowIDCollision(tracker: tracker) }
  }
}

extension _EntityTracker {
  /// Gives pending objects other numbers where rows that another program has written have theirs. What leads to such an
  /// object leads to it still, and what leads to the row leads to the row.
  ///
  /// - Parameter row: One that is known to be there.
  func reassignRowIDs(for row: Int64? = nil) throws {
    let trackers = root.family
    var pending: [Int64: (model: any PersistentModel, tracker: _EntityTracker)] = [:]
    for tracker in trackers {
      for object in tracker.inserted {
        let model = tracker.erased(object)
        pending[model._$header.pointee.rowID] = (model, tracker)
      }
    }
    if pending.isEmpty { return }
    var taken = try root.existingRows(Array(pending.keys))
    if let row, pending[row] != nil { taken.insert(row) }
    // These meet their rows by themselves, when the rows are read.
    taken.subtract(try reinsertedRows(among: taken, pending.mapValues(\.model)))
    if taken.isEmpty { return }
    // Others of those that were set apart may be taken as well; the next ones are above all that are there.
    store.rowIDAllocator.discardBlock()
    var renamed: [ObjectIdentifier: [Int64: Int64]] = [:]
    for row in taken.inOrder() {
      guard let (model, tracker) = pending[row] else { continue }
      let new = unusedIdentifier()
      renamed[ObjectIdentifier(tracker), default: [:]][row] = new
      tracker.recordAlias(row, as: new, isOccupied: true)
      tracker.rename(model._$header, to: new)
    }
    for tracker in trackers {
      if let renamed = renamed[ObjectIdentifier(tracker)] { core.updateReferences(renamed, tracker.layout) }
    }
    core.relationships.unsavedReferences?.removeIndexes()
  }

  /// Has objects that were to be inserted again meet their rows, where others have inserted these again.
  fileprivate func mergeReinsertions() throws {
    var pending: [Int64: any PersistentModel] = [:]
    for tracker in root.family {
      for object in tracker.inserted { pending[tracker.erased(object)._$header.pointee.rowID] = tracker.erased(object) }
    }
    let met = try root.reinsertedRows(among: root.existingRows(Array(pending.keys)), pending)
    try core.refresh(met.inOrder(), root)
  }

  /// The rows that both an insert and another context's save bring back.
  private func reinsertedRows(among taken: Set<Int64>, _ pending: [Int64: any PersistentModel]) throws -> Set<Int64> {
    let asked = taken.filter { row in pending[row]?._$header.pointee.isReinserted == true }
    if asked.isEmpty { return [] }
    let (id, version) = (StoreFormat.identifierColumn, StoreFormat.versionColumn)
    let sql =
      "SELECT \(id) FROM \(statements.table) WHERE \(id) IN (SELECT value FROM larder_values(?1)) AND \(version) >= ?2"
    return try session.read { connection in
      try connection.withStatement(for: sql) { statement in
        statement.bind(1, BoundValues(Array(asked)))
        statement.bind(2, ReinsertedRows.versionStride)
        var rows: Set<Int64> = []
        while try statement.step() { rows.insert(statement.int64(0)) }
        return rows
      }
    }
  }

  /// The same for a row of one class under whose number an object of another is pending.
  @usableFromInline
  @inline(never)
  func reassignRowIDInHierarchy(for row: Int64, _ version: Int64) throws {
    let root = root
    guard let object = root.find(row), case let header = root.erased(object)._$header,
      header.pointee.status.contains(.inserted), !ReinsertedRows.isSameReinsertion(header, version)
    else { return }
    try reassignRowIDs(for: row)
  }

  /// Whether rows of this class may have the number of a pending object of another one.
  @usableFromInline
  var mayCollideWithPending: Bool {
    @inline(never) get { topmost.map(\.hasInserts) ?? false }
  }

  /// Whether a key leads to another program's row, under whose number an object is pending here: an object's own row cannot
  /// lead to what is not saved.
  func refersToCollidingRow(
    _ target: any PersistentModel, _ owner: any PersistentModel, _ relationship: RelationshipLayout
  ) -> Bool {
    guard target._$header.pointee.status.contains(.inserted), case .foreignKey = relationship.storage,
      owner._$header.pointee.status.contains(.stored)
    else { return false }
    return !hasChangedForeignKey(owner, relationship)
  }
}
