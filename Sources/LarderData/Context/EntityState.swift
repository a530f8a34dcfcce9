internal import CLarderData

/// What a context keeps for one model: its instances by row, and what is pending of them.
public final class EntityState {
  // Unowned and unchecked: a state is reached through its core, or through an object that keeps the core alive, and
  // counting references would be part of every row that is read.
  @usableFromInline package unowned(unsafe) let core: ContextCore
  @usableFromInline package let layout: ModelLayout
  package let identity: EntityIdentity
  @usableFromInline package let probe: ObservationProbe
  @usableFromInline package let statements: TableStatements

  /// The instances that are alive. Behind the core's lock: an instance may be released by any thread.
  @usableFromInline var map = IdentityMap()

  /// Objects inserted and not saved, in the order of their inserts; some may have been deleted again since.
  @usableFromInline package var inserted: [AnyObject] = []
  /// Objects of the store with unsaved edits, in the order of their first edit.
  @usableFromInline package var changed: [AnyObject] = []
  /// Rows to be deleted by the next save.
  package var deletedRows: Set<Int64> = []
  /// The instances among them.
  package var deleted: [AnyObject] = []
  /// The properties that some changed object changed.
  package var dirtyMask: UInt64 = 0
  /// What edited properties held before, for a rollback and for those who ask what a save changed.
  package var undo = UndoLog()
  /// Inserted objects by the value of a property that a fetch has asked for.
  package var pending = PendingIndexes()
  /// What relationships held before their first change since the last save, where no column says it.
  package var formerRelations: [RelationPlace: FormerRelation] = [:]
  /// The to-ones that changed since the last save, of those that share a bit of the mask of changes with other properties.
  var movedKeys: Set<RelationPlace> = []
  package var linkEdits: [RelationPlace: LinkEdit] = [:]
  /// The count of others' commits up to which the keys that other rows have to this model's are known.
  var mirrorGeneration: UInt32 = 1
  /// The to-manys whose objects may hold the object that holds them, once that has been asked.
  var leadingBack: Set<Int>?
  /// Deleted rows of which related objects do not know yet.
  package var unspread: [Int64] = []
  package var queries = RelationQueries()
  /// Reads columns of objects.
  private(set) lazy var values = ObjectValues(layout)
  /// Set by the last load that met a value it could not read.
  @usableFromInline package let problems = RowProblems()

  init(_ layout: ModelLayout, core: ContextCore) {
    self.core = core
    self.layout = layout
    identity = .of(store: core.store.identifier, entity: layout.entityName)
    probe = core.probe
    statements = core.store.statements(for: layout)
  }

  package var hasChanges: Bool { !inserted.isEmpty || !changed.isEmpty || !deletedRows.isEmpty }
}

// MARK: - Instances

extension EntityState {
  /// Whether there is no instance.
  @usableFromInline
  package var isEmpty: Bool {
    core.lock.lock()
    defer { core.lock.unlock() }
    return map.count == 0
  }

  /// The context's instance for a row, if somebody holds it.
  @usableFromInline
  package func find(_ row: Int64) -> AnyObject? {
    core.lock.lock()
    defer { core.lock.unlock() }
    // An instance whose last reference went on another thread is still in the map, but cannot be had any more.
    guard let object = map.find(row), let retained = swift_tryRetain(object) else { return nil }
    return Unmanaged<AnyObject>.fromOpaque(retained).takeRetainedValue()
  }

  /// Makes an object the context's instance for its row.
  @inlinable
  package func register(_ row: Int64, _ object: AnyObject, _ header: UnsafeMutablePointer<ModelHeader.Fields>) {
    let address = Unmanaged.passUnretained(object).toOpaque()
    header.pointee.rowID = row
    header.pointee.state = self
    header.pointee.probe = .passUnretained(probe)
    header.pointee.object = address
    core.lock.lock()
    if map.insert(row, address) { core.instanceAdded() }
    core.lock.unlock()
  }

  /// Takes an object out: on its way to deallocation, or because it leaves the context.
  @inlinable
  package func forget(_ row: Int64, _ object: UnsafeMutableRawPointer) {
    core.lock.lock()
    let isLast = map.remove(row, object) && core.instanceRemoved()
    core.lock.unlock()
    // Outside the lock, which goes with the core.
    if isLast { core.lastInstanceGone() }
  }

  /// Makes an object known under another row.
  package func rename(_ header: UnsafeMutablePointer<ModelHeader.Fields>, to row: Int64) {
    guard let object = header.pointee.object else { return }
    core.lock.lock()
    let removed = map.remove(header.pointee.rowID, object)
    let added = map.insert(row, object)
    if removed && !added { _ = core.instanceRemoved() }
    header.pointee.rowID = row
    core.lock.unlock()
  }

  /// Lets an object go: it keeps its values and its identifier, and belongs to no context.
  package func release(_ header: UnsafeMutablePointer<ModelHeader.Fields>, status: ModelStatus) {
    guard let object = header.pointee.object else { return }
    let row = header.pointee.rowID
    header.pointee.formerIdentity = status.isEmpty ? nil : identity
    if status.isEmpty { header.pointee.rowID = 0 }
    header.pointee.status = status
    header.pointee.changed = ~0
    header.pointee.state = nil
    header.pointee.probe = nil
    header.pointee.object = nil
    forget(row, object)
  }
}
