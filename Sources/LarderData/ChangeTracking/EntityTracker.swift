internal import CLarderData
import LarderSupport

/// The state of one entity in a context: its instances by row ID, and its pending changes.
public final class _EntityTracker: _InstanceTable {
  // Unowned and unchecked: a tracker is reached through its core, or through an object that keeps the core alive, and
  // reference counting would cost time for each row that is read.
  @usableFromInline package unowned(unsafe) let core: _ContextCore
  /// The same as ``core``, for calls that must not retain it: a retain costs 30 ns where there are weak references.
  let unretainedCore: Unmanaged<_ContextCore>
  /// The session with the store that contains the entity.
  package let session: StoreSession
  package var store: SQLiteStore { session.store }
  @usableFromInline package let statements: TableStatements

  /// The tracker of the topmost class, which has the instances of the whole hierarchy.
  @inlinable package var root: _EntityTracker { topmost ?? self }
  /// The tracker of the topmost class; `nil` in that tracker itself.
  @usableFromInline unowned(unsafe) let topmost: _EntityTracker?
  /// The trackers of subclasses that were used so far, each after that of its superclass.
  // No code runs while it is read or written.
  @usableFromInline @exclusivity(unchecked) package private(set) var subclassTrackers: [_EntityTracker] = []

  // The lists of objects are unchecked: code that removes an element, or replaces a list, holds the old objects (in the model
  // at hand, or in ``LifetimeGuard``), so that an object's `deinit`, which may run user code, never runs during a change of
  // the list.
  /// The inserted, unsaved objects, in the order of their inserts; some may have been deleted again since.
  @usableFromInline @exclusivity(unchecked) package var inserted: [AnyObject] = []
  /// The stored objects with unsaved edits, in the order of their first edit.
  @usableFromInline @exclusivity(unchecked) package var changed: [AnyObject] = []
  /// The row IDs that the next save deletes.
  // Numbers: hashing them runs no user code.
  @exclusivity(unchecked) package var deletedRows: Set<Int64> = []
  /// The instances of deleted rows.
  package var deleted: [AnyObject] = []
  /// The properties that are changed in at least one object.
  // A plain number, as the unchecked ones below: no code runs while it is read or written.
  @exclusivity(unchecked) package var dirtyMask: _PropertyMask = 0
  /// The original values of edited properties, for a rollback and for clients that read the changes of a save.
  // User code that runs while a value is collected has returned before the log is changed.
  @exclusivity(unchecked) package var originalValues = OriginalValues()
  /// The indexes of inserted objects by a property's value, for properties that fetches have compared.
  package var insertedIndexes = InsertedObjectIndexes()
  /// The indexes of edited objects by a property's value, for properties that fetches have compared.
  var editedIndexes = EditedObjectIndexes()
  /// The first rows of a fetch that ran while changes were pending.
  var firstRows: LeadingRowCache?
  /// The number of times that pending changes ended or were replaced, which makes caches of pending results stale.
  @exclusivity(unchecked) var pendingRemovals = 0
  /// The known emptiness of the table in the current snapshot.
  // Plain numbers: no code runs while they are read or written.
  @exclusivity(unchecked) var emptiness = TableEmptiness()
  /// The number of objects in the list of changed objects that are no longer changed.
  @exclusivity(unchecked) var unchangedCount = 0
  var hasUnchanged: Bool { unchangedCount > 0 }
  /// The rows whose objects are stale because they were edited; in the topmost class's tracker.
  var staleRows: Set<Int64> = []
  /// The stale rows that another context has deleted: no result includes them while they are edited. In the topmost tracker.
  var staleDeletedRows: Set<Int64> = []
  /// The row changes that other contexts have reported, during their merge; in the topmost class's tracker.
  var remoteChanges: [Int64: RemoteChange] = [:]
  /// The observed relationships that other rows determine: the rows of their objects, by the property.
  var observedRelationships: [Int: Set<Int64>] = [:]
  /// The original values of relationships changed since the last save, where no column holds them.
  package var originalRelationships: [RelationshipKey: OriginalRelationship] = [:]
  /// The to-ones changed since the last save, among those that share a bit of the mask of changes with other properties.
  var changedSharedKeys: Set<RelationshipKey> = []
  /// The to-ones that have changed since the program last set them, or that it has not set, in objects of which it has set
  /// others: each with the row that the program made it reference.
  var implicitlySetKeys: [RelationshipKey: Int64] = [:]
  package var joinEdits: [RelationshipKey: JoinEdit] = [:]
  /// The contents that the program last read of to-manys that have changed since.
  // Plain numbers: no code runs while they are read or written.
  @exclusivity(unchecked) var lastReadLists = ToManyBaseVersions()
  /// The number of commits of other contexts up to which the inverse keys of other rows to this entity are known.
  @exclusivity(unchecked) var inverseGeneration: UInt32 = 1
  /// The to-manys whose objects may retain the object that holds them, or `nil` before the first check.
  var cyclicToManys: Set<Int>?
  /// The deleted rows whose deletion is not propagated to related objects yet.
  package var pendingPropagation: [Int64] = []
  package var relationshipQueries = RelationshipQueryCache()
  /// The reader of columns of objects.
  private(set) lazy var objectValues = ObjectValueReader(layout)
  init(_ layout: _ModelLayout, core: _ContextCore, above: _EntityTracker?) {
    self.core = core
    unretainedCore = .passUnretained(core)
    topmost = above?.root
    session = core.session(for: layout)
    statements = session.store.statements(for: layout)
    super.init(
      layout, identity: .of(store: session.store.identifier, entity: layout.entityName), probe: core.probe, owner: core,
      instanceCount: core.instanceCount, topmost: above?.root)
    var layout = layout.base
    while let one = layout {
      core.existingTracker(for: one)?.subclassTrackers.append(self)
      layout = one.base
    }
  }

  package var hasChanges: Bool { !inserted.isEmpty || !changed.isEmpty || !deletedRows.isEmpty }
}

// MARK: - Hierarchies

extension _EntityTracker {
  /// This tracker and those of the subclasses.
  package var family: [_EntityTracker] { subclassTrackers.isEmpty ? [self] : [self] + subclassTrackers }

  /// Whether a deletion of a row is pending, whatever its class.
  package func isDeleted(_ row: Int64) -> Bool { topmost?.hasDeletion(of: row) ?? hasDeletion(of: row) }

  /// Whether a deletion of a row of this class or a subclass is pending. Most entities have no subclass.
  package func hasDeletion(of row: Int64) -> Bool {
    deletedRows.contains(row)
      || (!subclassTrackers.isEmpty && subclassTrackers.contains { $0.deletedRows.contains(row) })
  }

  /// Whether any deletion in this class or a subclass is pending.
  package var hasDeletions: Bool {
    !deletedRows.isEmpty || (!subclassTrackers.isEmpty && subclassTrackers.contains { !$0.deletedRows.isEmpty })
  }
  package var hasInserts: Bool {
    !inserted.isEmpty || (!subclassTrackers.isEmpty && subclassTrackers.contains { !$0.inserted.isEmpty })
  }
  /// The properties that are changed in at least one object of this class or a subclass.
  package var familyDirtyMask: _PropertyMask {
    subclassTrackers.isEmpty ? dirtyMask : subclassTrackers.reduce(dirtyMask) { $0 | $1.dirtyMask }
  }

  /// Returns the tracker of the class that declares a property, whose objects all have it.
  func declaringTracker(_ property: Int) -> _EntityTracker {
    if topmost == nil { return self }
    return (try? core.tracker(for: layout.declaringLayout(of: property))) ?? self
  }

  /// Returns the tracker of an object's own class.
  func concreteTracker(_ model: any PersistentModel) -> _EntityTracker { model._$header.pointee.tracker ?? self }
}

extension RowKey {
  init(_ tracker: _EntityTracker, _ row: Int64) { self.init(layoutID: tracker.root.layout.id, row: row) }
}

// MARK: - Instances

extension _EntityTracker {
  /// Returns the context's instance for a row, if it is in memory.
  @usableFromInline
  package func find(_ row: Int64) -> AnyObject? {
    instanceCount.pointee.lock.lock()
    // An instance whose last reference was released on another thread is still in the map, but cannot be retained any more.
    let retained = identityMap.pointee.find(row).flatMap { swift_tryRetain($0) }
    instanceCount.pointee.lock.unlock()
    guard let retained else { return nil }
    // Outside the lock: if the reference has become the last one and is not returned, the object is released here.
    let object = Unmanaged<AnyObject>.fromOpaque(retained).takeRetainedValue()
    return topmost == nil || layout.isInstance(object) ? object : nil
  }
}
