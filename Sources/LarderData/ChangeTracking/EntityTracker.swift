internal import CLarderData
public import LarderSupport

/// What a context keeps for one model: its instances by row, and what is pending of them.
public final class _EntityTracker {
  // Unowned and unchecked: a state is reached through its core, or through an object that keeps the core alive, and
  // counting references would be part of every row that is read.
  @usableFromInline package unowned(unsafe) let core: _ContextCore
  /// As ``core``, where not even the call that is made of it may count: it costs 30 ns where there are weak references.
  let unretainedCore: Unmanaged<_ContextCore>
  @usableFromInline package let layout: _ModelLayout
  /// The context's way to the store that the model lies in.
  package let session: StoreSession
  package var store: SQLiteStore { session.store }
  package let identity: EntityIdentity
  @usableFromInline package let probe: _ObservationProbe
  @usableFromInline package let statements: TableStatements

  /// The state of the topmost class, which has the instances of the whole hierarchy.
  @inlinable package var root: _EntityTracker { topmost ?? self }
  /// nil in the topmost class's own.
  @usableFromInline unowned(unsafe) let topmost: _EntityTracker?
  /// The states of classes that inherit from this one and were met by now, each after the one that it inherits from.
  // Nothing runs while it is read or written.
  @usableFromInline @exclusivity(unchecked) package private(set) var subclassTrackers: [_EntityTracker] = []

  /// The instances that are alive, of the whole hierarchy. Behind the core's lock: an instance may be released by any
  /// thread. A pointer, because to go by the topmost class's state would count references for every row that is read;
  /// it is that state's, and a core lets its states go together.
  @usableFromInline let identityMap: UnsafeMutablePointer<IdentityMap>
  /// The core's.
  @usableFromInline let instanceCount: UnsafeMutablePointer<InstanceCount>
  private let ownsIdentityMap: Bool

  // The lists of objects are unchecked: whoever takes something out of one, or replaces it, holds what was there (the model
  // in hand, or ``LifetimeGuard``), so that the end of an object, which may run what a user wrote, is in the midst of no
  // change of theirs.
  /// Objects inserted and not saved, in the order of their inserts; some may have been deleted again since.
  @usableFromInline @exclusivity(unchecked) package var inserted: [AnyObject] = []
  /// Objects of the store with unsaved edits, in the order of their first edit.
  @usableFromInline @exclusivity(unchecked) package var changed: [AnyObject] = []
  /// Rows to be deleted by the next save.
  // Numbers: hashing them runs nothing of a user's.
  @exclusivity(unchecked) package var deletedRows: Set<Int64> = []
  /// The instances among them.
  package var deleted: [AnyObject] = []
  /// The properties that some changed object changed.
  // A plain number, as those below that are unchecked: nothing runs while it is read or written.
  @exclusivity(unchecked) package var dirtyMask: _PropertyMask = 0
  /// What edited properties held before, for a rollback and for those who ask what a save changed.
  // What a user's code may do while a value is collected is done before the log is touched.
  @exclusivity(unchecked) package var originalValues = OriginalValues()
  /// Inserted objects by the value of a property that a fetch has asked for.
  package var insertedIndexes = InsertedObjectIndexes()
  /// Edited objects by the value of a property that a fetch has asked for.
  var editedIndexes = EditedObjectIndexes()
  /// The first rows of a fetch that was asked for while changes were pending.
  var firstRows: LeadingRowCache?
  /// How often something that was pending ended otherwise than by becoming more.
  @exclusivity(unchecked) var pendingRemovals = 0
  /// What is known of the table in the snapshot that is held.
  // Plain numbers: nothing runs while they are read or written.
  @exclusivity(unchecked) var emptiness = TableEmptiness()
  /// How many in the list of changed objects are not changed any more.
  @exclusivity(unchecked) var unchangedCount = 0
  var hasUnchanged: Bool { unchangedCount > 0 }
  /// The rows whose objects were not brought in step with them, because they are edited; in the topmost class's state.
  var staleRows: Set<Int64> = []
  /// Those of them that others have deleted: they are in no answer, edited as they are. In the topmost class's state.
  var staleDeletedRows: Set<Int64> = []
  /// What others say that they have changed of rows, while it is taken over; in the topmost class's state.
  var remoteChanges: [Int64: RemoteChange] = [:]
  /// The relationships that other rows tell and somebody has observed: the rows of the objects, by the property.
  var observedRelationships: [Int: Set<Int64>] = [:]
  /// What relationships held before their first change since the last save, where no column says it.
  package var originalRelationships: [RelationshipKey: OriginalRelationship] = [:]
  /// The to-ones that changed since the last save, of those that share a bit of the mask of changes with other properties.
  var changedSharedKeys: Set<RelationshipKey> = []
  /// To-ones that have changed since the program set them last, or that it has not set, of objects of which it has set others:
  /// each with the row to which the program has led it.
  var implicitlySetKeys: [RelationshipKey: Int64] = [:]
  package var joinEdits: [RelationshipKey: JoinEdit] = [:]
  /// What the program was shown of to-manys that hold something else by now.
  // Plain numbers: nothing runs while they are read or written.
  @exclusivity(unchecked) var lastReadLists = ToManyBaseVersions()
  /// The count of others' commits up to which the keys that other rows have to this model's are known.
  @exclusivity(unchecked) var inverseGeneration: UInt32 = 1
  /// The to-manys whose objects may hold the object that holds them, once that has been asked.
  var cyclicToManys: Set<Int>?
  /// Deleted rows of which related objects do not know yet.
  package var pendingPropagation: [Int64] = []
  package var relationshipQueries = RelationshipQueryCache()
  /// Reads columns of objects.
  private(set) lazy var objectValues = ObjectValueReader(layout)
  /// Set by the last load that met a value it could not read.
  @usableFromInline package let problems = _RowProblems()

  init(_ layout: _ModelLayout, core: _ContextCore, above: _EntityTracker?) {
    self.core = core
    unretainedCore = .passUnretained(core)
    instanceCount = core.instanceCount
    self.layout = layout
    topmost = above?.root
    ownsIdentityMap = above == nil
    if let above {
      identityMap = above.identityMap
    } else {
      identityMap = .allocate(capacity: 1)
      identityMap.initialize(to: IdentityMap())
    }
    session = core.session(for: layout)
    identity = .of(store: session.store.identifier, entity: layout.entityName)
    probe = core.probe
    statements = session.store.statements(for: layout)
    var layout = layout.base
    while let one = layout {
      core.existingTracker(for: one)?.subclassTrackers.append(self)
      layout = one.base
    }
  }

  deinit {
    // The topmost class's state may be gone by now.
    guard ownsIdentityMap else { return }
    identityMap.deinitialize(count: 1)
    identityMap.deallocate()
  }

  package var hasChanges: Bool { !inserted.isEmpty || !changed.isEmpty || !deletedRows.isEmpty }
}

// MARK: - Hierarchies

extension _EntityTracker {
  /// This state and those of the classes below.
  package var family: [_EntityTracker] { subclassTrackers.isEmpty ? [self] : [self] + subclassTrackers }

  /// Whether a deletion of a row is pending, whatever its class.
  package func isDeleted(_ row: Int64) -> Bool { topmost?.hasDeletion(of: row) ?? hasDeletion(of: row) }

  /// Whether a deletion of a row of this class or one below is pending. Most models have none below.
  package func hasDeletion(of row: Int64) -> Bool {
    deletedRows.contains(row)
      || (!subclassTrackers.isEmpty && subclassTrackers.contains { $0.deletedRows.contains(row) })
  }

  /// Whether a deletion of a row of this class or one below is pending.
  package var hasDeletions: Bool {
    !deletedRows.isEmpty || (!subclassTrackers.isEmpty && subclassTrackers.contains { !$0.deletedRows.isEmpty })
  }
  package var hasInserts: Bool {
    !inserted.isEmpty || (!subclassTrackers.isEmpty && subclassTrackers.contains { !$0.inserted.isEmpty })
  }
  /// The properties that some changed object of this class or one below changed.
  package var familyDirtyMask: _PropertyMask {
    subclassTrackers.isEmpty ? dirtyMask : subclassTrackers.reduce(dirtyMask) { $0 | $1.dirtyMask }
  }

  /// The state of the class that declares a property, whose objects all have it.
  func declaringTracker(_ property: Int) -> _EntityTracker {
    if topmost == nil { return self }
    return (try? core.tracker(for: layout.declaringLayout(of: property))) ?? self
  }

  /// The state of an object's own class.
  func concreteTracker(_ model: any PersistentModel) -> _EntityTracker { model._$header.pointee.tracker ?? self }
}

// MARK: - Instances

extension _EntityTracker {
  /// Whether there is no instance.
  @usableFromInline
  package var isEmpty: Bool {
    instanceCount.pointee.lock.lock()
    defer { instanceCount.pointee.lock.unlock() }
    return identityMap.pointee.count == 0
  }

  /// The context's instance for a row, if somebody holds it.
  @usableFromInline
  package func find(_ row: Int64) -> AnyObject? {
    instanceCount.pointee.lock.lock()
    // An instance whose last reference went on another thread is still in the map, but cannot be had any more.
    let retained = identityMap.pointee.find(row).flatMap { swift_tryRetain($0) }
    instanceCount.pointee.lock.unlock()
    guard let retained else { return nil }
    // Outside the lock: if the reference is the last one by now and is not passed on, the object goes here.
    let object = Unmanaged<AnyObject>.fromOpaque(retained).takeRetainedValue()
    return topmost == nil || layout.isInstance(object) ? object : nil
  }

  /// Whether the context has an instance for a row of the hierarchy.
  func hasInstance(_ row: Int64) -> Bool {
    instanceCount.pointee.lock.lock()
    defer { instanceCount.pointee.lock.unlock() }
    return identityMap.pointee.find(row) != nil
  }

  /// The rows of the hierarchy that have an instance.
  var instanceRows: [Int64] {
    instanceCount.pointee.lock.lock()
    defer { instanceCount.pointee.lock.unlock() }
    return identityMap.pointee.keys
  }

  /// Makes an object, of which this is the address and the header, the context's instance for its row.
  @inlinable
  package func register(
    _ row: Int64, _ address: UnsafeMutableRawPointer, _ header: UnsafeMutablePointer<_ModelHeader.Fields>
  ) {
    header.pointee.rowID = row
    header.pointee.tracker = self
    header.pointee.probe = .passUnretained(probe)
    header.pointee.object = address
    instanceCount.pointee.lock.lock()
    // Objects are counted and not places in the map: one whose `deinit` is running needs its context, and may have lost
    // its place to another by now.
    identityMap.pointee.insert(row, address)
    if instanceCount.pointee.increment() { core.retainForInstances() }
    instanceCount.pointee.lock.unlock()
  }

  /// Takes an object out: on its way to deallocation, or because it leaves the context.
  @inlinable
  package func forget(_ row: Int64, _ object: UnsafeMutableRawPointer) {
    instanceCount.pointee.lock.lock()
    _ = identityMap.pointee.remove(row, object)
    let isLast = instanceCount.pointee.decrement()
    instanceCount.pointee.lock.unlock()
    // Outside the lock, which goes with the core.
    if isLast { core.releaseForInstances() }
  }

  /// Makes an object known under another row.
  package func rename(_ header: UnsafeMutablePointer<_ModelHeader.Fields>, to row: Int64) {
    guard let object = header.pointee.object else { return }
    instanceCount.pointee.lock.lock()
    _ = identityMap.pointee.remove(header.pointee.rowID, object)
    identityMap.pointee.insert(row, object)
    header.pointee.rowID = row
    instanceCount.pointee.lock.unlock()
  }

  /// Lets an object go: it keeps its values and its identifier, and belongs to no context.
  package func release(_ header: UnsafeMutablePointer<_ModelHeader.Fields>, status: ModelStatus) {
    guard let object = header.pointee.object else { return }
    let row = header.pointee.rowID
    header.pointee.previousIdentity = status.isEmpty ? nil : identity
    if status.isEmpty { header.pointee.rowID = 0 }
    header.pointee.status = status
    header.pointee.changedMask = ~0
    header.pointee.tracker = nil
    header.pointee.probe = nil
    header.pointee.object = nil
    forget(row, object)
  }
}
