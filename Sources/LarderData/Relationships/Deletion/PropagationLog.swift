/// The consequences of deletions that are not saved, so that they can be reverted together with the deletions.
///
/// Recorded for many rows at once, and examined only where a deletion is reverted.
struct PropagationLog {
  /// An effect of a deletion.
  enum Effect {
    /// The deletion deleted another row.
    case cascaded(_EntityTracker, Int64)
    /// The deletion removed a reference between an object and the deleted one.
    case nullified(Reference)
  }

  /// A relation of an object to another.
  struct Reference {
    var source: (tracker: _EntityTracker, row: Int64)
    /// The relationship of the source that referenced the target.
    let relationship: RelationshipLayout
    var target: (tracker: _EntityTracker, row: Int64)
    /// Whether the store related the two objects, without an edit of this context.
    var wasStored = false
  }

  /// The rows of one model that were affected by deletions of rows of another, each with the deleted row.
  private struct Entry {
    let sequence: Int
    let deletedTracker: _EntityTracker
    let affectedTracker: _EntityTracker
    /// The relationship that referenced the deleted row; `nil` if the row was deleted along with it.
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
  /// Rows that were deleted along with others, with the others.
  private var causesByCascadedRow: [RowKey: Set<RowKey>] = [:]
  private var entryCount = 0
  /// Rows whose deletion was reverted, with the number of entries at that time: those entries are void for them.
  private var restoredRows: [RowKey: Int] = [:]
  /// Rows that the program deleted explicitly.
  private var explicitDeletions: Set<RowKey> = []
  /// To-ones that were last set explicitly, and not by the effect of a deletion.
  private var explicitlySetToOnes: Set<RowProperty> = []
  /// Objects that were deleted before their first save, by their former rows.
  private var discardedInserts: [RowKey: any PersistentModel] = [:]
  private var previousRowKeys: [ObjectIdentifier: RowKey] = [:]

  /// Whether a deletion that is not saved has been propagated to other objects.
  private var hasPropagated = false

  /// Whether deletions are propagated to rows that other contexts saved since, which no step of an undo manager records.
  var recordsRemoteEffects = false
  private var remoteEffectsByCause: [RowKey: [Effect]] = [:]
  /// Rows that were first deleted because other contexts saved the relation by which a deletion reaches them.
  private var remotelyCascadedRows: Set<RowKey> = []

  // MARK: Recording

  mutating func markPropagated() { hasPropagated = true }

  /// Records that rows were deleted along with others.
  mutating func recordCascade(
    of pairs: [(row: Int64, deleted: Int64)], of there: _EntityTracker, by cause: _EntityTracker
  ) {
    appendEntry(pairs, there, nil, cause)
  }

  /// Records that objects lost the target of one of their relationships.
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

  /// Records that two objects are to be related again once a deleted one of them is restored.
  ///
  /// - Parameter isOfOthers: Whether other contexts related them, so that no step records it.
  mutating func postpone(_ reference: Reference, until place: RowKey, isRemote isOfOthers: Bool = false) {
    hasPropagated = true
    entryCount += 1
    effectsByCause[place, default: []].append((entryCount, .nullified(reference), isOfOthers))
  }

  // MARK: Explicit changes

  /// Records that the program deletes a row explicitly, whichever other deletion deletes it, too.
  mutating func recordExplicitDeletion(of place: RowKey) {
    if hasPropagated { explicitDeletions.insert(place) }
  }

  /// Records the assignment of a to-one. If it is explicit, the former target is not to be restored.
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

  // MARK: Discarded inserts

  mutating func recordDiscardedInsert(of model: any PersistentModel, from place: RowKey) {
    discardedInserts[place] = model
    previousRowKeys[ObjectIdentifier(model)] = place
  }

  /// Whether any insert was discarded.
  var hasDiscardedInserts: Bool { !discardedInserts.isEmpty }
  /// Returns the discarded insert that had a row.
  func discardedInsert(from place: RowKey) -> (any PersistentModel)? { discardedInserts[place] }
  /// Returns the row that a discarded insert had.
  func previousRowKey(of model: any PersistentModel) -> RowKey? { previousRowKeys[ObjectIdentifier(model)] }

  // MARK: Reverting

  /// Returns whether a row was deleted along with another, and for no other reason.
  mutating func isOnlyCascaded(_ place: RowKey) -> Bool {
    indexEntries()
    return causesByCascadedRow[place]?.isEmpty == false && !explicitDeletions.contains(place)
  }

  /// Removes and returns the consequences of a deletion.
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

  /// Returns the consequences of a deletion that other contexts' saves have caused since, however often the deletion was
  /// reverted. Rows that another deletion deletes, too, stay with that deletion.
  mutating func remoteEffects(of place: RowKey) -> [Effect] {
    indexEntries()
    return (remoteEffectsByCause[place] ?? []).filter { consequence in
      guard case .cascaded(let there, let row) = consequence else { return true }
      let other = RowKey(there, row)
      return !explicitDeletions.contains(other) && causesByCascadedRow[other, default: []].isSubset(of: [place])
    }
  }

  /// Removes the consequences of a deletion.
  ///
  /// - Returns: The references that other contexts added to the object, and which wait until it is restored.
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
          // Join-table lists are read from the store.
          if note.isRemote, !relationship.usesJoinTable { remoteEffectsByCause[cause, default: []].append(consequence) }
          continue
        }
        // Deletions are propagated again whenever other contexts have saved.
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

  /// Empties the log, since nothing is pending any more.
  ///
  /// - Returns: The former log, which may have the last references to objects; `nil` if it was empty.
  mutating func removeAll() -> PropagationLog? {
    guard hasPropagated else { return nil }
    let all = self
    self = PropagationLog()
    return all
  }
}
