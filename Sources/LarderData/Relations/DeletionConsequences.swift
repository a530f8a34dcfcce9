/// What followed from deletions that are not saved yet, so that it can be taken back with them.
///
/// Noted for many rows at once, and looked at only where a deletion is taken back.
struct DeletionConsequences {
  /// What a deletion did.
  enum Consequence {
    /// It deleted another row.
    case deleted(EntityState, Int64)
    /// It parted an object from one that is deleted.
    case parted(Reference)
  }

  /// An object that was related to another.
  struct Reference {
    let holder: (state: EntityState, row: Int64)
    /// The holder's relationship, which led to the target.
    let relation: RelationLayout
    let target: (state: EntityState, row: Int64)
  }

  /// The rows of a model on which the deletions of another's had an effect, and which deletion it was.
  private struct Note {
    let cause: EntityState
    let there: EntityState
    /// The relationship that led to what was deleted; nil where the row was deleted along with it.
    let relation: RelationLayout?
    let pairs: [(row: Int64, deleted: Int64)]
  }

  private var notes: [Note] = []
  private var byCause: [RowPlace: [Consequence]] = [:]
  /// Rows whose deletion somebody asked for after it had followed from another.
  private var meant: Set<RowPlace> = []
  /// Objects that were deleted before they were ever saved, and to which others that are deleted may still lead.
  private var departed: Set<RowPlace> = []

  /// Notes that rows were deleted along with others.
  mutating func noteDeletion(of pairs: [(row: Int64, deleted: Int64)], of there: EntityState, by cause: EntityState) {
    if !pairs.isEmpty { notes.append(Note(cause: cause, there: there, relation: nil, pairs: pairs)) }
  }

  /// Notes that objects lost what a relationship of theirs led to.
  mutating func noteParting(
    of pairs: [(row: Int64, deleted: Int64)], of there: EntityState, _ relation: RelationLayout, by cause: EntityState
  ) {
    if !pairs.isEmpty { notes.append(Note(cause: cause, there: there, relation: relation, pairs: pairs)) }
  }

  /// Notes that two objects are related again as soon as a deleted one of them is back.
  mutating func postpone(_ reference: Reference, until place: RowPlace) {
    byCause[place, default: []].append(.parted(reference))
  }

  mutating func insist(on place: RowPlace) { meant.insert(place) }
  func isMeant(_ place: RowPlace) -> Bool { meant.contains(place) }

  mutating func noteDeparture(of place: RowPlace) { departed.insert(place) }
  func hasDeparted(_ place: RowPlace) -> Bool { departed.contains(place) }

  /// What followed from a deletion, which is forgotten.
  mutating func take(_ place: RowPlace) -> [Consequence] {
    for note in notes {
      for pair in note.pairs {
        let consequence: Consequence =
          if let relation = note.relation {
            .parted(Reference(holder: (note.there, pair.row), relation: relation, target: (note.cause, pair.deleted)))
          } else {
            .deleted(note.there, pair.row)
          }
        byCause[RowPlace(note.cause, pair.deleted), default: []].append(consequence)
      }
    }
    notes = []
    meant.remove(place)
    return byCause.removeValue(forKey: place) ?? []
  }

  /// Nothing is pending any more.
  mutating func removeAll() {
    if notes.isEmpty, byCause.isEmpty, meant.isEmpty, departed.isEmpty { return }
    self = DeletionConsequences()
  }
}
