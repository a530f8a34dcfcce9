import LarderSupport

/// The rows whose pending state may have changed since the end of a step, so that the next step need not examine all pending
/// rows.
///
/// Objects that became pending since the step are at the ends of the lists of changed and inserted objects. Objects that
/// were pending before are watched, and their setters register them here. So are rows that are deleted or restored.
struct TouchedRows {
  /// Whether any row may have changed: the changed rows are not known.
  private(set) var includesAll = true
  private(set) var trackers: [RowKey: _EntityTracker] = [:]
  /// The positions up to which the lists of changed objects were scanned.
  private var scanned: [ObjectIdentifier: ScanPosition] = [:]
  /// The rows that are touched while a step is being recorded, since a value's own coding may change rows meanwhile. Includes
  /// all rows while no step is being recorded.
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

  /// Begins to collect rows for the next step, while a step is being recorded.
  mutating func beginStep(_ core: _ContextCore) {
    next = NextStep()
    for tracker in core.trackers {
      next.scanned[ObjectIdentifier(tracker)] = ScanPosition(
        count: tracker.changed.count, renumberings: tracker.originalValues.renumberings)
    }
  }

  /// Ends the recording of a step: the rows that were touched meanwhile are those of the next step.
  mutating func endStep() {
    (includesAll, trackers, scanned) = (next.includesAll, next.trackers, next.scanned)
    next = NextStep(includesAll: true)
  }

  func contains(_ place: RowKey) -> Bool { includesAll || trackers[place] != nil }

  #if DEBUG
    /// Returns whether a row may have changed while a step is being recorded, so that the next step examines it.
    func isInNextStep(_ place: RowKey) -> Bool { next.includesAll || next.trackers[place] != nil }
  #endif

  /// Returns the first index at which changed objects may be new.
  func firstUnscannedIndex(of tracker: _EntityTracker) -> Int {
    guard let seen = scanned[ObjectIdentifier(tracker)], seen.renumberings == tracker.originalValues.renumberings else {
      return 0
    }
    return min(seen.count, tracker.changed.count)
  }
}
