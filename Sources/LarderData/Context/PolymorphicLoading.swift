import CSQLite
import LarderSQLite
import LarderSupport

/// Loads rows of a class and its subclasses as objects of their classes.
@usableFromInline
@inline(never)
func _$loadPolymorphic<Model: PersistentModel>(
  _ type: Model.Type, _ rows: _RowCursor, _ classes: HierarchyRowLayout, _ tracker: _EntityTracker,
  into models: _ModelArrayPointer
) throws {
  let models = models.address.assumingMemoryBound(to: [Model].self)
  var loading = PolymorphicLoader<Model>(rows.statement, classes, tracker)
  // A relationship of a subclass is loaded for the objects of that subclass.
  let hasRelations = classes.members.contains(where: \.layout.hasRelations)
  var siblings: FetchBatch?
  var code = rows.statement.stepCode()
  while code == SQLITE_ROW {
    let model = try loading.load()
    models.pointee.append(model)
    if hasRelations { _$addToFetchBatch(model._$header.pointee.rowID, models.pointee, &siblings) }
    code = rows.statement.stepCode()
  }
  if code != SQLITE_DONE { throw rows.statement.failure(code) }
  rows.statement.reset()
  if rows.isUnordered { _$sortByRow(&models.pointee) }
}

private struct PolymorphicLoader<Model: PersistentModel> {
  private let handle: OpaquePointer
  private let classes: HierarchyRowLayout
  private let tracker: _EntityTracker
  private let hasNoInstances: Bool
  private let mayCollideWithPending: Bool
  /// The class of the last row, which mostly is that of the next row as well.
  private var lastClass: Class?
  private var classCache: [Class?]

  private struct Class {
    let name: [UInt8]
    let type: Model.Type
    let tracker: _EntityTracker
    let readLayout: _ModelLayout
  }

  init(_ statement: Statement, _ classes: HierarchyRowLayout, _ tracker: _EntityTracker) {
    handle = statement.handle
    self.classes = classes
    self.tracker = tracker
    hasNoInstances = tracker.isEmpty
    mayCollideWithPending = tracker.root.hasInserts
    classCache = Array(repeating: nil, count: classes.members.count)
  }

  mutating func load() throws -> Model {
    let row = sqlite3_column_int64(handle, 0)
    let version = sqlite3_column_int64(handle, 1)
    if mayCollideWithPending { try tracker.reassignRowIDInHierarchy(for: row, version) }
    let found = hasNoInstances ? nil : tracker.find(row).map { unsafeDowncast($0, to: Model.self) }
    if let found, found._$header.pointee.version == version { return found }
    let one = try classOfRow(row)
    let reader = _RowReader(statement: handle, layout: one.readLayout, problems: one.tracker.problems)
    if let found {
      guard type(of: found)._$layout === one.tracker.layout else {
        throw FetchError(
          .unreadableValue, entityName: one.tracker.layout.entityName,
          identifier: PersistentIdentifier(identity: one.tracker.identity, key: row, isSaved: true),
          "Row \(row) was a \(type(of: found)) and is a \(one.tracker.layout.entityName) by now. A row's class cannot "
            + "change while an object stands for it: correct the row, or let the object go first.")
      }
      if try found._$refresh(reader, version) { return found }
    }
    let model = one.type.init(_$row: reader)
    if one.tracker.problems.first != nil { throw one.tracker.unreadableRowError(row) }
    let header = model._$header
    header.pointee.version = version
    header.pointee.changedMask = 0
    header.pointee.status = .stored
    one.tracker.register(row, Unmanaged.passUnretained(model).toOpaque(), header)
    return model
  }

  private mutating func classOfRow(_ row: Int64) throws -> Class {
    // Compare in place: most rows are of a class that was seen before.
    let text = sqlite3_column_text(handle, classes.classColumnIndex)
    let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(handle, classes.classColumnIndex)))
    if let lastClass, lastClass.name.elementsEqual(bytes) { return lastClass }
    if let one = classCache.lazy.compactMap({ $0 }).first(where: { $0.name.elementsEqual(bytes) }) {
      lastClass = one
      return one
    }
    guard let place = classes.members.firstIndex(where: { $0.layout.entityName.utf8.elementsEqual(bytes) }),
      let type = classes.members[place].layout.type as? Model.Type
    else {
      throw FetchError(
        .unreadableValue, entityName: tracker.layout.entityName,
        identifier: PersistentIdentifier(identity: tracker.identity, key: row, isSaved: true),
        "Row \(row) of \(tracker.layout.tableName) is of the class \(String(decoding: bytes, as: UTF8.self)), which is no "
          + "\(tracker.layout.entityName) of this container. Correct the row.")
    }
    let member = classes.members[place]
    let one = Class(
      name: Array(bytes), type: type, tracker: try tracker.core.tracker(for: member.layout),
      readLayout: member.readLayout)
    classCache[place] = one
    lastClass = one
    return one
  }
}

extension _EntityTracker {
  /// Returns the identity of the class that the row names in the specified column.
  func identity(of statement: Statement, column: Int32) -> EntityIdentity {
    guard statements.hasClasses else { return identity }
    return .of(store: store.identifier, entity: statement.string(column))
  }

  /// Groups rows of this class and its subclasses by the tracker of their own class.
  func groupedByClass(_ rows: [Int64]) throws -> [(tracker: _EntityTracker, rows: [Int64])] {
    guard statements.classes != nil, !rows.isEmpty else { return [(self, rows)] }
    var groups: [String: [Int64]] = [:]
    // An object that is not stored is in memory.
    var wanted: [Int64] = []
    for row in rows {
      if let object = find(row) {
        groups[concreteTracker(erased(object)).layout.entityName, default: []].append(row)
      } else {
        wanted.append(row)
      }
    }
    if !wanted.isEmpty {
      let id = StoreFormat.identifierColumn
      let sql =
        statements.selectIdentifiers + " WHERE \(id) IN (SELECT value FROM larder_values(?1))"
      try session.read { connection in
        try connection.withStatement(for: sql) { statement in
          statement.bind(1, BoundValues(wanted))
          while try statement.step() { groups[statement.string(1), default: []].append(statement.int64(0)) }
        }
      }
    }
    return try store.hierarchy(of: layout).family(of: layout).compactMap { layout in
      try groups[layout.entityName].map { (try core.tracker(for: layout), $0) }
    }
  }
}
