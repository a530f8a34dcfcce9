import LarderSupport

/// The rows of which something pending may have become another since the end of a step, so that the next one need not look at
/// all that is pending.
///
/// What is pending since the step stands at the ends of the lists of changed and inserted objects. What was pending before is
/// watched, and named here by its setters, as is what is deleted or comes back.
struct TouchedRows {
  /// Whether anything may have changed: it is not known what has.
  private(set) var areAll = true
  private(set) var states: [RowPlace: EntityState] = [:]
  /// How far the lists of changed objects were looked through.
  private var seen: [ObjectIdentifier: Seen] = [:]
  /// The same since a step is being found out: a value's own coding may change something meanwhile. All, where none is.
  private var later = Later(areAll: true)

  private struct Seen {
    let count: Int
    let clearings: Int
  }

  private struct Later {
    var areAll = false
    var states: [RowPlace: EntityState] = [:]
    var seen: [ObjectIdentifier: Seen] = [:]
  }

  mutating func touch(_ row: Int64, _ state: EntityState) {
    let place = RowPlace(state, row)
    if !areAll { states[place] = state }
    if !later.areAll { later.states[place] = state }
  }

  mutating func touchAll() {
    areAll = true
    later.areAll = true
    states = [:]
    later.states = [:]
  }

  /// A step is being found out.
  mutating func begin(_ core: ContextCore) {
    later = Later()
    for state in core.known {
      later.seen[ObjectIdentifier(state)] = Seen(count: state.changed.count, clearings: state.undo.clearings)
    }
  }

  /// It has ended.
  mutating func end() {
    (areAll, states, seen) = (later.areAll, later.states, later.seen)
    later = Later(areAll: true)
  }

  func contains(_ place: RowPlace) -> Bool { areAll || states[place] != nil }

  #if DEBUG
    /// Whether a row may have become another while a step is being found out: the next one looks at it.
    func hasLater(_ place: RowPlace) -> Bool { later.areAll || later.states[place] != nil }
  #endif

  /// From which place on changed objects may be new.
  func first(of state: EntityState) -> Int {
    guard let seen = seen[ObjectIdentifier(state)], seen.clearings == state.undo.clearings else { return 0 }
    return min(seen.count, state.changed.count)
  }
}
