import LarderSQLite
import LarderSupport

// What a deletion does to related objects: their rows are found, and their objects brought in step, before anything
// is next read of them, so that a thousand deletions cost a statement for each relationship and not one each.

extension ContextCore {
  /// Carries deletions to what is related to what was deleted, by the rules of its relationships.
  @inline(__always)
  package func spreadDeletions() throws {
    if relationMarks.hasUnspreadDeletions { try spreadAll() }
  }

  @inline(never)
  private func spreadAll() throws {
    // Asked for again by what it does itself, and by what a type's own coding reads meanwhile.
    guard !isSpreading else { return }
    try quietly { try during(.propagatingDeletions) { try spreadQuietly() } }
  }

  private func spreadQuietly() throws {
    #if DEBUG
      var touched: [any PersistentModel] = []
    #endif
    let unsaved = UnsavedReferences()
    relations.unsaved = unsaved
    defer { relations.unsaved = nil }
    while let state = known.first(where: { !$0.unspread.isEmpty }) {
      let rows = state.unspread
      do {
        state.unspread = []
        relations.consequences.begin()
        try Spreading(core: self, unsaved: unsaved, state: state, rows: rows).run()
        #if DEBUG
          touched += state._instances(rows)
        #endif
      } catch {
        state.unspread = rows + state.unspread
        throw error
      }
    }
    // Objects that leave must end with the last reference to them that the program has.
    relations.unsaved = nil
    dischargeDeparting()
    relationMarks.deletionsSpread()
    #if DEBUG
      OperationInvariants.check(self, touched)
    #endif
  }

  /// What a type's own coding asked for in the midst of work: half of a deletion cannot be taken back.
  func carryOutRequests() {
    let waiting = relations.waiting
    if waiting.isEmpty { return }
    relations.waiting = []
    for request in waiting {
      switch request {
      case .restore(let model): restore(model)
      case .delete(let model): delete(model)
      case .rollback: rollback()
      case .work(let body): body(self)
      }
    }
  }

  /// Lets objects go that were deleted before they were ever saved, if there are any.
  func discharge() {
    if relations.departing.isEmpty { return }
    do {
      try spreadDeletions()
    } catch {
      if faultError == nil { faultError = error }
    }
  }

  private func dischargeDeparting() {
    let departing = relations.departing
    guard !departing.isEmpty else { return }
    relations.departing = []
    let opposed = relations.lost.union(relations.objections.map { RowPlace($0.deleted.state, $0.deleted.row) })
    var leaving: [(model: any PersistentModel, state: EntityState)] = []
    for model in departing {
      let header = model._$header
      // It may have been inserted again.
      guard let state = header.pointee.state, header.pointee.status.isSuperset(of: [.inserted, .deleted]) else {
        continue
      }
      let place = RowPlace(state, header.pointee.rowID)
      if opposed.contains(place) { relations.departed[place] = model }
      relations.consequences.noteDeparture(of: model, from: place)
      leaving.append((model, state))
    }
    detachingTogether { for (model, state) in leaving { state.detach(model, doUnsavedLeave: false) } }
    LeavingCircles.cut(among: leaving)
    let gone = Set(leaving.map { ObjectIdentifier($0.model) })
    if leaving.count == 1, let (model, state) = leaving.first {
      state.inserted.removeInstance(model)
      state.pending.removeAll()
    } else {
      for state in known where state.inserted.contains(where: { gone.contains(ObjectIdentifier($0)) }) {
        state.inserted.removeAll { gone.contains(ObjectIdentifier($0)) }
        state.pending.removeAll()
      }
    }
    for (model, state) in leaving { state.release(model._$header, status: []) }
    if !hasChanges { changesEnded() }
  }
}

extension Array where Element == AnyObject {
  /// Takes one object out.
  mutating func removeInstance(_ object: AnyObject) { if let place = place({ $0 === object }) { remove(at: place) } }
}

extension Array where Element == any PersistentModel {
  /// Takes one model out.
  mutating func removeInstance(_ model: AnyObject) { if let place = place({ $0 === model }) { remove(at: place) } }
}

extension Array {
  /// Where an element is, sought from both ends: those that go one by one mostly go from one.
  fileprivate func place(_ isWanted: (Element) -> Bool) -> Int? {
    var (first, last) = (0, count - 1)
    while first <= last {
      if isWanted(self[last]) { return last }
      if isWanted(self[first]) { return first }
      first += 1
      last -= 1
    }
    return nil
  }
}

/// The consequences of the deletion of some rows of one model.
private struct Spreading {
  let core: ContextCore
  let unsaved: UnsavedReferences
  let state: EntityState
  let rows: [Int64]
  private let wanted: Set<Int64>
  /// The objects among them that are in memory.
  private let objects: [any PersistentModel]

  init(core: ContextCore, unsaved: UnsavedReferences, state: EntityState, rows: [Int64]) {
    self.core = core
    self.unsaved = unsaved
    self.state = state
    self.rows = rows
    wanted = Set(rows)
    objects = rows.compactMap { state.find($0).map(state.erased) }
  }

  func run() throws {
    for relation in state.layout.relations {
      switch relation.form {
      case .mirror(let key): try spread(relation, mirroring: key)
      case .key: try spread(relation)
      case .link(let table, let isSource): try spread(relation, table, isSource: isSource)
      }
    }
    for incoming in core.container.incoming(state.layout) { try spread(from: incoming) }
  }

  /// Deletes what is related to the rows along with them.
  private func cascade(_ pairs: [(row: Int64, deleted: Int64)], _ there: EntityState) throws {
    // Of a hundred thousand rows none is asked about where nothing could leave it out.
    let mayBeLeftOut = core.relations.consequences.hasDepartures || there.root.hasDeletions
    let pairs =
      !mayBeLeftOut
      ? pairs
      : pairs.filter { pair in
        let place = RowPlace(there, pair.row)
        // What was never saved has left by the first time, and by the next its row may be another's.
        if let gone = core.relations.consequences.departed(from: place), there.find(pair.row) !== gone { return false }
        // What somebody deleted for its own sake is not to come back with these.
        return !there.isDeleted(pair.row) || core.relations.consequences.hasFollowed(place)
      }
    core.relations.consequences.noteDeletion(of: pairs, of: there, by: state)
    try there.deleteRows(pairs.map { $0.row }.distinctInOrder())
  }

  // MARK: The others have the key

  /// What happens to what a relationship leads to.
  private func rule(_ relation: RelationLayout) -> Schema.Relationship.DeleteRule {
    core.mode.followsDeleteRules ? relation.deleteRule : .nullify
  }

  private func spread(_ relation: RelationLayout, mirroring key: Int) throws {
    let there = try core.state(for: relation.destinationLayout)
    guard let keyRelation = there.layout.relation(key) else { return }
    switch rule(relation) {
    case .cascade:
      try cascade(references(of: there, keyRelation, andDeleted: true), there)
    case .deny:
      // One that is deleted may come back.
      for (row, deleted) in try references(of: there, keyRelation, andDeleted: true) {
        core.relations.objections.append(
          Objection(
            deleted: (state, deleted), other: (there, row), key: keyRelation, isDenied: true,
            name: "\(state.layout.entityName).\(relation.name)"))
      }
    case .nullify, .noAction: try nullify(keyRelation, of: there)
    }
  }

  /// Takes the key out of the objects that refer to the rows.
  private func nullify(_ key: RelationLayout, of there: EntityState) throws {
    if key.isOptional {
      var (severed, stored): ([(row: Int64, deleted: Int64)], [(row: Int64, deleted: Int64)]) = ([], [])
      for (deleted, group) in try there.loadMirroring(rows, key.property) {
        for model in group {
          let pair = (model._$header.pointee.rowID, deleted)
          if there.own(model).isAsStored(model, key) { stored.append(pair) } else { severed.append(pair) }
          core.setKey(model, there, key, 0)
        }
      }
      core.relations.consequences.noteParting(of: severed, of: there, key, by: state)
      core.relations.consequences.noteParting(of: stored, of: there, key, by: state, wasStored: true)
    } else {
      for (row, deleted) in try references(of: there, key) {
        core.relations.objections.append(
          Objection(
            deleted: (state, deleted), other: (there, row), key: key, isDenied: false,
            name: "\(there.layout.entityName).\(key.name)"))
      }
    }
  }

  // MARK: What is deleted has the key

  private func spread(_ relation: RelationLayout) throws {
    let there = try core.state(for: relation.destinationLayout)
    switch rule(relation) {
    case .cascade:
      try cascade(targets(of: relation).map { (row: $0.target, deleted: $0.row) }, there)
    case .deny:
      for (row, target) in try targets(of: relation) {
        core.relations.objections.append(
          Objection(
            deleted: (state, row), other: (there, target), key: nil, isDenied: true,
            name: "\(state.layout.entityName).\(relation.name)"))
      }
    case .nullify, .noAction: break
    }
    // Both have the key to each other.
    if relation.isSymmetric { try nullify(relation, of: there) }
    guard let inverse = relation.mirrored else { return }
    var leaving = LeavingMembers()
    for model in objects {
      let row = model._$key(relation.property)
      guard row > 0, let target = there.find(row).map(there.erased) else { continue }
      if inverse.isToMany {
        leaving.add(model, of: target)
      } else if target._$key(inverse.property) == model._$header.pointee.rowID {
        core.setKey(target, there, inverse, 0)
      }
    }
    for (target, members) in leaving.lists { core.leave(target, there, inverse, members) }
    guard !inverse.isToMany, objects.count < rows.count else { return }
    // Whoever knows that a row has the key to it need not have that row's object.
    for (row, other) in try targets(of: relation) {
      guard let target = there.find(other).map(there.erased), target._$key(inverse.property) == row else { continue }
      core.setKey(target, there, inverse, 0)
    }
  }

  private func targets(of relation: RelationLayout) throws -> [(row: Int64, target: Int64)] {
    let known = Set(objects.map { $0._$header.pointee.rowID })
    let stored = try state.storedKeys(of: rows, relation).filter { !known.contains($0.row) }
    return stored
      + objects.compactMap { model in
        let target = model._$key(relation.property)
        return target > 0 ? (row: model._$header.pointee.rowID, target: target) : nil
      }
  }

  // MARK: Pairs

  private func spread(_ relation: RelationLayout, _ table: LinkTable, isSource: Bool) throws {
    let there = try core.state(for: relation.destinationLayout)
    var linked: [(row: Int64, other: Int64)] = []
    var loaded: Set<Int64> = []
    for model in objects {
      // What was loaded before others committed stays in the object, and is not what is to be told.
      if model._$header.pointee.status.contains(.stored), core.isOutdated(model, relation) { continue }
      guard case .many(let others?) = model._$relation(relation.property) else { continue }
      let row = model._$header.pointee.rowID
      loaded.insert(row)
      linked += others.map { (row, $0._$header.pointee.rowID) }
    }
    let unloaded = rows.filter { !loaded.contains($0) }
    if !unloaded.isEmpty { linked += try state.session.linkedRows(of: unloaded, table, isSource: isSource) }
    for model in objects where !loaded.contains(model._$header.pointee.rowID) {
      guard let edit = state.linkEdits[RelationPlace(model, relation.property)] else { continue }
      let row = model._$header.pointee.rowID
      linked.removeAll { $0.row == row && edit.removed.contains($0.other) }
      linked += edit.added.map { (row, $0._$header.pointee.rowID) }
    }
    switch rule(relation) {
    case .cascade: try cascade(linked.map { (row: $0.other, deleted: $0.row) }, there)
    case .deny:
      for (row, other) in linked {
        core.relations.objections.append(
          Objection(
            deleted: (state, row), other: (there, other), key: nil, isDenied: true,
            name: "\(state.layout.entityName).\(relation.name)"))
      }
    case .nullify, .noAction: break
    }
    guard let inverse = relation.mirrored else { return }
    let byRow = Dictionary(objects.map { ($0._$header.pointee.rowID, $0) }, uniquingKeysWith: { first, _ in first })
    var leaving = LeavingMembers()
    for (row, other) in linked {
      // One that nobody ever loaded is in no list either.
      guard let model = byRow[row], let target = there.find(other).map(there.erased) else { continue }
      leaving.add(model, of: target)
    }
    for (target, members) in leaving.lists { core.leave(target, there, inverse, members) }
  }

  // MARK: Relationships that nothing mirrors

  private func spread(from incoming: IncomingRelation) throws {
    let there = try core.state(for: incoming.layout)
    switch incoming.relation.form {
    case .key: try nullify(incoming.relation, of: there)
    case .mirror: break
    case .link(let table, _):
      let sources = try state.session.linkedRows(of: rows, table, isSource: false)
      let byRow = Dictionary(objects.map { ($0._$header.pointee.rowID, $0) }, uniquingKeysWith: { first, _ in first })
      var unseen: [(row: Int64, deleted: Int64)] = []
      var leaving = LeavingMembers()
      for (row, source) in sources {
        guard let holder = there.find(source).map(there.erased), let model = byRow[row] else {
          // The list may be loaded, without it, before the deletion is taken back.
          unseen.append((source, row))
          continue
        }
        leaving.add(model, of: holder)
      }
      core.relations.consequences.noteParting(of: unseen, of: there, incoming.relation, by: state)
      // What was added here and is not saved.
      for (holder, member) in unsaved.pairs(of: there, incoming.relation, with: rows) {
        leaving.add(member, of: holder)
      }
      for (holder, members) in leaving.lists { part(holder, there, incoming.relation, members) }
    }
  }

  /// Takes deleted members out of a list that nothing mirrors, as far as they are in it.
  private func part(
    _ holder: any PersistentModel, _ there: EntityState, _ relation: RelationLayout, _ members: [any PersistentModel]
  ) {
    let leaving: [any PersistentModel]
    if case .many(let present?) = holder._$relation(relation.property) {
      let wanted = Set(members.map { ObjectIdentifier($0) })
      leaving = present.filter { wanted.contains(ObjectIdentifier($0)) }
    } else {
      let removed = there.own(holder).linkEdits[RelationPlace(holder, relation.property)]?.removed ?? []
      var seen: Set<ObjectIdentifier> = []
      leaving = members.filter {
        !removed.contains($0._$header.pointee.rowID) && seen.insert(ObjectIdentifier($0)).inserted
      }
    }
    if leaving.isEmpty { return }
    let row = holder._$header.pointee.rowID
    core.relations.consequences.noteParting(
      of: leaving.map { (row, $0._$header.pointee.rowID) }, of: there, relation, by: state)
    core.leave(holder, there, relation, leaving)
  }
}

/// The members that leave lists, each list's together: one by one they would be sought in it again and again.
private struct LeavingMembers {
  private(set) var lists: [(owner: any PersistentModel, members: [any PersistentModel])] = []
  private var places: [ObjectIdentifier: Int] = [:]

  mutating func add(_ member: any PersistentModel, of owner: any PersistentModel) {
    let place = places[ObjectIdentifier(owner)] ?? lists.count
    if place == lists.count {
      places[ObjectIdentifier(owner)] = place
      lists.append((owner, []))
    }
    lists[place].members.append(member)
  }
}

extension Spreading {
  private func references(
    of there: EntityState, _ key: RelationLayout, andDeleted: Bool = false
  ) throws -> [(row: Int64, deleted: Int64)] {
    try there.references(key, to: rows, wanted, andDeleted: andDeleted)
  }
}

extension EntityState {
  /// The stored foreign keys of some rows, which have one that is not NULL.
  func storedKeys(of rows: [Int64], _ key: RelationLayout) throws -> [(row: Int64, target: Int64)] {
    try storedKeys(key, rows) { _ in StoreFormat.identifierColumn }
  }

  /// The stored foreign keys that refer to some rows.
  func storedReferences(_ key: RelationLayout, to rows: [Int64]) throws -> [(row: Int64, target: Int64)] {
    try storedKeys(key, rows) { $0 }
  }

  /// - Parameter asked: The column, by the foreign key's, that has one of the rows.
  private func storedKeys(
    _ key: RelationLayout, _ rows: [Int64], asked: (String) -> String
  ) throws -> [(row: Int64, target: Int64)] {
    guard case .key(let column, _) = key.form else { return [] }
    let name = StoreFormat.quoted(layout.columns[column].name)
    let sql =
      "SELECT \(StoreFormat.identifierColumn), \(name) FROM \(statements.table) "
      + "WHERE \(asked(name)) IN (SELECT value FROM larder_values(?1)) AND \(name) IS NOT NULL"
    return try session.pairs(sql, rows).map { (row: $0.0, target: $0.1) }
  }

  /// The rows with a foreign key to one of some others, in the store or in memory.
  fileprivate func references(
    _ key: RelationLayout, to rows: [Int64], _ wanted: Set<Int64>, andDeleted: Bool
  ) throws -> [(row: Int64, deleted: Int64)] {
    guard case .key(let column, _) = key.form else { return [] }
    var result: [(row: Int64, deleted: Int64)] = []
    let isDirty = familyDirtyMask & key.bit != 0
    for (row, deleted) in try storedReferences(key, to: rows) where andDeleted || !isDeleted(row) {
      // One that refers to another by now.
      if isDirty, let known = find(row), erased(known)._$key(key.property) != deleted { continue }
      result.append((row, deleted))
    }
    let seen = isDirty ? Set(result.map(\.row)) : []
    let inserted = family.flatMap { $0.insertedObjects(withKey: key, column, to: rows) }
    let changed = isDirty ? family.flatMap { $0.changedObjects(withKey: key, to: rows) } : []
    for object in changed + inserted {
      let model = erased(object)
      let header = model._$header
      let target = model._$key(key.property)
      if header.pointee.status.contains(.deleted), !andDeleted { continue }
      if !wanted.contains(target) || seen.contains(header.pointee.rowID) {
        continue
      }
      result.append((header.pointee.rowID, target))
    }
    return result
  }
}

extension StoreSession {
  /// Pairs of numbers that a statement with a list of rows yields.
  fileprivate func pairs(_ sql: String, _ rows: [Int64]) throws -> [(Int64, Int64)] {
    try StoreError.wrapping(store.errorURL, "looking for related rows") {
      try read { connection in
        try connection.withStatement(for: sql) { statement in
          statement.bind(1, BoundValues(rows))
          var result: [(Int64, Int64)] = []
          while try statement.step() { result.append((statement.int64(0), statement.int64(1))) }
          return result
        }
      }
    }
  }
}
