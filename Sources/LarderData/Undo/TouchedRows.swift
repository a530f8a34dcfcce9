import LarderSupport

/// The rows of which something pending may have become another since the end of a step, so that the next one need not look at
/// all that is pending.
///
/// What is pending since the step stands at the ends of the lists of changed and inserted objects. What was pending before is
/// watched, and named here by its setters, as is what is deleted or comes back.
struct TouchedRows {
  /// Whether anything may have changed: it is not known what has.
  private(set) var includesAll = true
  private(set) var trackers: [RowKey: _EntityTracker] = [:]
  /// How far the lists of changed objects were looked through.
  private var scanned: [ObjectIdentifier: ScanPosition] = [:]
  /// The same since a step is being found out: a value's own coding may change something meanwhile. All, where none is.
  private var next = NextStep(includesAll: true)

  private struct ScanPosition {
    let count: Int
    let renumberings: Int
  }

  private struct NextStep {
    var includesAll = false
    var trackers: [RowKey: _EntityTracker] = [:]
    var scanned: [ObjectIdentifier: ScanPosition] = [:]
  }

  mutating func touch(_ row: Int64, _ tracker: _EntityTracker) {
    let place = RowKey(tracker, row)
    if !includesAll { trackers[place] = tracker }
    if !next.includesAll { next.trackers[place] = tracker }
  }

  mutating func touchAll() {
    includesAll = true
    next.includesAll = true
    trackers = [:]
    next.trackers = [:]
  }

  /// A step is being found out.
  mutating func beginStep(_ core: _ContextCore) {
    next = NextStep()
    for tracker in core.trackers {
      next.scanned[ObjectIdentifier(tracker)] = ScanPosition(
        count: tracker.changed.count, renumberings: tracker.originalValues.renumberings)
    }
  }

  /// It has ended.
  mutating func endStep() {
    (includesAll, trackers, scanned) = (next.includesAll, next.trackers, next.scanned)
    next = NextStep(includesAll: true)
  }

  func contains(_ place: RowKey) -> Bool { includesAll || trackers[place] != nil }

  #if DEBUG
    /// Whether a row may have become another while a step is being found out: the next one looks at it.
    func isInNextStep(_ place: RowKey) -> Bool { next.includesAll || next.trackers[place] != nil }
  #endif

  /// From which place on changed objects may be new.
  func firstUnscannedIndex(of tracker: _EntityTracker) -> Int {
    guard let seen = scanned[ObjectIdentifier(tracker)], seen.renumberings == tracker.originalValues.renumberings else {
      return 0
    }
    return min(seen.count, tracker.changed.count)
  }
}
