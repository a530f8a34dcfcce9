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
    var holder: (state: EntityState, row: Int64)
    /// The holder's relationship, which led to the target.
    let relation: RelationLayout
    var target: (state: EntityState, row: Int64)
    /// Whether the store related the two objects, without an edit of this context.
    var wasStored = false
  }

  /// The rows of a model on which the deletions of another's had an effect, and which deletion it was.
  private struct Note {
    let number: Int
    let cause: EntityState
    let there: EntityState
    /// The relationship that led to what was deleted; nil where the row was deleted along with it.
    let relation: RelationLayout?
    let pairs: [(row: Int64, deleted: Int64)]
    let isOfOthers: Bool
    let wasStored: Bool
  }

  private struct Property: Hashable {
    let place: RowPlace
    let property: Int
  }

  private var notes: [Note] = []
  private var byCause: [RowPlace: [(number: Int, consequence: Consequence, isPostponedOfOthers: Bool)]] = [:]
  /// Rows that were deleted along with others, and with which.
  private var followers: [RowPlace: Set<RowPlace>] = [:]
  private var count = 0
  /// Rows of which the deletion was taken back, and how many notes there were then: those are void for them.
  private var revived: [RowPlace: Int] = [:]
  /// Rows whose deletion somebody asked for.
  private var meant: Set<RowPlace> = []
  /// To-ones that were last set by somebody, and not by what a deletion did.
  private var settled: Set<Property> = []
  /// Objects that were deleted before they were ever saved, by the rows that they had.
  private var departed: [RowPlace: any PersistentModel] = [:]
  private var formerPlaces: [ObjectIdentifier: RowPlace] = [:]

  /// Whether a deletion that is not saved has been carried to other objects.
  private var isUnderWay = false

  /// Whether deletions reach what others have saved since, of which no step of an undo manager tells.
  var isOfOthers = false
  private var ofOthers: [RowPlace: [Consequence]] = [:]
  /// Rows that were first deleted because others have saved what leads to them.
  private var followersOfOthers: Set<RowPlace> = []

  // MARK: Noting

  mutating func begin() { isUnderWay = true }

  /// Notes that rows were deleted along with others.
  mutating func noteDeletion(of pairs: [(row: Int64, deleted: Int64)], of there: EntityState, by cause: EntityState) {
    note(pairs, there, nil, cause)
  }

  /// Notes that objects lost what a relationship of theirs led to.
  ///
  /// - Parameter wasStored: Whether the store related the objects, without an edit of this context.
  mutating func noteParting(
    of pairs: [(row: Int64, deleted: Int64)], of there: EntityState, _ relation: RelationLayout, by cause: EntityState,
    wasStored: Bool = false
  ) {
    note(pairs, there, relation, cause, wasStored)
  }

  private mutating func note(
    _ pairs: [(row: Int64, deleted: Int64)], _ there: EntityState, _ relation: RelationLayout?, _ cause: EntityState,
    _ wasStored: Bool = false
  ) {
    if pairs.isEmpty { return }
    count += 1
    notes.append(
      Note(
        number: count, cause: cause, there: there, relation: relation, pairs: pairs, isOfOthers: isOfOthers,
        wasStored: wasStored))
  }

  /// Notes that two objects are related again as soon as a deleted one of them is back.
  ///
  /// - Parameter isOfOthers: Whether others have related them, so that no step tells of it.
  mutating func postpone(_ reference: Reference, until place: RowPlace, isOfOthers: Bool = false) {
    isUnderWay = true
    count += 1
    byCause[place, default: []].append((count, .parted(reference), isOfOthers))
  }

  // MARK: What somebody asks for

  /// Somebody deletes a row, whatever else deletes it, too.
  mutating func insist(on place: RowPlace) {
    if isUnderWay { meant.insert(place) }
  }

  /// A to-one is set. If somebody asks for that, what it led to before is not to come back.
  mutating func settle(_ place: @autoclosure () -> RowPlace, _ property: Int, _ isAsked: Bool) {
    if isAsked {
      if isUnderWay { settled.insert(Property(place: place(), property: property)) }
    } else if !settled.isEmpty {
      settled.remove(Property(place: place(), property: property))
    }
  }

  func isSettled(_ place: RowPlace, _ property: Int) -> Bool {
    settled.contains(Property(place: place, property: property))
  }

  // MARK: Objects that were never saved

  mutating func noteDeparture(of model: any PersistentModel, from place: RowPlace) {
    departed[place] = model
    formerPlaces[ObjectIdentifier(model)] = place
  }

  /// Whether one of them has left.
  var hasDepartures: Bool { !departed.isEmpty }
  /// The object that had a row before it left.
  func departed(from place: RowPlace) -> (any PersistentModel)? { departed[place] }
  /// The row that an object had before it left.
  func formerPlace(of model: any PersistentModel) -> RowPlace? { formerPlaces[ObjectIdentifier(model)] }

  // MARK: Taking back

  /// Whether a row was deleted along with another, and for nothing else.
  mutating func hasFollowed(_ place: RowPlace) -> Bool {
    index()
    return followers[place]?.isEmpty == false && !meant.contains(place)
  }

  /// What followed from a deletion, which is forgotten.
  mutating func take(_ place: RowPlace) -> [Consequence] {
    index()
    meant.remove(place)
    followers[place] = nil
    let taken = byCause.removeValue(forKey: place) ?? []
    if isUnderWay { revived[place] = count }
    return taken.compactMap { number, consequence, _ in
      if case .deleted(let there, let row) = consequence {
        let other = RowPlace(there, row)
        followers[other]?.remove(place)
        if meant.contains(other) || revived[other].map({ number <= $0 }) == true { return nil }
      }
      return consequence
    }
  }

  /// What followed from a deletion because of what others saved since, however often the deletion was taken back; what
  /// another deletion takes along stays with that.
  mutating func followedFromOthers(_ place: RowPlace) -> [Consequence] {
    index()
    return (ofOthers[place] ?? []).filter { consequence in
      guard case .deleted(let there, let row) = consequence else { return true }
      let other = RowPlace(there, row)
      return !meant.contains(other) && followers[other, default: []].isSubset(of: [place])
    }
  }

  /// Forgets what followed from a deletion.
  ///
  /// - Returns: What others have related to the object, or given to it, and waits for its coming back.
  mutating func takePostponed(_ place: RowPlace) -> [Consequence] {
    let postponed = (byCause[place] ?? []).compactMap { _, consequence, isPostponedOfOthers -> Consequence? in
      guard case .parted(let reference) = consequence else { return nil }
      let isGiven = followersOfOthers.contains(RowPlace(reference.holder.state, reference.holder.row))
      return isPostponedOfOthers || isGiven ? consequence : nil
    }
    _ = take(place)
    return postponed
  }

  private mutating func index() {
    for note in notes {
      for pair in note.pairs {
        let cause = RowPlace(note.cause, pair.deleted)
        if let relation = note.relation {
          let consequence = Consequence.parted(
            Reference(
              holder: (note.there, pair.row), relation: relation, target: (note.cause, pair.deleted),
              wasStored: note.wasStored))
          byCause[cause, default: []].append((note.number, consequence, false))
          // Lists of pairs are read from the store.
          if note.isOfOthers, !relation.isLink { ofOthers[cause, default: []].append(consequence) }
          continue
        }
        // Whenever others have saved, deletions are carried on once more.
        let other = RowPlace(note.there, pair.row)
        if note.isOfOthers, followers[other, default: []].isEmpty { followersOfOthers.insert(other) }
        guard followers[other, default: []].insert(cause).inserted else { continue }
        let consequence = Consequence.deleted(note.there, pair.row)
        byCause[cause, default: []].append((note.number, consequence, false))
        if followersOfOthers.contains(other) { ofOthers[cause, default: []].append(consequence) }
      }
    }
    notes = []
  }

  /// Nothing is pending any more.
  ///
  /// - Returns: What there was, with objects that nobody else may hold; nil where that is nothing.
  mutating func takeAll() -> DeletionConsequences? {
    guard isUnderWay else { return nil }
    let all = self
    self = DeletionConsequences()
    return all
  }
}
