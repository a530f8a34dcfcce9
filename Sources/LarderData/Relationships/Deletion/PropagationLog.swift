/// What followed from deletions that are not saved yet, so that it can be taken back with them.
///
/// Noted for many rows at once, and looked at only where a deletion is taken back.
struct PropagationLog {
  /// What a deletion did.
  enum Effect {
    /// It deleted another row.
    case cascaded(_EntityTracker, Int64)
    /// It parted an object from one that is deleted.
    case nullified(Reference)
  }

  /// An object that was related to another.
  struct Reference {
    var source: (tracker: _EntityTracker, row: Int64)
    /// The holder's relationship, which led to the target.
    let relationship: RelationshipLayout
    var target: (tracker: _EntityTracker, row: Int64)
    /// Whether the store related the two objects, without an edit of this context.
    var wasStored = false
  }

  /// The rows of a model on which the deletions of another's had an effect, and which deletion it was.
  private struct Entry {
    let sequence: Int
    let deletedTracker: _EntityTracker
    let affectedTracker: _EntityTracker
    /// The relationship that led to what was deleted; nil where the row was deleted along with it.
    let relationship: RelationshipLayout?
    let pairs: [(row: Int64, deleted: Int64)]
    let isRemote: Bool
    let wasStored: Bool
  }

  private struct RowProperty: Hashable {
    let rowKey: RowKey
    let property: Int
  }

  private var entries: [Entry] = []
  private var effectsByCause: [RowKey: [(number: Int, consequence: Effect, isPostponedOfOthers: Bool)]] = [:]
  /// Rows that were deleted along with others, and with which.
  private var causesByCascadedRow: [RowKey: Set<RowKey>] = [:]
  private var entryCount = 0
  /// Rows of which the deletion was taken back, and how many notes there were then: those are void for them.
  private var restoredRows: [RowKey: Int] = [:]
  /// Rows whose deletion somebody asked for.
  private var explicitDeletions: Set<RowKey> = []
  /// To-ones that were last set by somebody, and not by what a deletion did.
  private var explicitlySetToOnes: Set<RowProperty> = []
  /// Objects that were deleted before they were ever saved, by the rows that they had.
  private var discardedInserts: [RowKey: any PersistentModel] = [:]
  private var previousRowKeys: [ObjectIdentifier: RowKey] = [:]

  /// Whether a deletion that is not saved has been carried to other objects.
  private var hasPropagated = false

  /// Whether deletions reach what others have saved since, of which no step of an undo manager tells.
  var recordsRemoteEffects = false
  private var remoteEffectsByCause: [RowKey: [Effect]] = [:]
  /// Rows that were first deleted because others have saved what leads to them.
  private var remotelyCascadedRows: Set<RowKey> = []

  // MARK: Noting

  mutating func markPropagated() { hasPropagated = true }

  /// Notes that rows were deleted along with others.
  mutating func recordCascade(
    of pairs: [(row: Int64, deleted: Int64)], of there: _EntityTracker, by cause: _EntityTracker
  ) {
    appendEntry(pairs, there, nil, cause)
  }

  /// Notes that objects lost what a relationship of theirs led to.
  ///
  /// - Parameter wasStored: Whether the store related the objects, without an edit of this context.
  mutating func recordNullification(
    of pairs: [(row: Int64, deleted: Int64)], of there: _EntityTracker, _ relationship: RelationshipLayout,
    by cause: _EntityTracker,
    wasStored: Bool = false
  ) {
    appendEntry(pairs, there, relationship, cause, wasStored)
  }

  private mutating func appendEntry(
    _ pairs: [(row: Int64, deleted: Int64)], _ there: _EntityTracker, _ relationship: RelationshipLayout?,
    _ cause: _EntityTracker,
    _ wasStored: Bool = false
  ) {
    if pairs.isEmpty { return }
    entryCount += 1
    entries.append(
      Entry(
        sequence: entryCount, deletedTracker: cause, affectedTracker: there, relationship: relationship, pairs: pairs,
        isRemote: recordsRemoteEffects,
        wasStored: wasStored))
  }

  /// Notes that two objects are related again as soon as a deleted one of them is back.
  ///
  /// - Parameter isOfOthers: Whether others have related them, so that no step tells of it.
  mutating func postpone(_ reference: Reference, until place: RowKey, isRemote isOfOthers: Bool = false) {
    hasPropagated = true
    entryCount += 1
    effectsByCause[place, default: []].append((entryCount, .nullified(reference), isOfOthers))
  }

  // MARK: What somebody asks for

  /// Somebody deletes a row, whatever else deletes it, too.
  mutating func recordExplicitDeletion(of place: RowKey) {
    if hasPropagated { explicitDeletions.insert(place) }
  }

  /// A to-one is set. If somebody asks for that, what it led to before is not to come back.
  mutating func recordAssignment(_ place: @autoclosure () -> RowKey, _ property: Int, _ isAsked: Bool) {
    if isAsked {
      if hasPropagated { explicitlySetToOnes.insert(RowProperty(rowKey: place(), property: property)) }
    } else if !explicitlySetToOnes.isEmpty {
      explicitlySetToOnes.remove(RowProperty(rowKey: place(), property: property))
    }
  }

  func isExplicitlySet(_ place: RowKey, _ property: Int) -> Bool {
    explicitlySetToOnes.contains(RowProperty(rowKey: place, property: property))
  }

  // MARK: Objects that were never saved

  mutating func recordDiscardedInsert(of model: any PersistentModel, from place: RowKey) {
    discardedInserts[place] = model
    previousRowKeys[ObjectIdentifier(model)] = place
  }

  /// Whether one of them has left.
  var hasDiscardedInserts: Bool { !discardedInserts.isEmpty }
  /// The object that had a row before it left.
  func discardedInsert(from place: RowKey) -> (any PersistentModel)? { discardedInserts[place] }
  /// The row that an object had before it left.
  func previousRowKey(of model: any PersistentModel) -> RowKey? { previousRowKeys[ObjectIdentifier(model)] }

  // MARK: Taking back

  /// Whether a row was deleted along with another, and for nothing else.
  mutating func isOnlyCascaded(_ place: RowKey) -> Bool {
    indexEntries()
    return causesByCascadedRow[place]?.isEmpty == false && !explicitDeletions.contains(place)
  }

  /// What followed from a deletion, which is forgotten.
  mutating func removeEffects(of place: RowKey) -> [Effect] {
    indexEntries()
    explicitDeletions.remove(place)
    causesByCascadedRow[place] = nil
    let taken = effectsByCause.removeValue(forKey: place) ?? []
    if hasPropagated { restoredRows[place] = entryCount }
    return taken.compactMap { number, consequence, _ in
      if case .cascaded(let there, let row) = consequence {
        let other = RowKey(there, row)
        causesByCascadedRow[other]?.remove(place)
        if explicitDeletions.contains(other) || restoredRows[other].map({ number <= $0 }) == true { return nil }
      }
      return consequence
    }
  }

  /// What followed from a deletion because of what others saved since, however often the deletion was taken back; what
  /// another deletion takes along stays with that.
  mutating func remoteEffects(of place: RowKey) -> [Effect] {
    indexEntries()
    return (remoteEffectsByCause[place] ?? []).filter { consequence in
      guard case .cascaded(let there, let row) = consequence else { return true }
      let other = RowKey(there, row)
      return !explicitDeletions.contains(other) && causesByCascadedRow[other, default: []].isSubset(of: [place])
    }
  }

  /// Forgets what followed from a deletion.
  ///
  /// - Returns: What others have related to the object, or given to it, and waits for its coming back.
  mutating func removePostponed(for place: RowKey) -> [Effect] {
    let postponed = (effectsByCause[place] ?? []).compactMap { _, consequence, isPostponedOfOthers -> Effect? in
      guard case .nullified(let reference) = consequence else { return nil }
      let isGiven = remotelyCascadedRows.contains(RowKey(reference.source.tracker, reference.source.row))
      return isPostponedOfOthers || isGiven ? consequence : nil
    }
    _ = removeEffects(of: place)
    return postponed
  }

  private mutating func indexEntries() {
    for note in entries {
      for pair in note.pairs {
        let cause = RowKey(note.deletedTracker, pair.deleted)
        if let relationship = note.relationship {
          let consequence = Effect.nullified(
            Reference(
              source: (note.affectedTracker, pair.row), relationship: relationship,
              target: (note.deletedTracker, pair.deleted),
              wasStored: note.wasStored))
          effectsByCause[cause, default: []].append((note.sequence, consequence, false))
          // Lists of pairs are read from the store.
          if note.isRemote, !relationship.usesJoinTable { remoteEffectsByCause[cause, default: []].append(consequence) }
          continue
        }
        // Whenever others have saved, deletions are carried on once more.
        let other = RowKey(note.affectedTracker, pair.row)
        if note.isRemote, causesByCascadedRow[other, default: []].isEmpty { remotelyCascadedRows.insert(other) }
        guard causesByCascadedRow[other, default: []].insert(cause).inserted else { continue }
        let consequence = Effect.cascaded(note.affectedTracker, pair.row)
        effectsByCause[cause, default: []].append((note.sequence, consequence, false))
        if remotelyCascadedRows.contains(other) { remoteEffectsByCause[cause, default: []].append(consequence) }
      }
    }
    entries = []
  }

  /// Nothing is pending any more.
  ///
  /// - Returns: What there was, with objects that nobody else may hold; nil where that is nothing.
  mutating func removeAll() -> PropagationLog? {
    guard hasPropagated else { return nil }
    let all = self
    self = PropagationLog()
    return all
  }
}
