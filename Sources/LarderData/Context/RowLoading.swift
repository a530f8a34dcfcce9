public import CSQLite
public import LarderSQLite
public import LarderSupport

extension _RowCursor {
  /// Creates a cursor over the rows of a statement of an entity.
  package init(_ statement: Statement, of statements: TableStatements, isUnordered: Bool = false) {
    self.init(statement, classes: statements.classes, isUnordered: isUnordered)
  }
}

/// Loads rows as objects: the context's own instance if it has one, a new object otherwise.
@inlinable
public func _$load<Model: PersistentModel>(
  _ type: Model.Type, _ rows: _RowCursor, _ table: _InstanceTable, into models: _ModelArrayPointer
) throws {
  let tracker = unsafeDowncast(table, to: _EntityTracker.self)
  if let classes = rows.classes { return try _$loadPolymorphic(type, rows, classes, tracker, into: models) }
  let models = models.address.assumingMemoryBound(to: [Model].self)
  // Each row is returned once: if the tracker had no instances before, there are none to look up.
  let isFirst = tracker.isEmpty
  let statement = rows.statement
  let handle = statement.handle
  let reader = _RowReader(statement: handle, layout: tracker.layout, problems: tracker.problems)
  let hasRelations = tracker.layout.hasRelations
  let mayMeetPending = tracker.mayCollideWithPending
  var siblings: FetchBatch?
  var code = statement.stepCode()
  while code == SQLITE_ROW {
    let row = sqlite3_column_int64(handle, 0)
    let version = sqlite3_column_int64(handle, 1)
    if !isFirst, let known = tracker.find(row),
      case let model = unsafeDowncast(known, to: Model.self),
      try model._$header.pointee.version == version || model._$refresh(reader, version)
    {
      models.pointee.append(model)
    } else {
      if mayMeetPending { try tracker.reassignRowIDInHierarchy(for: row, version) }
      let model = Model(_$row: reader)
      if tracker.problems.first != nil { throw tracker.unreadableRowError(row) }
      let header = model._$header
      header.pointee.version = version
      header.pointee.changedMask = 0
      header.pointee.status = .stored
      tracker.register(row, Unmanaged.passUnretained(model).toOpaque(), header)
      // Consume the model: the end of its scope would count references to it once more.
      models.pointee.append(consume model)
    }
    if hasRelations { _$addToFetchBatch(row, models.pointee, &siblings) }
    code = statement.stepCode()
    // Most fetches find one row. If there are more, reserve capacity for several at once.
    if models.pointee.count == 1, code == SQLITE_ROW { models.pointee.reserveCapacity(FetchBatch.initialCapacity) }
  }
  if code != SQLITE_DONE { throw statement.failure(code) }
  statement.reset()
  if rows.isUnordered { _$sortByRow(&models.pointee) }
}

/// Sorts objects, which were loaded together, by their row IDs.
@inlinable
func _$sortByRow<Model: PersistentModel>(_ models: inout [Model]) {
  var last = Int64.min
  var isOrdered = true
  for model in models {
    let row = model._$header.pointee.rowID
    if row < last { isOrdered = false }
    last = row
  }
  if isOrdered { return }
  let places = _$sortedIndexes(of: models.map { $0._$header.pointee.rowID })
  models = places.map { models[$0] }
  models.first?._$header.pointee.fetchBatch?.sort()
}

/// Returns the indexes of rows, sorted by row ID.
@usableFromInline
func _$sortedIndexes(of rows: [Int64]) -> [Int] {
  var places: [(row: Int64, place: Int)] = []
  places.reserveCapacity(rows.count)
  for (place, row) in rows.enumerated() { places.append((row: row, place: place)) }
  places.sort { $0.row < $1.row }
  return places.map(\.place)
}

/// Adds the last object, whose row this is, to the fetch batch of the objects before it. A single object has no batch.
@inlinable
@inline(__always)
func _$addToFetchBatch<Model: PersistentModel>(_ row: Int64, _ models: [Model], _ siblings: inout FetchBatch?) {
  guard models.count > 1 else { return }
  let list: FetchBatch
  if let known = siblings {
    list = known
  } else {
    list = FetchBatch(first: models[0]._$header.pointee.rowID)
    models[0]._$header.pointee.fetchBatch = list
    siblings = list
  }
  list.append(row)
  models[models.count - 1]._$header.pointee.fetchBatch = list
}

extension PersistentModel {
  /// Refreshes an instance with the current values of its row. Edited properties are merged as the context's merge policy
  /// requires.
  ///
  /// - Returns: Whether the instance still represents the row. An inserted instance does not, unless both sides inserted the
  ///   same row again: it has moved to another row ID.
  @usableFromInline
  @inline(never)
  func _$refresh(_ reader: borrowing _RowReader, _ version: Int64) throws -> Bool {
    let header = _$header
    guard let tracker = header.pointee.tracker else { return true }
    if header.pointee.status.contains(.inserted), !ReinsertedRows.isSameReinsertion(header, version) {
      try tracker.reassignRowIDs(for: header.pointee.rowID)
      return false
    }
    guard !header.pointee.status.isDisjoint(with: [.stored, .inserted]) else { return true }
    // Read the whole row first: a row that cannot be read must not leave an object with half of its values.
    let stored = type(of: self).init(_$row: reader)
    if tracker.problems.first != nil { throw tracker.unreadableRowError(header.pointee.rowID) }
    if header.pointee.status.contains(.inserted) {
      try tracker.mergeReinsertion(self, stored, reader, version)
      return true
    }
    let takingOver = tracker.mergeEdits(of: self, with: stored, version)
    let moves = tracker.foreignKeyMoves(of: self, to: stored)
    _$assign(reader, takingOver.mask)
    for relationship in takingOver.sharedKeys {
      _$applyChange(relationship.property, .foreignKey(stored._$foreignKey(relationship.property)))
    }
    if takingOver.isRead { header.pointee.version = version }
    for move in moves { tracker.applyMove(move, of: self) }
    #if DEBUG
      if !moves.isEmpty { tracker.recordReadAhead() }
    #endif
    return true
  }
}
