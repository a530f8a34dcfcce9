import LarderSupport

/// The work that a context is at, one piece within the other: a save propagates deletions and may merge, a merge changes
/// both ends of a relationship.
///
/// Work on objects is *quiet*: the context notifies observers when the outermost piece ends (see ``Announcements``).
struct ContextActivity {
  /// A kind of work.
  struct Work: OptionSet {
    let rawValue: UInt8

    /// A save, from the notification that announces it to its commit and the objects in step with that.
    static let saving = Work(rawValue: 1 << 0)
    /// What is pending is being dropped.
    static let rollingBack = Work(rawValue: 1 << 1)
    /// What others have committed is being taken over.
    static let merging = Work(rawValue: 1 << 2)
    /// Deletions are being carried to related objects.
    static let propagatingDeletions = Work(rawValue: 1 << 3)
    /// The ends of a relationship are being changed, one after the other.
    static let changingEnds = Work(rawValue: 1 << 4)
    /// Relationships are set because a deletion or a step of undo is taken back, and not by the program.
    static let restoring = Work(rawValue: 1 << 5)
    /// Models are being read for the library's own sake.
    static let readingUnobserved = Work(rawValue: 1 << 6)
  }

  /// The work that is under way.
  private(set) var works: Work = []
  /// How many pieces of quiet work are under way, one within the other.
  private(set) var quietDepth = 0

  /// - Returns: Whether some of that kind was under way before.
  @inline(__always)
  mutating func set(_ work: Work, _ isUnderWay: Bool) -> Bool {
    let former = works.contains(work)
    if isUnderWay { works.insert(work) } else { works.remove(work) }
    return former
  }

  @inline(__always)
  mutating func beginQuiet() { quietDepth += 1 }

  @inline(__always)
  mutating func endQuiet() {
    quietDepth -= 1
    #if DEBUG
      Contract.require(quietDepth >= 0, "quiet work has ended that had not begun")
    #endif
  }
}

extension ContextCore {
  package var isSaving: Bool { activity.works.contains(.saving) }
  var isRollingBack: Bool { activity.works.contains(.rollingBack) }
  var isMerging: Bool { activity.works.contains(.merging) }
  var isSpreading: Bool { activity.works.contains(.propagatingDeletions) }
  var isChangingEnds: Bool { activity.works.contains(.changingEnds) }
  var isRestoring: Bool { activity.works.contains(.restoring) }
  var readsUnobserved: Bool { activity.works.contains(.readingUnobserved) }

  /// Does a piece of work.
  ///
  /// - Parameter isUnderWay: False for work within one of its kind that is none itself.
  @inline(__always)
  func during<Result>(
    _ work: ContextActivity.Work, _ isUnderWay: Bool = true, _ body: () throws -> Result
  ) rethrows -> Result {
    let former = activity.set(work, isUnderWay)
    defer { _ = activity.set(work, former) }
    return try body()
  }
}
