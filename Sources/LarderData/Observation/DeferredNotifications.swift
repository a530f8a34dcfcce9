import Observation

/// Observation events that are deferred until the context is consistent again.
///
/// An observer may do anything: edit, save, roll back, fetch. During a rollback, a save or a merge it would find objects that
/// are half updated, and its edits would be overwritten or counted as saved. So the context changes objects without notifying
/// observers, and notifies them afterwards. They then see the resulting values. Observers of an edit are notified before
/// the edit, as `withObservationTracking` requires.
struct DeferredNotifications {
  private(set) var queue: [(model: any PersistentModel, property: Int)] = []
  private var keys: Set<RelationshipKey> = []

  var isEmpty: Bool { queue.isEmpty }

  /// Enqueues a notification. An observer is notified once, however often the property has changed.
  mutating func enqueue(_ model: any PersistentModel, _ property: Int) {
    if keys.insert(RelationshipKey(model, property)).inserted { queue.append((model, property)) }
  }

  /// Returns the queued notifications and empties the queue.
  mutating func drain() -> [(model: any PersistentModel, property: Int)] {
    defer { self = DeferredNotifications() }
    return queue
  }
}

extension _ContextCore {
  /// Whether the context is changing objects, so that notifications are deferred.
  var isDeferringNotifications: Bool { activity.deferralDepth > 0 }

  /// Performs work on objects, and notifies observers after that work and all work that encloses it.
  @inline(__always)
  func deferringNotifications<Result>(_ work: () throws -> Result) rethrows -> Result {
    beginDeferringNotifications()
    defer {
      endDeferringNotifications()
      deliverNotifications()
    }
    return try work()
  }

  /// Reads models on behalf of the library while an observer may be tracking reads: the observer is not notified of changes of
  /// properties that it has not read itself.
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

  /// Ends a deferral. The caller calls ``deliverNotifications()`` once the context is consistent.
  @inline(__always)
  func endDeferringNotifications() {
    activity.endDeferral()
    #if DEBUG
      _clearActiveThread()
    #endif
  }

  /// Performs deferred requests and notifies observers, unless a deferral is still in progress.
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
  /// Decides whether to notify the observers of a property now. During a deferral, the notification is enqueued.
  ///
  /// - Returns: Whether to notify them now.
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
