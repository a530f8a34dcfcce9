import LarderSQLite
import LarderSupport

// Taking over what others saved: objects in hand get the values that their rows have by now.

extension ContextCore {
  /// Takes over what waits; a look at a flag where nothing does.
  package func catchUp() {
    // Not in the midst of a save, or of other work: what that has read is to stay as it is.
    guard hasOthersChanges, !isSaving, !isQuiet, !worksForAStore else {
      if relationMarks.generation != relationMarks.mergedGeneration { _ = mayBeAhead() }
      return
    }
    mergeOthers()
    // Edits that have ended by it: what was left behind for their sake is brought in step at once.
    if looksAtLeftBehind { mergeOthers() }
  }

  /// Whether what waits is taken over before a relationship is changed: what is known of both ends is to be of one commit, and
  /// a change of a to-many is applied to the list as it is by then.
  @inline(__always)
  func isToCatchUp(before owner: any PersistentModel, _ relation: RelationLayout) -> Bool {
    guard hasOthersChanges else { return false }
    // Setting a one-to-one reads the row of the former partner, with a move that another context has saved; the merge would not
    // find that move any more.
    return relation.isToMany || relation.mirrored?.isToMany == false
      || relationMarks.generation != relationMarks.mergedGeneration
  }

  /// Takes over what waits before a relationship is changed.
  ///
  /// - Parameter others: What it is to lead to.
  /// - Returns: What is gone by it; nil where nothing was taken over.
  /// - Throws: ``SaveError``, where others have deleted what a to-one is to lead to, unless the merge policy lets the stored
  ///   value win; or the object whose relationship it is, where the merge policy is ``MergePolicy/error``.
  @inline(__always)
  func catchUp(
    before owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout,
    to others: @autoclosure () -> [any PersistentModel]
  ) throws -> GoneEnds? {
    if !isToCatchUp(before: owner, relation) || isSpreading { return nil }
    return try takeOver(before: owner, state, relation, others())
  }

  /// What is gone of a relationship that is about to be changed.
  struct GoneEnds {
    /// Whether the object whose relationship it is has gone: the change goes with it.
    var hasOwnerGone = false
    /// Those that it was to lead to.
    var others: [any PersistentModel] = []
  }

  @inline(never)
  private func takeOver(
    before owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout,
    _ others: [any PersistentModel]
  ) throws -> GoneEnds {
    let own = state.own(owner)
    let present = others.filter(isHere)
    let (wasHere, row) = (isHere(owner), owner._$header.pointee.rowID)
    let seen = SeenVersions([owner] + others, in: self)
    catchUp()
    seen.restore()
    // What others have led to an object that is deleted here may be deleted with it, and leaves by itself, too.
    try spreadDeletions()
    var gone = GoneEnds(others: present.filter { !isHere($0) })
    if wasHere, !isHere(owner) {
      gone.hasOwnerGone = true
      if mergePolicy == .error { throw own.vanished(row) }
      noteVanished(own, row)
      return gone
    }
    // What others have deleted leaves a list by itself. What is deleted here follows the delete rule of the relationship.
    guard !relation.isToMany, mergePolicy != .mergeByPropertyStoreTrump, let other = gone.others.first,
      hasVanished(other)
    else {
      return gone
    }
    let there = try self.state(for: type(of: other)._$layout)
    let otherRow = other._$header.pointee.rowID
    throw SaveError(
      .vanishedReference, entityName: own.layout.entityName, properties: [relation.name],
      identifiers: [own.savedIdentifier(row), there.savedIdentifier(otherRow)],
      "\(own.layout.entityName) \(row) would refer by \(relation.name) to \(there.layout.entityName) \(otherRow), which "
        + "was deleted elsewhere. Roll back. Nothing was written.")
  }

  /// Whether an object is in this context, and is to stay.
  func isHere(_ model: any PersistentModel) -> Bool {
    model._$header.pointee.state?.core === self && !model._$header.pointee.status.contains(.deleted)
  }

  /// Looks for what other processes have committed to the stores.
  @inline(__always)
  func lookForOthers() throws {
    if isSaving || worksForAStore { return }
    for session in sessions { try session.lookForOthers() }
  }

  /// The same, whatever the context has read a moment ago.
  func lookForOthersNow() throws {
    if worksForAStore { return }
    for session in sessions { try session.lookForOthersNow() }
  }

  var hasOthersChanges: Bool { looksAtLeftBehind || inbox.hasMail }

  /// Whether rows and lists in memory may be of commits that the context has not taken over: a commit can be read before its
  /// context has delivered it, and what has been delivered waits. Where there is none of the two, notes that all is taken over;
  /// of a save of what was stored already, nothing is delivered.
  func mayBeAhead() -> Bool {
    if mayReadAhead || looksAtLeftBehind || isMerging { return true }
    relationMarks.merged(relationMarks.generation)
    return false
  }

  /// Whether a read may see a commit of others that does not wait to be taken over yet, or that came to wait just now.
  private var mayReadAhead: Bool {
    // In this order: what is not under way any more has been delivered.
    sessions.contains { $0.store.observers.isCommitUnderWay } || inbox.hasMail
  }

  /// Edits have been saved, or rolled back, or another policy applies to them: objects that were left behind for their sake
  /// are brought in step.
  func editsEnded() { looksAtLeftBehind = known.contains { !$0.leftBehind.isEmpty } }

  /// Never throws: what cannot be read now is read with the next fetch, which can.
  @inline(never)
  func mergeOthers() {
    quietly { mergeQuietly() }
    if !isQuiet { for one in participants { one.didMerge() } }
  }

  private func mergeQuietly() {
    let told = participants
    for one in told { one.mergeBegins() }
    defer { for one in told.reversed() { one.mergeEnded() } }
    defer { touchAll() }
    let mail = inbox.take()
    let leftBehind = takeLeftBehind()
    do {
      try merge(mail, leftBehind)
      mergeBackoff.succeed()
    } catch {
      Log.warning("What others saved could not be read, and is read with the next fetch. \(error)")
      inbox.putBack(mail)
      for (state, rows) in leftBehind.values { state.leftBehind.formUnion(rows) }
      editsEnded()
      mergeAgain()
    }
  }

  /// Nobody may fetch or save any more: where the context is reached by itself it tries again after a while.
  private func mergeAgain() {
    guard let turns, let seconds = mergeBackoff.fail() else { return }
    turns.run(after: seconds) { [tether] in
      guard let core = tether.object else { return }
      core.mergeBackoff.begin()
      core.catchUp()
    }
  }

  private func merge(_ mail: ContextInbox.Mail, _ leftBehind: RowsByState) throws {
    if instances == 0 {
      // Nothing in memory is of a commit at all.
      for session in sessions { session.noteCommits() }
      relationMarks.merged(relationMarks.generation)
      return
    }
    let wasMerging = activity.set(.merging, true)
    defer { _ = activity.set(.merging, wasMerging) }
    try spreadDeletions()
    // From here on lists are loaded anew, and rows are as they are by now.
    for session in sessions { try session.read { _ in } }
    relationMarks.mergeReads()
    // What has been committed since the mail was taken may have been read, and waits.
    let (generation, isWhole) = (relationMarks.generation, !mayReadAhead)
    #if DEBUG
      let commits = _commitsOfAll
      relationMarks.hasReadAhead = false
    #endif
    let changed = changedRows(mail, leftBehind)
    noteOthersChanges(mail)
    defer { forgetOthersChanges() }
    var vanishing = VanishingObjects(self)
    for (state, rows) in changed { try state.takeOver(rows, &vanishing) }
    try vanishing.leave()
    for state in known { state.dropUnchanged() }
    if !hasChanges { changesEnded() }
    let models = Set(changed.map { ObjectIdentifier($0.state) })
    let isChanged: (EntityState) -> Bool = { mail.isOverfull || models.contains(ObjectIdentifier($0)) }
    // Others may have related rows to those that are deleted here.
    if known.contains(where: { !$0.deletedRows.isEmpty && $0.isRelated }) { try spreadDeletionsAgain() }
    try mergeEditedRelations(isChanged)
    try tellObserversOfRelations(isChanged)
    relationMarks.merged(generation, isWhole: isWhole)
    #if DEBUG
      // After another commit meanwhile, rows and lists may be of different ones.
      _ = activity.set(.merging, false)
      if commits == _commitsOfAll { OperationInvariants.check(self, changed.flatMap { $0.state._instances($0.rows) }) }
      _checkInvariants()
    #endif
  }

  /// The rows in question, by the state that has their instances.
  private func changedRows(
    _ mail: ContextInbox.Mail, _ leftBehind: RowsByState
  ) -> [(state: EntityState, rows: [Int64])] {
    if mail.isOverfull { return known.filter { $0.topmost == nil }.map { ($0, $0.instanceRows) } }
    var changed = leftBehind
    for entity in mail.changes.lazy.flatMap(\.entities) {
      guard let state = existingState(for: entity.layout.root) else { continue }
      // A row that was inserted may have been another object's before.
      let rows = entity.updated.map(\.row) + entity.deleted + entity.inserted
      changed[ObjectIdentifier(state), default: (state, [])].rows += rows
    }
    return changed.values.inOrder { $0.state.layout.id < $1.state.layout.id }
  }
}

extension ContextCore {
  fileprivate typealias RowsByState = [ObjectIdentifier: (state: EntityState, rows: [Int64])]

  /// The objects that may be brought in step by now; they do not count as left behind any more.
  private func takeLeftBehind() -> RowsByState {
    guard looksAtLeftBehind else { return [:] }
    looksAtLeftBehind = false
    var rows: RowsByState = [:]
    for state in known where !state.leftBehind.isEmpty {
      rows[ObjectIdentifier(state)] = (state, Array(state.leftBehind))
      state.leftBehind = []
      state.leftBehindGone = []
    }
    return rows
  }
}

extension EntityState {
  /// Notes that an object has not the values of its row, to have it look again when it is not edited any more.
  func leaveBehind(_ row: Int64) { root.leftBehind.insert(row) }

  /// How many rows are read by one statement.
  private static let batch = 1_024

  /// Gives the instances of rows, as far as there are some, the values that the rows have by now.
  fileprivate func takeOver(_ rows: [Int64], _ vanishing: inout VanishingObjects) throws {
    let present = Set(rows.filter(hasInstance)).inOrder()
    for start in stride(from: 0, to: present.count, by: EntityState.batch) {
      let batch = present[start..<min(start + EntityState.batch, present.count)]
      let found = try refresh(Array(batch))
      // Others may have brought some back.
      if !root.leftBehindGone.isEmpty { root.leftBehindGone.subtract(found) }
      for row in batch where !found.contains(row) {
        if let object = find(row) { vanishing.add(erased(object)) }
      }
    }
  }

  /// - Returns: Those of the rows that are there.
  private func refresh(_ rows: [Int64]) throws -> Set<Int64> {
    do {
      return Set(try core.refresh(rows, self).map { $0._$header.pointee.rowID })
    } catch let error as FetchError {
      // An object whose row cannot be read stays as it is; the others do not suffer for it.
      guard rows.count > 1 else {
        Log.warning("What others saved cannot be read. \(error)")
        return Set(rows)
      }
      let half = rows.count / 2
      return try refresh(Array(rows[..<half])).union(refresh(Array(rows[half...])))
    }
  }
}
