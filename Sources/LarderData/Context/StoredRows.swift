public import CSQLite
public import LarderSQLite
public import LarderSupport

/// The rows of a running query, in wire order.
public struct StoredRows {
  @usableFromInline let statement: Statement
  /// Which classes they may be of; nil where they are all of the one that was asked for.
  @usableFromInline let classes: RowClasses?
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
public struct ModelArray {
  @usableFromInline let address: UnsafeMutableRawPointer

  @inlinable
  package init(address: UnsafeMutableRawPointer) { self.address = address }

  /// Runs the body with an empty array's address, and returns what it put there.
  @inline(__always)
  package static func collect<Model: PersistentModel>(
    _ type: Model.Type, _ body: (ModelArray) throws -> Void
  ) rethrows -> [Model] {
    var models: [Model] = []
    try withUnsafeMutablePointer(to: &models) { try body(ModelArray(address: UnsafeMutableRawPointer($0))) }
    return models
  }
}

/// Turns rows into objects: the context's own instance where it has one, a new one otherwise.
@inlinable
public func _$load<Model: PersistentModel>(
  _ type: Model.Type, _ rows: StoredRows, _ state: EntityState, into models: ModelArray
) throws {
  if let classes = rows.classes { return try _$loadMixed(type, rows, classes, state, into: models) }
  let models = models.address.assumingMemoryBound(to: [Model].self)
  // A row comes once: where there were no instances before, there is none to look for.
  let isFirst = state.isEmpty
  let statement = rows.statement
  let handle = statement.handle
  let reader = RowReader(statement: handle, layout: state.layout, problems: state.problems)
  let hasRelations = state.layout.hasRelations
  let mayMeetPending = state.mayMeetPending
  var siblings: SiblingList?
  var code = statement.stepCode()
  while code == SQLITE_ROW {
    let row = sqlite3_column_int64(handle, 0)
    let version = sqlite3_column_int64(handle, 1)
    if !isFirst, let known = state.find(row),
      case let model = unsafeDowncast(known, to: Model.self),
      try model._$header.pointee.version == version || model._$refresh(reader, version)
    {
      models.pointee.append(model)
    } else {
      if mayMeetPending { try state.makeWayInHierarchy(for: row, version) }
      let model = Model(_$row: reader)
      if state.problems.first != nil { throw state.unreadable(row) }
      let header = model._$header
      header.pointee.version = version
      header.pointee.changed = 0
      header.pointee.status = .stored
      state.register(row, Unmanaged.passUnretained(model).toOpaque(), header)
      // Its end here is no reason to count references to it once more.
      models.pointee.append(consume model)
    }
    if hasRelations { _$share(row, models.pointee, &siblings) }
    code = statement.stepCode()
    // One row is what most fetches find. Where there are more, room is made for some at once.
    if models.pointee.count == 1, code == SQLITE_ROW { models.pointee.reserveCapacity(SiblingList.few) }
  }
  if code != SQLITE_DONE { throw statement.failure(code) }
  statement.reset()
  if rows.isUnordered { _$order(&models.pointee) }
}

/// Puts objects, which came together, in the order of their rows.
@inlinable
func _$order<Model: PersistentModel>(_ models: inout [Model]) {
  var last = Int64.min
  var isOrdered = true
  for model in models {
    let row = model._$header.pointee.rowID
    if row < last { isOrdered = false }
    last = row
  }
  if isOrdered { return }
  let places = _$placesInOrder(of: models.map { $0._$header.pointee.rowID })
  models = places.map { models[$0] }
  models.first?._$header.pointee.siblings?.order()
}

/// Where rows stand, in the order of their identifiers.
@usableFromInline
func _$placesInOrder(of rows: [Int64]) -> [Int] {
  var places: [(row: Int64, place: Int)] = []
  places.reserveCapacity(rows.count)
  for (place, row) in rows.enumerated() { places.append((row: row, place: place)) }
  places.sort { $0.row < $1.row }
  return places.map(\.place)
}

/// Tells the last of some objects, whose row this is, and those before it of each other. One by itself has no siblings.
@inlinable
@inline(__always)
func _$share<Model: PersistentModel>(_ row: Int64, _ models: [Model], _ siblings: inout SiblingList?) {
  guard models.count > 1 else { return }
  let list: SiblingList
  if let known = siblings {
    list = known
  } else {
    list = SiblingList(first: models[0]._$header.pointee.rowID)
    models[0]._$header.pointee.siblings = list
    siblings = list
  }
  list.append(row)
  models[models.count - 1]._$header.pointee.siblings = list
}

extension PersistentModel {
  /// Gives an instance the values that its row has by now, but for those that are being edited, as the context's merge
  /// policy says.
  ///
  /// - Returns: Whether it is the row's instance. An inserted one is not, unless both bring the same row back: it has made way
  ///   for the row.
  @usableFromInline
  @inline(never)
  func _$refresh(_ reader: borrowing RowReader, _ version: Int64) throws -> Bool {
    let header = _$header
    guard let state = header.pointee.state else { return true }
    if header.pointee.status.contains(.inserted), !ReturnedRows.isSame(header, version) {
      try state.makeWay(for: header.pointee.rowID)
      return false
    }
    guard !header.pointee.status.isDisjoint(with: [.stored, .inserted]) else { return true }
    // Read as a whole first: a row that cannot be read must not leave an object behind that is half of it.
    let stored = type(of: self).init(_$row: reader)
    if state.problems.first != nil { throw state.unreadable(header.pointee.rowID) }
    if header.pointee.status.contains(.inserted) {
      try state.meet(self, stored, reader, version)
      return true
    }
    let takingOver = state.mergeEdits(of: self, with: stored, version)
    let moves = state.moves(of: self, to: stored)
    _$assign(reader, takingOver.mask)
    for relation in takingOver.keys { _$change(relation.property, .key(stored._$key(relation.property))) }
    if takingOver.isRead { header.pointee.version = version }
    for move in moves { state.follow(move, of: self) }
    #if DEBUG
      if !moves.isEmpty { state.noteReadAhead() }
    #endif
    return true
  }
}
