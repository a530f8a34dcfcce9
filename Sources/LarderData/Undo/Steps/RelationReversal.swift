import LarderSupport

/// Relates objects as they were before a step: first by their keys, then in the lists.
struct RelationReversal {
  private let core: ContextCore
  private var objects: StepObjects
  private let owners: [StepOwner]
  /// The objects that go with the step.
  private let going: Set<ObjectIdentifier>
  /// Those that come back with it.
  private let back: Set<ObjectIdentifier>
  private let saves: Int
  private var links: RejoinedLinks

  init(
    _ core: ContextCore, _ objects: StepObjects, _ owners: [StepOwner], going: Set<ObjectIdentifier>, saves: Int
  ) {
    self.core = core
    self.objects = objects
    self.owners = owners
    self.going = going
    back = Set(owners.lazy.filter(\.isBack).map { ObjectIdentifier($0.model) })
    self.saves = saves
    links = RejoinedLinks(core)
  }

  // MARK: Keys

  func restoreKeys() throws {
    for owner in owners where !owner.isBack { try restoreKeys(of: owner) }
  }

  /// Has the other ends lead to what is back.
  mutating func rejoin() throws {
    try objects.findTargets(of: owners.filter(\.isBack))
    for owner in owners where owner.isBack { try rejoin(owner) }
  }

  private func restoreKeys(of owner: StepOwner) throws {
    for (property, key) in owner.change.keys.inOrder({ $0.key < $1.key }) {
      guard let relation = owner.state.layout.relation(property) else { continue }
      if key == 0, try isTakenByDeletion(relation, of: owner) { continue }
      let target = try objects.target(key, relation)
      // One that was lost is lost again; what it led to may be there.
      if target == nil, !relation.isOptional, key >= 0 { continue }
      // As the program has set it; what a list has done is the list's.
      if relation.mirrored?.isToMany != true || owner.state.own(owner.model).isLed(owner.model, relation) {
        try core.leading(owner.model, relation) {
          try core.setOne(owner.model, owner.state, relation, to: target)
        }
      } else {
        try core.setOne(owner.model, owner.state, relation, to: target)
      }
      owner.state.own(owner.model).forgetIdleMark(of: owner.model, .led)
    }
  }

  /// Whether the deletion of what a relationship leads to takes that out of it, and does nothing else.
  private func isEmptiedByDeletion(_ relation: RelationLayout) -> Bool {
    relation.mirrored.map { $0.deleteRule == .nullify } ?? true
  }

  /// Whether a to-one leads to what goes with the step, whose deletion empties it, and can be taken back.
  private func isTakenByDeletion(_ relation: RelationLayout, of owner: StepOwner) throws -> Bool {
    guard relation.isOptional, isEmptiedByDeletion(relation) else { return false }
    return try objects.target(owner.model._$key(relation.property), relation).map {
      going.contains(ObjectIdentifier($0))
    }
      ?? false
  }

  /// What is back has its keys; the other ends lead to it again.
  private func rejoin(_ owner: StepOwner) throws {
    let row = owner.model._$header.pointee.rowID
    for relation in owner.state.layout.relations {
      guard case .key = relation.form, case let key = owner.model._$key(relation.property), key > 0 else { continue }
      guard let target = try objects.target(key, relation) else {
        // What it led to was deleted when this one was not there to be told, or is deleted still, and may come back.
        let there = try core.state(for: relation.destinationLayout)
        if relation.isOptional { core.setKey(owner.model, owner.state, relation, 0) }
        if there.isDeleted(key) {
          core.relations.consequences.postpone(
            DeletionConsequences.Reference(holder: (owner.state, row), relation: relation, target: (there, key)),
            until: RowPlace(there, key), isOfOthers: true)
        }
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
    _ target: any PersistentModel, _ there: EntityState, _ inverse: RelationLayout, than owner: StepOwner
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

  // MARK: Lists

  mutating func restoreLists() throws {
    var lists: [StepList] = []
    for owner in owners {
      for (property, list) in owner.change.lists.inOrder({ $0.key < $1.key }) {
        guard let relation = owner.state.layout.relation(property) else { continue }
        let former = FormerList(
          list, hasSaved: owner.change.saves != saves, object: try objects.targets(of: relation), back: back,
          going: isEmptiedByDeletion(relation) ? going : [])
        lists.append(StepList(owner: owner.model, state: owner.state, relation: relation, former: former))
      }
    }
    try links.read(lists)
    try links.show(owners.filter(\.isBack), besides: lists)
    for list in lists {
      if try links.restore(list) { continue }
      let members = list.relation.isLink ? try links.members(list) : try membersByKey(list)
      try core.setMany(list.owner, list.state, list.relation, to: members)
      if list.former.isBack(list.owner) { noteShown(list) }
    }
  }

  /// What others have related to an object meanwhile that is back was not shown to the program.
  private func noteShown(_ list: StepList) {
    let (owner, relation) = (list.owner, list.relation)
    guard owner._$header.pointee.status.contains(.stored), let rows = owner.rows(in: relation.property) else { return }
    let shown = rows.filter(list.former.before.contains)
    if shown.count == rows.count { return }
    let mark = list.state.own(owner).setShown(owner, relation.property, shown, holding: rows)
    owner._$change(relation.property, .current(generation: mark))
  }

  /// Who is in a list is told by the keys, and only the order by what it was.
  private func membersByKey(_ list: StepList) throws -> [any PersistentModel] {
    let present = try core.objects(of: list.owner, list.state, list.relation)
    let order = Dictionary(
      list.former.members.enumerated().map { (ObjectIdentifier($1), $0) }, uniquingKeysWith: { first, _ in first })
    func place(_ member: any PersistentModel) -> Int { order[ObjectIdentifier(member)] ?? Int.max }
    return (present + stayed(list, present)).enumerated()
      .inOrder { (place($0.element), $0.offset) < (place($1.element), $1.offset) }
      .map(\.element)
  }

  /// Members that kept the key to what was never saved, and went: nothing but the list tells of them.
  private func stayed(_ list: StepList, _ present: [any PersistentModel]) -> [any PersistentModel] {
    guard case .mirror(let key) = list.relation.form, list.owner._$header.pointee.status.contains(.inserted) else {
      return []
    }
    let known = Set(present.map { ObjectIdentifier($0) })
    return list.former.members.filter { member in
      !known.contains(ObjectIdentifier(member)) && member._$key(key) == list.owner._$header.pointee.rowID
    }
  }
}
