/// What a model's state has of objects, held while it is forgotten.
///
/// The last reference to an object may go with what is pending of it, and its end may run what a user wrote, which may use
/// the context and change whatever it likes. Nobody may be in the midst of changing just that; and what is pending of other
/// models is not to be forgotten after it. So whoever forgets holds what there was, until that is done for all.
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
