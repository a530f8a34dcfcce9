public import LarderSupport

/// The live objects of an entity in a context, by their rows: the part of a context that a model's header and the code of
/// `@Model` know.
///
/// ``_EntityTracker`` is the one subclass, and tracks the changes of these objects. A value of this type is therefore one of
/// that type, and is cast without a check.
public class _InstanceTable {
  @usableFromInline package let layout: _ModelLayout
  /// Identifies the entity and its store in persistent identifiers.
  package let identity: EntityIdentity
  @usableFromInline package let probe: _ObservationProbe
  /// The objects of the whole class hierarchy. Behind the lock of ``instanceCount``: any thread may release an object.
  ///
  /// A pointer, since reaching the map through the table of the topmost class would count references for each row that is
  /// read. The topmost class's table owns it, and the context releases its tables together.
  @usableFromInline let identityMap: UnsafeMutablePointer<IdentityMap>
  private let ownsIdentityMap: Bool
  /// The context's.
  @usableFromInline let instanceCount: UnsafeMutablePointer<InstanceCount>
  /// The context's core, which lives as long as any of its objects.
  private let owner: Unmanaged<AnyObject>
  /// Set by the last load that met a value that it could not read.
  @usableFromInline package let problems = _RowProblems()

  /// - Parameters:
  ///   - owner: The object that lives as long as any of the instances. It owns the table, which does not retain it.
  ///   - instanceCount: The owner's count of instances, with the lock of its identity maps.
  ///   - topmost: The table of the topmost class of the hierarchy; `nil` for that table itself.
  init(
    _ layout: _ModelLayout, identity: EntityIdentity, probe: _ObservationProbe, owner: AnyObject,
    instanceCount: UnsafeMutablePointer<InstanceCount>, topmost: _InstanceTable?
  ) {
    self.layout = layout
    self.identity = identity
    self.probe = probe
    self.owner = .passUnretained(owner)
    self.instanceCount = instanceCount
    ownsIdentityMap = topmost == nil
    if let topmost {
      identityMap = topmost.identityMap
    } else {
      identityMap = .allocate(capacity: 1)
      identityMap.initialize(to: IdentityMap())
    }
  }

  deinit {
    // The topmost class's table may have been released before this one.
    guard ownsIdentityMap else { return }
    identityMap.deinitialize(count: 1)
    identityMap.deallocate()
  }

  // MARK: Instances

  /// Whether the hierarchy has no live object.
  @usableFromInline
  package final var isEmpty: Bool {
    instanceCount.pointee.lock.lock()
    defer { instanceCount.pointee.lock.unlock() }
    return identityMap.pointee.count == 0
  }

  /// Returns whether a row of the hierarchy has a live object.
  final func hasInstance(_ row: Int64) -> Bool {
    instanceCount.pointee.lock.lock()
    defer { instanceCount.pointee.lock.unlock() }
    return identityMap.pointee.find(row) != nil
  }

  /// The rows of the hierarchy that have a live object.
  final var instanceRows: [Int64] {
    instanceCount.pointee.lock.lock()
    defer { instanceCount.pointee.lock.unlock() }
    return identityMap.pointee.keys
  }

  /// Makes an object the context's instance for a row.
  ///
  /// - Parameters:
  ///   - address: The object's address.
  ///   - header: The object's header, which is given the row and this table.
  @inlinable
  package final func register(
    _ row: Int64, _ address: UnsafeMutableRawPointer, _ header: UnsafeMutablePointer<_ModelHeader.Fields>
  ) {
    header.pointee.rowID = row
    header.pointee.table = self
    header.pointee.probe = .passUnretained(probe)
    header.pointee.object = address
    instanceCount.pointee.lock.lock()
    // Objects are counted, and not entries of the map: an object whose `deinit` is running needs its context, and may have
    // lost its entry to another object.
    identityMap.pointee.insert(row, address)
    if instanceCount.pointee.increment() { retainOwner() }
    instanceCount.pointee.lock.unlock()
  }

  /// Removes an object that is about to be deallocated, or that leaves the context.
  @inlinable
  package final func forget(_ row: Int64, _ object: UnsafeMutableRawPointer) {
    instanceCount.pointee.lock.lock()
    _ = identityMap.pointee.remove(row, object)
    let isLast = instanceCount.pointee.decrement()
    instanceCount.pointee.lock.unlock()
    // Outside the lock, which is released with the owner.
    if isLast { releaseOwner() }
  }

  /// Registers an object under another row.
  package final func rename(_ header: UnsafeMutablePointer<_ModelHeader.Fields>, to row: Int64) {
    guard let object = header.pointee.object else { return }
    instanceCount.pointee.lock.lock()
    _ = identityMap.pointee.remove(header.pointee.rowID, object)
    identityMap.pointee.insert(row, object)
    header.pointee.rowID = row
    instanceCount.pointee.lock.unlock()
  }

  /// Detaches an object from the context. The object keeps its values, and its identifier unless the status is empty.
  package final func release(_ header: UnsafeMutablePointer<_ModelHeader.Fields>, status: ModelStatus) {
    guard let object = header.pointee.object else { return }
    let row = header.pointee.rowID
    header.pointee.previousIdentity = status.isEmpty ? nil : identity
    if status.isEmpty { header.pointee.rowID = 0 }
    header.pointee.status = status
    header.pointee.changedMask = ~0
    header.pointee.table = nil
    header.pointee.probe = nil
    header.pointee.object = nil
    forget(row, object)
  }

  /// Keeps the owner alive, from the first instance on. Called with the lock held.
  @usableFromInline
  final func retainOwner() { _ = owner.retain() }

  /// Releases the owner, after the last instance. Called without the lock, which may be released with the owner.
  @usableFromInline
  final func releaseOwner() { owner.release() }
}
