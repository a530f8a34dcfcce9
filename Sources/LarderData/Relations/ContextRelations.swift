/// What a context keeps for the relationships of its objects.
@usableFromInline
package struct ContextRelations {
  /// What to-manys that can be shown as they are were marked with when they were loaded: ``generation``, but for the
  /// while in which a deletion has still to be carried to the objects that are related to what was deleted.
  @usableFromInline package internal(set) var stamp: UInt32 = 1
  /// Counts the commits of others.
  package private(set) var generation: UInt32 = 1
  /// That count when what others had committed was taken over last.
  var mergedGeneration: UInt32 = 1
  package private(set) var hasUnspreadDeletions = false
  /// No list is marked with this.
  private static let neverCurrent = UInt32.max

  package var kept = KeptObjects()
  package var linkHolders = LinkHolders()
  /// Why the next save must not delete what it is about to; asked again then.
  package var objections: [Objection] = []
  /// Objects that were deleted before they were ever saved, until their deletion has been carried to related ones.
  var departing: [any PersistentModel] = []
  /// Those of them to which others must still refer, as nothing but a save can refuse that.
  var departed: [RowPlace: any PersistentModel] = [:]
  /// Rows that a to-one which must have an object lost, and still reads as.
  var lost: Set<RowPlace> = []
  var consequences = DeletionConsequences()

  /// Somebody else has committed: to-manys are loaded anew when they are next asked for.
  package mutating func othersCommitted() {
    generation &+= 1
    if generation == ContextRelations.neverCurrent { generation = 1 }
    if !hasUnspreadDeletions { stamp = generation }
  }

  /// Whether relationships were loaded as they are with what is pending: a rollback has them loaded anew.
  var isLoadedWithPending = false

  /// What observed relationships held that were loaded anew by the way, until those who observe them are told.
  var untold: [RelationPlace: (model: any PersistentModel, value: RelationValue)] = [:]

  /// Counts changes of to-manys, so that whoever has seen one can tell whether it is still as it was.
  var listChanges = 0

  /// What a type's own coding asked for while the context was at work.
  enum Request {
    case restore(any PersistentModel)
    case delete(any PersistentModel)
    case rollback
    case undo(UndoStep)
  }

  var waiting: [Request] = []
  /// Whether the ends of a relationship are being changed one after the other.
  var isChangingEnds = false
  /// Those who were told of that change before it.
  var told: ToldEnds?
  /// Whether keys are set because a deletion is taken back, and not by somebody.
  var isRecalling = false

  /// Objects of which nothing is pending any more, to be let go of once nobody is at work here; see ``HeldUntilDone``.
  struct Ended {
    fileprivate let consequences: DeletionConsequences?
    fileprivate let objections: [Objection]
    fileprivate let departing: [any PersistentModel]
    fileprivate let departed: [RowPlace: any PersistentModel]
  }

  /// Nothing is pending any more.
  mutating func changesEnded() -> Ended {
    let ended = Ended(consequences: consequences.takeAll(), objections: objections, departing: [], departed: departed)
    if !objections.isEmpty { objections.removeAll() }
    if !departed.isEmpty { departed.removeAll() }
    if !lost.isEmpty { lost.removeAll() }
    return ended
  }

  /// No deletion is carried any further.
  mutating func deletionsForgotten() -> Ended {
    let ended = Ended(consequences: nil, objections: objections, departing: departing, departed: [:])
    deletionsSpread()
    objections.removeAll()
    departing.removeAll()
    return ended
  }

  package mutating func deletionBegan() {
    hasUnspreadDeletions = true
    stamp = ContextRelations.neverCurrent
  }

  package mutating func deletionsSpread() {
    hasUnspreadDeletions = false
    stamp = generation
  }
}
