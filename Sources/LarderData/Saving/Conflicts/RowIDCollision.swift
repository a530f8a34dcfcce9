import LarderSQLite
import LarderSupport

/// Thrown inside a save's transaction if rows that another program has written have the row IDs of pending objects.
///
/// Rows that this save has already written may reference those row IDs, and so may rows of the other program. The two cannot be
/// distinguished, so the transaction is retried once the objects have other row IDs.
// @unchecked: caught where it was thrown, in the save of the tracker's own context.
struct RowIDCollision: Error, @unchecked Sendable {
  let tracker: _EntityTracker
  /// The maximum number of attempts before the save fails, if another program takes each newly reserved row ID.
  static let maximumAttempts = 100
}

extension _ContextCore {
  /// Assigns other row IDs to the objects, so that the save can be retried.
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
  /// Throws ``RowIDCollision`` if an insert that was resolved to another row leaves a row ID that another program's row has.
  /// References to the insert are to reference the resolved row; references to the other program's row are not.
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
  /// Assigns other row IDs to pending objects whose row IDs are taken by rows of another program. References to such an object
  /// still reference the object, and references to the row still reference the row.
  ///
  /// - Parameter row: The ID of a row that is known to exist.
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
    // Reinserted objects are merged with their rows when the rows are read.
    taken.subtract(try reinsertedRows(among: taken, pending.mapValues(\.model)))
    if taken.isEmpty { return }
    // Other reserved row IDs may be taken as well; the next block begins above all existing rows.
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

  /// Merges reinserted objects with their rows, if another context has inserted these rows again.
  fileprivate func mergeReinsertions() throws {
    var pending: [Int64: any PersistentModel] = [:]
    for tracker in root.family {
      for object in tracker.inserted { pending[tracker.erased(object)._$header.pointee.rowID] = tracker.erased(object) }
    }
    let met = try root.reinsertedRows(among: root.existingRows(Array(pending.keys)), pending)
    try core.refresh(met.inOrder(), root)
  }

  /// Returns the rows that both an insert and another context's save have inserted again.
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

  /// Assigns another row ID to a pending object of one class whose row ID is taken by a row of another class.
  @usableFromInline
  @inline(never)
  func reassignRowIDInHierarchy(for row: Int64, _ version: Int64) throws {
    let root = root
    guard let object = root.find(row), case let header = root.erased(object)._$header,
      header.pointee.status.contains(.inserted), !ReinsertedRows.isSameReinsertion(header, version)
    else { return }
    try reassignRowIDs(for: row)
  }

  /// Whether rows of this class may have the row ID of a pending object of another class.
  @usableFromInline
  var mayCollideWithPending: Bool {
    @inline(never) get { topmost.map(\.hasInserts) ?? false }
  }

  /// Whether a foreign key references another program's row whose row ID a pending object has here: the stored, unedited key
  /// of an object cannot reference an unsaved one.
  func refersToCollidingRow(
    _ target: any PersistentModel, _ owner: any PersistentModel, _ relationship: RelationshipLayout
  ) -> Bool {
    guard target._$header.pointee.status.contains(.inserted), case .foreignKey = relationship.storage,
      owner._$header.pointee.status.contains(.stored)
    else { return false }
    return !hasChangedForeignKey(owner, relationship)
  }
}
