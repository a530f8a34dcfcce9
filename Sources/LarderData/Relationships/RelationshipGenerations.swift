/// What a context notes of its relationships in plain values.
///
/// They are looked at for each related object, and nothing of anybody's runs when they change: the context may read and
/// write them without asking whether somebody else is just at it.
@usableFromInline
package struct RelationshipGenerations {
  /// What to-manys that can be shown as they are were marked with when they were loaded: ``generation``, but for the
  /// while in which a deletion has still to be carried to the objects that are related to what was deleted.
  @usableFromInline package private(set) var currentStamp: UInt32 = 1
  /// Counts the states in which lists were loaded: raised by the commits of others, and wherever lists are to be loaded anew.
  package private(set) var generation: UInt32 = 1
  /// The ``generation`` of which everything that others had committed has been taken over. Raising that without a commit raises
  /// this one, too.
  private(set) var mergedGeneration: UInt32 = 1
  package private(set) var hasPendingPropagation = false
  /// No list is marked with this.
  private static let invalidStamp = UInt32.max

  /// Whether relationships were loaded as they are with what is pending: a rollback has them loaded anew.
  var hasProvisionalLoads = false
  /// Whether to-manys were loaded after a commit of others was seen and before that was taken over. What is pending, and where
  /// members lead, was of before the commit: they are loaded again once it is taken over.
  private(set) var hasToManysAheadOfMerge = false
  /// The to-one that the program is setting.
  var toOneBeingSet: RelationshipKey?
  /// Counts changes of to-manys, so that whoever has seen one can tell whether it is still as it was.
  var toManyChangeCount = 0
  /// Whether a list has ever held what the program was not shown. See ``ToManyBaseVersions``.
  var hasBaseVersions = false
  #if DEBUG
    /// Whether a row was read that others have moved since that was taken over last.
    var hasReadAhead = false
  #endif

  /// Somebody else has committed: to-manys are loaded anew when they are next asked for.
  package mutating func recordRemoteCommit() { incrementGeneration() }

  private mutating func incrementGeneration() {
    generation &+= 1
    if generation == _ToManyKey.unreadFlag - 1 { generation = 1 }
    if !hasPendingPropagation { currentStamp = generation }
  }

  /// Marks all to-manys as outdated, without a commit of another context.
  mutating func markToManysStale() {
    let isMerged = generation == mergedGeneration
    incrementGeneration()
    if isMerged { mergedGeneration = generation }
  }

  /// Has the lists that were loaded ahead of a merge loaded again, now that it reads.
  mutating func invalidateToManysAheadOfMerge() {
    if hasToManysAheadOfMerge { incrementGeneration() }
  }

  /// Notes the end of a merge.
  ///
  /// - Parameters:
  ///   - taken: The generation when the merge had read. A later commit waits for the next merge.
  ///   - isWhole: Whether every commit that it can have read was among those that it has taken over.
  mutating func recordMerge(_ taken: UInt32, isComplete isWhole: Bool = true) {
    if isWhole { mergedGeneration = taken }
    hasToManysAheadOfMerge = !isWhole || generation != taken
  }

  /// Notes that to-manys were loaded.
  mutating func recordToManyLoad() {
    if generation != mergedGeneration { hasToManysAheadOfMerge = true }
  }

  package mutating func beginPropagation() {
    hasPendingPropagation = true
    currentStamp = RelationshipGenerations.invalidStamp
  }

  package mutating func endPropagation() {
    hasPendingPropagation = false
    currentStamp = generation
  }
}
