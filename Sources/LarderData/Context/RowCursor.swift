public import CSQLite
public import LarderSQLite
public import LarderSupport

/// The rows of a running query, in wire order.
public struct _RowCursor {
  @usableFromInline let statement: Statement
  /// Which classes they may be of; nil where they are all of the one that was asked for.
  @usableFromInline let classes: HierarchyRowLayout?
  /// Whether they come in another order than that of their identifiers, which objects are to have.
  @usableFromInline let isUnordered: Bool

  package init(_ statement: Statement, of statements: TableStatements, isUnordered: Bool = false) {
    self.statement = statement
    self.isUnordered = isUnordered
    classes = statements.classes
  }
}

/// Where `_$load` puts its objects: the address of an array of the model's type. A protocol that classes conform to
/// without being final cannot say `[Self]` there.
public struct _ModelArrayPointer {
  @usableFromInline let address: UnsafeMutableRawPointer

  @inlinable
  package init(address: UnsafeMutableRawPointer) { self.address = address }

  /// Runs the body with an empty array's address, and returns what it put there.
  @inline(__always)
  package static func collect<Model: PersistentModel>(
    _ type: Model.Type, _ body: (_ModelArrayPointer) throws -> Void
  ) rethrows -> [Model] {
    var models: [Model] = []
    try withUnsafeMutablePointer(to: &models) { try body(_ModelArrayPointer(address: UnsafeMutableRawPointer($0))) }
    return models
  }
}

/// Turns rows into objects: the context's own instance where it has one, a new one otherwise.
@inlinable
public func _$load<Model: PersistentModel>(
  _ type: Model.Type, _ rows: _RowCursor, _ tracker: _EntityTracker, into models: _ModelArrayPointer
) throws {
  if let classes = rows.classes { return try _$loadPolymorphic(type, rows, classes, tracker, into: models) }
  let models = models.address.assumingMemoryBound(to: [Model].self)
  // A row comes once: where there were no instances before, there is none to look for.
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
      // Its end here is no reason to count references to it once more.
      models.pointee.append(consume model)
    }
    if hasRelations { _$addToFetchBatch(row, models.pointee, &siblings) }
    code = statement.stepCode()
    // One row is what most fetches find. Where there are more, room is made for some at once.
    if models.pointee.count == 1, code == SQLITE_ROW { models.pointee.reserveCapacity(FetchBatch.initialCapacity) }
  }
  if code != SQLITE_DONE { throw statement.failure(code) }
  statement.reset()
  if rows.isUnordered { _$sortByRow(&models.pointee) }
}

/// Puts objects, which came together, in the order of their rows.
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

/// Where rows stand, in the order of their identifiers.
@usableFromInline
func _$sortedIndexes(of rows: [Int64]) -> [Int] {
  var places: [(row: Int64, place: Int)] = []
  places.reserveCapacity(rows.count)
  for (place, row) in rows.enumerated() { places.append((row: row, place: place)) }
  places.sort { $0.row < $1.row }
  return places.map(\.place)
}

/// Tells the last of some objects, whose row this is, and those before it of each other. One by itself has no siblings.
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
  /// Gives an instance the values that its row has by now, but for those that are being edited, as the context's merge
  /// policy says.
  ///
  /// - Returns: Whether it is the row's instance. An inserted one is not, unless both bring the same row back: it has made way
  ///   for the row.
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
    // Read as a whole first: a row that cannot be read must not leave an object behind that is half of it.
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
