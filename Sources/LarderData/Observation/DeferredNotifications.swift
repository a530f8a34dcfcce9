import Observation

/// What observers are to be told when what the context is doing is done.
///
/// An observer may do anything: edit, save, roll back, fetch. In the midst of a rollback, a save, or of taking over what
/// others saved it would find half of that, and what it did would be overwritten, or counted as saved. So the context's
/// own work on objects is done quietly, and observers are told of all of it afterwards. They see what has become of the
/// objects; those of an edit are told before it, as `withObservationTracking` has it.
struct DeferredNotifications {
  private(set) var queue: [(model: any PersistentModel, property: Int)] = []
  private var keys: Set<RelationshipKey> = []

  var isEmpty: Bool { queue.isEmpty }

  /// One observer is told once, however often the property changed meanwhile.
  mutating func enqueue(_ model: any PersistentModel, _ property: Int) {
    if keys.insert(RelationshipKey(model, property)).inserted { queue.append((model, property)) }
  }

  mutating func drain() -> [(model: any PersistentModel, property: Int)] {
    defer { self = DeferredNotifications() }
    return queue
  }
}

extension _ContextCore {
  /// Whether the context is at work on objects, so that observers are not told yet.
  var isDeferringNotifications: Bool { activity.deferralDepth > 0 }

  /// Does work on objects, and tells observers of it when that is done, and all work that it is part of.
  @inline(__always)
  func deferringNotifications<Result>(_ work: () throws -> Result) rethrows -> Result {
    beginDeferringNotifications()
    defer {
      endDeferringNotifications()
      deliverNotifications()
    }
    return try work()
  }

  /// Reads models for the library's own sake, though somebody may be tracking what he reads: he is not told of changes of
  /// what he has not asked for.
  func withoutTracking<Result>(_ read: () throws -> Result) rethrows -> Result {
    try withOperation(.readingWithoutTracking) { try read() }
  }

  @inline(__always)
  func beginDeferringNotifications() {
    #if DEBUG
      _recordActiveThread()
    #endif
    activity.beginDeferral()
  }

  /// Whoever ends has the rest announced as soon as all is as it should be.
  @inline(__always)
  func endDeferringNotifications() {
    activity.endDeferral()
    #if DEBUG
      _clearActiveThread()
    #endif
  }

  /// Does what had to wait, and tells observers.
  @inline(__always)
  func deliverNotifications() {
    if activity.deferralDepth == 0, !deferredNotifications.isEmpty || !relationships.deferredRequests.isEmpty {
      deliverAllNotifications()
    }
  }

  @inline(never)
  private func deliverAllNotifications() {
    performDeferredRequests()
    for (model, property) in deferredNotifications.drain() { model._$notifyObservers(property) }
  }
}

extension PersistentModel {
  /// Tells those who observe a property, unless the context is at work: then they are told when that is done.
  ///
  /// - Returns: Whether they were told.
  func _$notifiesNow(_ property: Int) -> Bool {
    guard let core = _$header.pointee.tracker?.core, core.isDeferringNotifications else { return true }
    core.deferredNotifications.enqueue(self, property)
    return false
  }

  fileprivate func _$notifyObservers(_ property: Int) {
    guard let box = _$header.pointee.registrar else { return }
    let observed = type(of: self)._$layout.observedProperties[property]
    observed.willSet(self, box)
    observed.didSet(self, box)
  }
}
