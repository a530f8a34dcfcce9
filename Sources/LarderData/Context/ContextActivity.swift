import LarderSupport

/// The work that a context is at, one piece within the other: a save propagates deletions and may merge, a merge changes
/// both ends of a relationship.
///
/// Work on objects is *quiet*: the context notifies observers when the outermost piece ends (see ``Announcements``).
struct ContextActivity {
  /// A kind of work.
  struct Operations: OptionSet {
    let rawValue: UInt8

    /// A save, from the notification that announces it to its commit and the objects in step with that.
    static let entityWriter = Operations(rawValue: 1 << 0)
    /// What is pending is being dropped.
    static let rollingBack = Operations(rawValue: 1 << 1)
    /// What others have committed is being taken over.
    static let merging = Operations(rawValue: 1 << 2)
    /// Deletions are being carried to related objects.
    static let propagatingDeletions = Operations(rawValue: 1 << 3)
    /// The ends of a relationship are being changed, one after the other.
    static let updatingRelationship = Operations(rawValue: 1 << 4)
    /// Relationships are set because a deletion or a step of undo is taken back, and not by the program.
    static let restoring = Operations(rawValue: 1 << 5)
    /// Models are being read for the library's own sake.
    static let readingWithoutTracking = Operations(rawValue: 1 << 6)
  }

  /// The work that is under way.
  private(set) var operations: Operations = []
  /// How many pieces of quiet work are under way, one within the other.
  private(set) var deferralDepth = 0

  /// - Returns: Whether some of that kind was under way before.
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

  /// Does a piece of work.
  ///
  /// - Parameter isUnderWay: False for work within one of its kind that is none itself.
  @inline(__always)
  func withOperation<Result>(
    _ work: ContextActivity.Operations, _ isUnderWay: Bool = true, _ body: () throws -> Result
  ) rethrows -> Result {
    let former = activity.set(work, to: isUnderWay)
    defer { _ = activity.set(work, to: former) }
    return try body()
  }
}
