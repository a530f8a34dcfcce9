/// What a context keeps for the relationships of its objects; plain values are in ``RelationshipGenerations``.
package struct RelationshipState {
  package var strongReferences = StrongReferenceCache()
  package var loadedJoinLists = LoadedJoinLists()
  /// How many lists were loaded so far.
  package var loadedToManyCount = 0
  /// The number of pending objects whose references to deleted rows were looked at, for tests.
  package var examinedObjectCount = 0
  /// The unsaved references to deleted rows, while deletions are carried from level to level; nil otherwise.
  var unsavedReferences: UnsavedReferences?
  /// Why the next save must not delete what it is about to; asked again then.
  package var deleteRuleViolations: [DeleteRuleViolation] = []
  /// Objects that were deleted before they were ever saved, until their deletion has been carried to related ones.
  var discardedInserts: [any PersistentModel] = []
  /// Those of them, and of those that others have deleted, to which an object must still refer: nothing but a save can refuse that.
  var requiredDeletedObjects: [RowKey: any PersistentModel] = [:]
  /// Rows that a to-one which must have an object lost, and still reads as.
  var lostRequiredTargets: Set<RowKey> = []
  var propagationLog = PropagationLog()
  /// What to-ones that are not optional were led to, and of which nothing else is pending: others may delete it.
  var requiredTargets: [RowKey: any PersistentModel] = [:]
  /// To-ones that were led to what others have deleted, until they are set anew.
  var danglingReferences: [RelationshipKey: DanglingReference] = [:]

  /// What observed relationships held that were loaded anew by the way, until those who observe them are told.
  var unnotifiedReloads: [RelationshipKey: (model: any PersistentModel, value: _RelationshipValue)] = [:]

  /// What a type's own coding asked for while the context was at work.
  enum DeferredRequest {
    case restore(any PersistentModel)
    case delete(any PersistentModel)
    case rollback
    /// A feature's own.
    case work((_ContextCore) -> Void)
  }

  var deferredRequests: [DeferredRequest] = []
  /// Those who were told before the ends of a relationship are changed one after the other.
  var notifiedProperties: NotifiedProperties?
  /// How members leave the lists that they are taken out of.
  package let memberRemoval = _MemberRemoval()
  /// The lists of objects that leave the context together just now.
  var membershipCache: DetachmentMembershipCache?

  /// Objects of which nothing is pending any more, to be let go of once nobody is at work here; see ``LifetimeGuard``.
  struct EndedChanges {
    fileprivate let propagationLog: PropagationLog?
    fileprivate let deleteRuleViolations: [DeleteRuleViolation]
    fileprivate let discardedInserts: [any PersistentModel]
    fileprivate let requiredDeletedObjects: [RowKey: any PersistentModel]
    fileprivate let requiredTargets: [RowKey: any PersistentModel]
  }

  /// Nothing is pending any more.
  mutating func removeAllChanges() -> EndedChanges {
    let ended = EndedChanges(
      propagationLog: propagationLog.removeAll(), deleteRuleViolations: deleteRuleViolations, discardedInserts: [],
      requiredDeletedObjects: requiredDeletedObjects, requiredTargets: requiredTargets)
    if !deleteRuleViolations.isEmpty { deleteRuleViolations.removeAll() }
    if !requiredDeletedObjects.isEmpty { requiredDeletedObjects.removeAll() }
    if !requiredTargets.isEmpty { requiredTargets.removeAll() }
    if !lostRequiredTargets.isEmpty { lostRequiredTargets.removeAll() }
    memberRemoval.removeSearchStates()
    return ended
  }

  /// No deletion is carried any further.
  mutating func removeDeletions() -> EndedChanges {
    let ended = EndedChanges(
      propagationLog: nil, deleteRuleViolations: deleteRuleViolations, discardedInserts: discardedInserts,
      requiredDeletedObjects: [:], requiredTargets: [:])
    deleteRuleViolations.removeAll()
    discardedInserts.removeAll()
    return ended
  }
}
