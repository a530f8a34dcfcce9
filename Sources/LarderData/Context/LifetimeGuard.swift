/// References to the objects in a tracker's pending state, held while that state is cleared.
///
/// A pending change may hold the last reference to an object, and the object's `deinit` may run user code, which may use the
/// context and make any change. That code must not run while the same state is being changed, nor before the pending state of
/// other entities is cleared. So the caller holds these references until all state is cleared.
struct LifetimeGuard {
  private let pending: [[AnyObject]]
  private let relationships: [RelationshipKey: OriginalRelationship]
  private let joinEdits: [RelationshipKey: JoinEdit]

  init(_ tracker: _EntityTracker) {
    pending = [tracker.inserted, tracker.changed, tracker.deleted]
    relationships = tracker.originalRelationships
    joinEdits = tracker.joinEdits
  }
}
