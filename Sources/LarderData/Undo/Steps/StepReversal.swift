/// Takes a step back, by changes like any others.
///
/// First objects come back, then attributes, keys and lists are what they were, and last goes what was inserted. What
/// others deleted meanwhile is not there, and nothing is to refer to it.
struct StepReversal {
  private typealias Owner = (change: ObjectChange, model: any PersistentModel, state: EntityState)

  let core: ContextCore
  private let recorder: UndoRecorder
  /// The objects of the step that are there, held until all is done.
  private var known: [RowPlace: any PersistentModel] = [:]

  private var links: RejoinedLinks
  /// The objects that go with the step.
  private var going: Set<ObjectIdentifier> = []
  /// The rows of the step that the store has, those included that are deleted here.
  private var stored: Set<RowPlace> = []

  init(_ core: ContextCore, _ recorder: UndoRecorder) {
    self.core = core
    self.recorder = recorder
    links = RejoinedLinks(core)
  }

  mutating func run(_ step: UndoStep) throws {
    try core.spreadDeletions()
    let changes = try resolved(step)
    try find(changes)
    let back = try bringBack(changes)
    going = Set(try leaving(changes).map { ObjectIdentifier($0.model) })
    var owners: [Owner] = []
    for change in changes where change.existed {
      guard let state = try? core.state(for: change.layout), let model = known[RowPlace(state, change.row)] else {
        continue
      }
      // Somebody else's row may have the number of one that is not back.
      if change.isDeletion, !back.contains(ObjectIdentifier(model)), model !== change.object { continue }
      owners.append((change, model, state.own(model)))
    }
    for owner in owners { restoreValues(of: owner, isBack: back.contains(ObjectIdentifier(owner.model))) }
    let returned = owners.filter { back.contains(ObjectIdentifier($0.model)) }
    for owner in owners where !back.contains(ObjectIdentifier(owner.model)) { try restoreKeys(of: owner) }
    try findTargets(of: returned)
    for owner in returned { try rejoin(owner) }
    try restoreLists(owners, back)
    try remove(changes)
    if !core.hasChanges { core.changesEnded() }
  }

  // MARK: Finding

  /// With the rows that objects have by now: a save may have given them others.
  private func resolved(_ step: UndoStep) throws -> [ObjectChange] {
    guard core.sessions.contains(where: { $0.store.aliases.hasAny }) else { return step.changes }
    return try step.changes.map { change in
      var result = change
      result.row = row(change.row, try core.state(for: change.layout))
      for (property, key) in change.keys { result.keys[property] = try row(key, change.layout, property) }
      for (property, list) in change.lists {
        result.lists[property] = ObjectChange.List(
          before: try list.before.map { try row($0, change.layout, property) },
          after: try list.after.map { try row($0, change.layout, property) },
          stored: try list.stored?.map { try row($0, change.layout, property) })
      }
      return result
    }
  }

  private func row(_ row: Int64, _ layout: ModelLayout, _ property: Int) throws -> Int64 {
    guard row > 0, let relation = layout.relation(property) else { return row }
    return self.row(row, try core.state(for: relation.destinationLayout))
  }

  private func row(_ row: Int64, _ state: EntityState) -> Int64 {
    state.store.aliases.row(of: PersistentIdentifier.ID(identity: state.identity, key: row)) ?? row
  }

  /// Looks for all objects that the step names, a statement for each model.
  private mutating func find(_ changes: [ObjectChange]) throws {
    var wanted: [Int: (state: EntityState, rows: Set<Int64>)] = [:]
    func want(_ rows: [Int64], _ layout: ModelLayout) throws {
      let state = try core.state(for: layout)
      wanted[layout.id, default: (state, [])].rows.formUnion(rows.lazy.filter { $0 > 0 })
    }
    for change in changes {
      try want([change.row], change.layout)
      for (property, key) in change.keys {
        guard let relation = change.layout.relation(property) else { continue }
        try want([ToOneKey.shown(key)], relation.destinationLayout)
      }
      for (property, list) in change.lists {
        if let relation = change.layout.relation(property) { try want(list.before, relation.destinationLayout) }
      }
    }
    for (state, rows) in wanted.values {
      // Read anew, since an object may outlast its row.
      for model in try state.loadRows(rows.sorted()) {
        stored.insert(RowPlace(state, model._$header.pointee.rowID))
        note(model, state)
      }
      for row in rows {
        guard let object = state.find(row) else { continue }
        let model = state.erased(object)
        if model._$header.pointee.status.contains(.inserted) { note(model, state) }
      }
    }
  }

  private mutating func note(_ model: any PersistentModel, _ state: EntityState) {
    let header = model._$header
    if !header.pointee.status.contains(.deleted) { known[RowPlace(state, header.pointee.rowID)] = model }
  }

  private func object(_ row: Int64, _ relation: RelationLayout) throws -> (any PersistentModel)? {
    try objects(relation)(row)
  }

  /// Finds what a relationship led to.
  private func objects(_ relation: RelationLayout) throws -> (Int64) -> (any PersistentModel)? {
    let (known, state) = (known, try core.state(for: relation.destinationLayout))
    return { known[RowPlace(state, $0)] }
  }

  // MARK: What comes back

  /// - Returns: The objects that are back.
  private mutating func bringBack(_ changes: [ObjectChange]) throws -> Set<ObjectIdentifier> {
    var returning: [RowPlace: ObjectChange] = [:]
    for change in changes where change.isDeletion {
      let place = RowPlace(try core.state(for: change.layout), change.row)
      if known[place] != nil { continue }
      let isHere = core.existingState(for: change.layout)?.isDeleted(change.row) == true
      if isHere ? stored.contains(place) : Returning.isPossible(change) { returning[place] = change }
    }
    try keepOut(&returning)
    var back: Set<ObjectIdentifier> = []
    for change in changes where change.isDeletion {
      let place = RowPlace(try core.state(for: change.layout), change.row)
      guard let change = returning[place] else { continue }
      let model = try Returning(core, recorder, change).bringBack()
      known[place] = model
      back.insert(ObjectIdentifier(model))
    }
    for state in core.known where !state.deleted.isEmpty { state.forgetDeletedInstances() }
    return back
  }

  /// What must refer to something that is gone stays away.
  private func keepOut(_ returning: inout [RowPlace: ObjectChange]) throws {
    var isSettled = false
    while !isSettled {
      isSettled = true
      for (place, change) in returning {
        for relation in change.layout.relations where !relation.isOptional && !relation.isToMany {
          guard let key = change.keys[relation.property] else { continue }
          let target = RowPlace(try core.state(for: relation.destinationLayout), ToOneKey.shown(key))
          if known[target] != nil || returning[target] != nil { continue }
          Log.warning(
            "\(change.layout.entityName) \(place.row) stays deleted: \(relation.name) led to what others have deleted.")
          returning[place] = nil
          isSettled = false
          break
        }
      }
    }
  }

  // MARK: What is as it was

  private func restoreValues(of owner: Owner, isBack: Bool) {
    let (change, model, state) = owner
    func isOwn(_ property: Int) -> Bool { !isBack || change.isOwn(property, model, saves: recorder.saves) }
    ObjectColumns.assign(change.columns.filter { isOwn($0.key) }, to: model, state)
    for (property, value) in change.held where isOwn(property) {
      let codec = state.layout.properties[property].codec
      if case .held(let now?) = model._$relation(property), codec.isSame(held: now, value) { continue }
      state.noteHeld(model, property)
      state.observe(model, property) {
        if model._$header.pointee.changed & ModelLayout.bit(property) == 0 { model._$willWrite(property) }
        model._$change(property, .held(value))
      }
    }
  }

  private func restoreKeys(of owner: Owner) throws {
    for (property, key) in owner.change.keys.sorted(by: { $0.key < $1.key }) {
      guard let relation = owner.state.layout.relation(property) else { continue }
      if key == 0, try isTakenByDeletion(relation, of: owner) { continue }
      let target = try object(key, relation)
      // One that was lost is lost again; what it led to may be there.
      if target == nil, !relation.isOptional, key >= 0 { continue }
      try core.setOne(owner.model, owner.state, relation, to: target)
    }
  }

  /// Whether the deletion of what a relationship leads to takes that out of it, and does nothing else.
  private func isEmptiedByDeletion(_ relation: RelationLayout) -> Bool {
    relation.mirrored.map { $0.deleteRule == .nullify } ?? true
  }

  /// Whether a to-one leads to what goes with the step, whose deletion empties it, and can be taken back.
  private func isTakenByDeletion(_ relation: RelationLayout, of owner: Owner) throws -> Bool {
    guard relation.isOptional, isEmptiedByDeletion(relation) else { return false }
    return try object(owner.model._$key(relation.property), relation).map { going.contains(ObjectIdentifier($0)) }
      ?? false
  }

  /// What is back has its keys; the other ends lead to it again.
  private func rejoin(_ owner: Owner) throws {
    let row = owner.model._$header.pointee.rowID
    for relation in owner.state.layout.relations {
      guard case .key = relation.form, case let key = owner.model._$key(relation.property), key > 0 else { continue }
      guard let target = try object(key, relation) else {
        // What it led to was deleted when this one was not there to be told.
        if relation.isOptional { core.setKey(owner.model, owner.state, relation, 0) }
        continue
      }
      guard let inverse = relation.mirrored, let there = target._$header.pointee.state else { continue }
      if inverse.isToMany {
        if !target.holds(owner.model, in: inverse.property) { core.join(target, there, inverse, owner.model) }
      } else if relation.isOptional, try hasAnother(target, there, inverse, than: owner) {
        core.setKey(owner.model, owner.state, relation, 0)
      } else {
        core.setKey(target, there, inverse, row)
      }
    }
  }

  /// Whether others have given an object another at the end of a to-one.
  private func hasAnother(
    _ target: any PersistentModel, _ there: EntityState, _ inverse: RelationLayout, than owner: Owner
  ) throws -> Bool {
    if case .mirror = inverse.form {
      _ = there.forgetMirrors()
      // Both may have the key to it.
      if target._$key(inverse.property) == ToOneKey.unknown {
        let holders = try core.loadGroups([target], there, inverse)[target._$header.pointee.rowID] ?? []
        return holders.contains { $0 !== owner.model && !going.contains(ObjectIdentifier($0)) }
      }
    }
    guard let partner = try core.partner(of: target, there, inverse), !going.contains(ObjectIdentifier(partner)) else {
      return false
    }
    return partner !== owner.model && !partner._$header.pointee.status.contains(.deleted)
  }

  /// What objects that are back lead to by now: others may have given them another while their deletion was pending.
  private mutating func findTargets(of owners: [Owner]) throws {
    var wanted: [Int: (state: EntityState, rows: Set<Int64>)] = [:]
    for owner in owners {
      for relation in owner.state.layout.relations {
        guard case .key = relation.form, case let key = owner.model._$key(relation.property), key > 0,
          try object(key, relation) == nil
        else { continue }
        let state = try core.state(for: relation.destinationLayout)
        wanted[relation.destinationLayout.id, default: (state, [])].rows.insert(key)
      }
    }
    for (state, rows) in wanted.values {
      for model in try state.loadRows(rows.sorted()) { note(model, state) }
      for row in rows {
        guard let object = state.find(row) else { continue }
        let model = state.erased(object)
        if model._$header.pointee.status.contains(.inserted) { note(model, state) }
      }
    }
  }

  private mutating func restoreLists(_ owners: [Owner], _ back: Set<ObjectIdentifier>) throws {
    var lists: [RejoinedLinks.List] = []
    for owner in owners {
      for (property, list) in owner.change.lists.sorted(by: { $0.key < $1.key }) {
        guard let relation = owner.state.layout.relation(property) else { continue }
        let hasSaved = owner.change.saves != recorder.saves
        let former = FormerList(
          list, hasSaved: hasSaved, object: try objects(relation), back: back,
          going: isEmptiedByDeletion(relation) ? going : [])
        lists.append((owner.model, owner.state, relation, former))
      }
    }
    try links.read(lists)
    let returned = owners.filter { back.contains(ObjectIdentifier($0.model)) }
    try links.show(returned.map { ($0.model, $0.state) }, besides: lists)
    for list in lists {
      if try links.restore(list) { continue }
      let members = list.relation.isLink ? try links.members(list) : try membersByKey(list)
      try core.setMany(list.owner, list.state, list.relation, to: members)
    }
  }

  /// Who is in a list is told by the keys, and only the order by what it was.
  private func membersByKey(_ list: RejoinedLinks.List) throws -> [any PersistentModel] {
    let present = try core.objects(of: list.owner, list.state, list.relation)
    let order = Dictionary(
      list.former.members.enumerated().map { (ObjectIdentifier($1), $0) }, uniquingKeysWith: { first, _ in first })
    func place(_ member: any PersistentModel) -> Int { order[ObjectIdentifier(member)] ?? Int.max }
    return (present + stayed(list, present)).enumerated()
      .sorted { (place($0.element), $0.offset) < (place($1.element), $1.offset) }
      .map(\.element)
  }

  /// Members that kept the key to what was never saved, and went: nothing but the list tells of them.
  private func stayed(_ list: RejoinedLinks.List, _ present: [any PersistentModel]) -> [any PersistentModel] {
    guard case .mirror(let key) = list.relation.form, list.owner._$header.pointee.status.contains(.inserted) else {
      return []
    }
    let known = Set(present.map { ObjectIdentifier($0) })
    return list.former.members.filter { member in
      !known.contains(ObjectIdentifier(member)) && member._$key(key) == list.owner._$header.pointee.rowID
    }
  }

  // MARK: What goes

  private func leaving(_ changes: [ObjectChange]) throws -> [(model: any PersistentModel, state: EntityState)] {
    try changes.filter(\.isInsertion).compactMap { change in
      let state = try core.state(for: change.layout)
      let place = RowPlace(state, change.row)
      guard !recorder.united.contains(place), let model = known[place],
        !model._$header.pointee.status.contains(.deleted)
      else { return nil }
      return (model, state.own(model))
    }
  }

  private func remove(_ changes: [ObjectChange]) throws {
    let leaving = try leaving(changes)
    // What it was related to since it came is not to go along, nor to keep it.
    for (model, state) in leaving {
      for relation in state.layout.relations where relation.deleteRule == .cascade || relation.deleteRule == .deny {
        if !relation.isToMany {
          if relation.isOptional { try core.setOne(model, state, relation, to: nil) }
        } else if relation.mirrored == nil {
          try core.setMany(model, state, relation, to: [])
        }
      }
    }
    // The last ones first, which are at the end of what is pending.
    for (model, state) in leaving.reversed() {
      state.insist(on: model._$header.pointee.rowID)
      delete(model, state)
    }
    core.discharge()
    try core.spreadDeletions()
  }

  private func delete<Model: PersistentModel>(_ model: Model, _ state: EntityState) { state.delete(model) }
}
