/// What a context keeps for the relationships of its objects; plain values are in ``RelationMarks``.
package struct ContextRelations {
  package var kept = KeptObjects()
  package var linkHolders = LinkHolders()
  /// How many lists were loaded so far.
  package var filledLists = 0
  /// The number of pending objects whose references to deleted rows were looked at, for tests.
  package var askedObjects = 0
  /// The unsaved references to deleted rows, while deletions are carried from level to level; nil otherwise.
  var unsaved: UnsavedReferences?
  /// Why the next save must not delete what it is about to; asked again then.
  package var objections: [Objection] = []
  /// Objects that were deleted before they were ever saved, until their deletion has been carried to related ones.
  var departing: [any PersistentModel] = []
  /// Those of them, and of those that others have deleted, to which an object must still refer: nothing but a save can refuse that.
  var departed: [RowPlace: any PersistentModel] = [:]
  /// Rows that a to-one which must have an object lost, and still reads as.
  var lost: Set<RowPlace> = []
  var consequences = DeletionConsequences()
  /// What to-ones that are not optional were led to, and of which nothing else is pending: others may delete it.
  var needed: [RowPlace: any PersistentModel] = [:]
  /// To-ones that were led to what others have deleted, until they are set anew.
  var lostLeads: [RelationPlace: LostLead] = [:]

  /// What observed relationships held that were loaded anew by the way, until those who observe them are told.
  var untold: [RelationPlace: (model: any PersistentModel, value: RelationValue)] = [:]

  /// What a type's own coding asked for while the context was at work.
  enum Request {
    case restore(any PersistentModel)
    case delete(any PersistentModel)
    case rollback
    /// A feature's own.
    case work((ContextCore) -> Void)
  }

  var waiting: [Request] = []
  /// Those who were told before the ends of a relationship are changed one after the other.
  var told: ToldEnds?
  /// How members leave the lists that they are taken out of.
  package let leaving = _ListLeaving()
  /// The lists of objects that leave the context together just now.
  var leavingLists: LeavingLists?

  /// Objects of which nothing is pending any more, to be let go of once nobody is at work here; see ``HeldUntilDone``.
  struct Ended {
    fileprivate let consequences: DeletionConsequences?
    fileprivate let objections: [Objection]
    fileprivate let departing: [any PersistentModel]
    fileprivate let departed: [RowPlace: any PersistentModel]
    fileprivate let needed: [RowPlace: any PersistentModel]
  }

  /// Nothing is pending any more.
  mutating func changesEnded() -> Ended {
    let ended = Ended(
      consequences: consequences.takeAll(), objections: objections, departing: [], departed: departed, needed: needed)
    if !objections.isEmpty { objections.removeAll() }
    if !departed.isEmpty { departed.removeAll() }
    if !needed.isEmpty { needed.removeAll() }
    if !lost.isEmpty { lost.removeAll() }
    leaving.forgetSearches()
    return ended
  }

  /// No deletion is carried any further.
  mutating func deletionsForgotten() -> Ended {
    let ended = Ended(consequences: nil, objections: objections, departing: departing, departed: [:], needed: [:])
    objections.removeAll()
    departing.removeAll()
    return ended
  }
}
