/// The state of a context's relationships that consists of plain values.
///
/// The values are read for each related object, and no foreign code runs when they change: the context may read and write
/// them without checks for exclusive access.
@usableFromInline
package struct RelationshipGenerations {
  /// The mark of to-manys that can be shown as they are, set when they are loaded: ``generation``, except while a deletion
  /// has still to be propagated to the related objects.
  @usableFromInline package private(set) var currentStamp: UInt32 = 1
  /// The count of the states in which lists are loaded: raised by other contexts' commits, and when lists have to be reloaded.
  package private(set) var generation: UInt32 = 1
  /// The ``generation`` in which all commits of other contexts were merged. If ``generation`` is raised without a commit, this
  /// one is raised, too.
  private(set) var mergedGeneration: UInt32 = 1
  package private(set) var hasPendingPropagation = false
  /// The mark of no list.
  private static let invalidStamp = UInt32.max

  /// Whether relationships were loaded with pending changes applied: a rollback unloads them.
  var hasProvisionalLoads = false
  /// Whether to-manys were loaded after a commit of another context was seen and before it was merged. Pending changes and the
  /// members' keys were from before the commit: the to-manys are loaded again once the commit is merged.
  private(set) var hasToManysAheadOfMerge = false
  /// The to-one that the program is setting.
  var toOneBeingSet: RelationshipKey?
  /// The number of changes of to-manys, by which a caller that has seen a list can tell whether it is unchanged.
  var toManyChangeCount = 0
  /// Whether a list has ever held members that the program was not shown. See ``ToManyBaseVersions``.
  var hasBaseVersions = false
  #if DEBUG
    /// Whether a row was read that another context has moved since the last merge.
    var hasReadAhead = false
  #endif

  /// Records a commit of another context: to-manys are loaded anew when they are next accessed.
  package mutating func recordRemoteCommit() { incrementGeneration() }

  private mutating func incrementGeneration() {
    generation &+= 1
    if generation == _ToManyKey.unreadFlag - 1 { generation = 1 }
    if !hasPendingPropagation { currentStamp = generation }
  }

  /// Marks all to-manys as stale, without a commit of another context.
  mutating func markToManysStale() {
    let isMerged = generation == mergedGeneration
    incrementGeneration()
    if isMerged { mergedGeneration = generation }
  }

  /// Makes the lists that were loaded before a merge stale, now that the merge reads.
  mutating func invalidateToManysAheadOfMerge() {
    if hasToManysAheadOfMerge { incrementGeneration() }
  }

  /// Records the end of a merge.
  ///
  /// - Parameters:
  ///   - taken: The generation when the merge finished reading. A later commit waits for the next merge.
  ///   - isWhole: Whether every commit that the merge can have read was among the commits that it has merged.
  mutating func recordMerge(_ taken: UInt32, isComplete isWhole: Bool = true) {
    if isWhole { mergedGeneration = taken }
    hasToManysAheadOfMerge = !isWhole || generation != taken
  }

  /// Records that to-manys were loaded.
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
