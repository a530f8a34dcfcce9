/// The state that a context keeps for the relationships of its objects. Plain values are in ``RelationshipGenerations``.
package struct RelationshipState {
  package var strongReferences = StrongReferenceCache()
  package var loadedJoinLists = LoadedJoinLists()
  /// The number of lists that were loaded so far.
  package var loadedToManyCount = 0
  /// The number of pending objects whose references to deleted rows were examined, for tests.
  package var examinedObjectCount = 0
  /// The unsaved references to deleted rows, while deletions are propagated from level to level; `nil` otherwise.
  var unsavedReferences: UnsavedReferences?
  /// The references that may prevent the deletions of the next save, which checks them again.
  package var deleteRuleViolations: [DeleteRuleViolation] = []
  /// Objects that were deleted before their first save, until their deletion has been propagated to related objects.
  var discardedInserts: [any PersistentModel] = []
  /// Discarded inserts, and objects that other contexts deleted, which an object must still reference, as only a save refuses.
  var requiredDeletedObjects: [RowKey: any PersistentModel] = [:]
  /// Rows that a required to-one has lost, and still reads as.
  var lostRequiredTargets: Set<RowKey> = []
  var propagationLog = PropagationLog()
  /// Targets that were assigned to required to-ones, and have no other pending change: another context may delete them.
  var requiredTargets: [RowKey: any PersistentModel] = [:]
  /// To-ones that were assigned a target which another context has deleted, until they are set again.
  var danglingReferences: [RelationshipKey: DanglingReference] = [:]

  /// The former values of observed relationships that were reloaded as a side effect, until their observers are notified.
  var unnotifiedReloads: [RelationshipKey: (model: any PersistentModel, value: _RelationshipValue)] = [:]

  /// A request that a type's own coding made while the context was at work.
  enum DeferredRequest {
    case restore(any PersistentModel)
    case delete(any PersistentModel)
    case rollback
    /// A feature's own work.
    case work((_ContextCore) -> Void)
  }

  var deferredRequests: [DeferredRequest] = []
  /// The observers that were notified before the ends of a relationship are changed one after the other.
  var notifiedProperties: NotifiedProperties?
  /// The removal of members from lists.
  package let memberRemoval = _MemberRemoval()
  /// The members of lists of objects that are leaving the context together.
  var membershipCache: DetachmentMembershipCache?

  /// Objects that have no pending changes any more. They are released once the context is not at work; see ``LifetimeGuard``.
  struct EndedChanges {
    fileprivate let propagationLog: PropagationLog?
    fileprivate let deleteRuleViolations: [DeleteRuleViolation]
    fileprivate let discardedInserts: [any PersistentModel]
    fileprivate let requiredDeletedObjects: [RowKey: any PersistentModel]
    fileprivate let requiredTargets: [RowKey: any PersistentModel]
  }

  /// Removes the state of all changes, since nothing is pending any more.
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

  /// Removes the pending deletions: none is propagated any further.
  mutating func removeDeletions() -> EndedChanges {
    let ended = EndedChanges(
      propagationLog: nil, deleteRuleViolations: deleteRuleViolations, discardedInserts: discardedInserts,
      requiredDeletedObjects: [:], requiredTargets: [:])
    deleteRuleViolations.removeAll()
    discardedInserts.removeAll()
    return ended
  }
}
