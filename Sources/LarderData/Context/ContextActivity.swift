import LarderSupport

/// The operations that a context is performing. They nest: a save propagates deletions and may merge, and a merge changes
/// both ends of a relationship.
///
/// Operations on objects are *quiet*: the context notifies observers when the outermost operation ends (see
/// ``DeferredNotifications``).
struct ContextActivity {
  /// A set of kinds of operation.
  struct Operations: OptionSet {
    let rawValue: UInt8

    /// A save: from the notification that announces it until the objects match the commit.
    static let entityWriter = Operations(rawValue: 1 << 0)
    /// A rollback of pending changes.
    static let rollingBack = Operations(rawValue: 1 << 1)
    /// A merge of changes that other contexts have committed.
    static let merging = Operations(rawValue: 1 << 2)
    /// The propagation of deletions to related objects.
    static let propagatingDeletions = Operations(rawValue: 1 << 3)
    /// A change of both ends of a relationship, one after the other.
    static let updatingRelationship = Operations(rawValue: 1 << 4)
    /// A change of relationships that takes back a deletion or an undo step, and is not the program's.
    static let restoring = Operations(rawValue: 1 << 5)
    /// A read of models for the library's own use.
    static let readingWithoutTracking = Operations(rawValue: 1 << 6)
  }

  /// The operations in progress.
  private(set) var operations: Operations = []
  /// The number of nested quiet operations in progress.
  private(set) var deferralDepth = 0

  /// - Returns: Whether an operation of that kind was in progress before.
  @inline(__always)
  mutating func set(_ work: Operations, to isUnderWay: Bool) -> Bool {
    let former = operations.contains(work)
    if isUnderWay { operations.insert(work) } else { operations.remove(work) }
    return former
  }

  @inline(__always)
  mutating func beginDeferral() { deferralDepth += 1 }

  @inline(__always)
  mutating func endDeferral() {
    deferralDepth -= 1
    #if DEBUG
      Contract.require(deferralDepth >= 0, "quiet work has ended that had not begun")
    #endif
  }
}

extension _ContextCore {
  package var isSaving: Bool { activity.operations.contains(.entityWriter) }
  var isRollingBack: Bool { activity.operations.contains(.rollingBack) }
  var isMerging: Bool { activity.operations.contains(.merging) }
  var isPropagatingDeletions: Bool { activity.operations.contains(.propagatingDeletions) }
  var isUpdatingRelationship: Bool { activity.operations.contains(.updatingRelationship) }
  var isRestoring: Bool { activity.operations.contains(.restoring) }
  var isReadingWithoutTracking: Bool { activity.operations.contains(.readingWithoutTracking) }

  /// Performs an operation.
  ///
  /// - Parameter isUnderWay: `false` for a nested part that does not count as an operation of that kind.
  @inline(__always)
  func withOperation<Result>(
    _ work: ContextActivity.Operations, _ isUnderWay: Bool = true, _ body: () throws -> Result
  ) rethrows -> Result {
    let former = activity.set(work, to: isUnderWay)
    defer { _ = activity.set(work, to: former) }
    return try body()
  }
}
