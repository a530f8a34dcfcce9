/// Where the kills of a run fell.
struct KillCounts: Sendable {
  var kills = 0
  /// Between BEGIN and COMMIT of a save.
  var inside = 0
  /// While COMMIT ran.
  var committing = 0
  /// Before the first save: while the process started and opened the store.
  var opening = 0
  /// In rounds in which two processes wrote.
  var together = 0
  /// The save that was under way is there, whole, though it had not returned.
  var wholeUnreturned = 0
  /// Saves that had returned.
  var saves = 0
  var problems: [String] = []

  mutating func add(_ other: KillCounts) {
    kills += other.kills
    inside += other.inside
    committing += other.committing
    opening += other.opening
    together += other.together
    wholeUnreturned += other.wholeUnreturned
    saves += other.saves
    problems += other.problems
  }
}

extension KillCounts: CustomStringConvertible {
  var description: String {
    "\(kills) kills: \(inside) between BEGIN and COMMIT, \(committing) in COMMIT, \(opening) while opening, "
      + "\(together) beside another writer; \(saves) saves had returned, \(wholeUnreturned) more were whole"
  }
}
