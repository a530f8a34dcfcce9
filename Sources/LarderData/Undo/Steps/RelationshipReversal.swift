import LarderSupport

/// The reversal of relationships: objects are related as they were before a step, first by their keys, then in the lists.
struct RelationshipReversal {
  private let core: _ContextCore
  private var objects: StepObjects
  private let owners: [StepOwner]
  /// The objects that the reversal deletes.
  private let deletedIDs: Set<ObjectIdentifier>
  /// The objects that the reversal restores.
  private let restoredIDs: Set<ObjectIdentifier>
  private let saveCount: Int
  private var joinRestoration: JoinRestoration

  init(
    _ core: _ContextCore, _ objects: StepObjects, _ owners: [StepOwner], deleted going: Set<ObjectIdentifier>,
    saveCount saves: Int
  ) {
    self.core = core
    self.objects = objects
    self.owners = owners
    self.deletedIDs = going
    restoredIDs = Set(owners.lazy.filter(\.isRestored).map { ObjectIdentifier($0.model) })
    self.saveCount = saves
    joinRestoration = JoinRestoration(core)
  }

  // MARK: Keys

  func restoreForeignKeys() throws {
    for owner in owners where !owner.isRestored { try restoreForeignKeys(of: owner) }
  }

  /// Makes the other ends reference the restored objects.
  mutating func reconnectRestored() throws {
    try objects.findTargets(of: owners.filter(\.isRestored))
    for owner in owners where owner.isRestored { try reconnect(owner) }
  }

  private func restoreForeignKeys(of owner: StepOwner) throws {
    for (property, key) in owner.change.foreignKeys.inOrder({ $0.key < $1.key }) {
      guard let relationship = owner.tracker.layout.relationship(property) else { continue }
      if key == 0, try referencesDeleted(relationship, of: owner) { continue }
      let target = try objects.target(key, relationship)
      // A key that was lost is lost again; its target may be present.
      if target == nil, !relationship.isOptional, key >= 0 { continue }
      // The key is set as the program has set it. A change that a list caused belongs to the list.
      if relationship.inverse?.isToMany != true
        || owner.tracker.concreteTracker(owner.model).isSetExplicitly(owner.model, relationship)
      {
        try core.settingExplicitly(owner.model, relationship) {
          try core.setToOne(owner.model, owner.tracker, relationship, to: target)
        }
      } else {
        try core.setToOne(owner.model, owner.tracker, relationship, to: target)
      }
      owner.tracker.concreteTracker(owner.model).removeAssignmentMark(of: owner.model, .toOneSet)
    }
  }

  /// Returns whether the deletion of a relationship's target sets the relationship to nil, and does nothing else.
  private func isNullifiedByDeletion(_ relationship: RelationshipLayout) -> Bool {
    relationship.inverse.map { $0.deleteRule == .nullify } ?? true
  }

  /// Returns whether a to-one references an object that is deleted with the step. That deletion clears it, and can be reverted.
  private func referencesDeleted(_ relationship: RelationshipLayout, of owner: StepOwner) throws -> Bool {
    guard relationship.isOptional, isNullifiedByDeletion(relationship) else { return false }
    return try objects.target(owner.model._$foreignKey(relationship.property), relationship).map {
      deletedIDs.contains(ObjectIdentifier($0))
    }
      ?? false
  }

  /// Makes the other ends reference a restored object, which has its keys.
  private func reconnect(_ owner: StepOwner) throws {
    let row = owner.model._$header.pointee.rowID
    for relationship in owner.tracker.layout.relationships {
      guard case .foreignKey = relationship.storage, case let key = owner.model._$foreignKey(relationship.property),
        key > 0
      else { continue }
      guard let target = try objects.target(key, relationship) else {
        // The target was deleted while this object was not there to be updated, or is deleted still, and may be restored.
        let there = try core.tracker(for: relationship.destinationLayout)
        if relationship.isOptional { core.setForeignKey(owner.model, owner.tracker, relationship, 0) }
        if there.isDeleted(key) {
          core.relationships.propagationLog.postpone(
            PropagationLog.Reference(source: (owner.tracker, row), relationship: relationship, target: (there, key)),
            until: RowKey(there, key), isRemote: true)
        }
        continue
      }
      guard let inverse = relationship.inverse, let there = target._$header.pointee.tracker else { continue }
      if inverse.isToMany {
        if !target.hasMember(owner.model, in: inverse.property) {
          core.appendMember(target, there, inverse, owner.model)
        }
      } else if relationship.isOptional, try hasOtherPartner(target, there, inverse, than: owner) {
        core.setForeignKey(owner.model, owner.tracker, relationship, 0)
      } else {
        core.setForeignKey(target, there, inverse, row)
      }
    }
  }

  /// Returns whether other contexts have given the target of a one-to-one relationship another partner.
  private func hasOtherPartner(
    _ target: any PersistentModel, _ there: _EntityTracker, _ inverse: RelationshipLayout, than owner: StepOwner
  ) throws -> Bool {
    if case .inverse = inverse.storage {
      _ = there.invalidateInverseKeys()
      // Both objects may have the key to it.
      if target._$foreignKey(inverse.property) == _ToOneKey.notLoaded {
        let holders = try core.loadMembersByOwner([target], there, inverse)[target._$header.pointee.rowID] ?? []
        return holders.contains { $0 !== owner.model && !deletedIDs.contains(ObjectIdentifier($0)) }
      }
    }
    guard let partner = try core.partner(of: target, there, inverse), !deletedIDs.contains(ObjectIdentifier(partner))
    else {
      return false
    }
    return partner !== owner.model && !partner._$header.pointee.status.contains(.deleted)
  }

  // MARK: Lists

  mutating func restoreToManys() throws {
    var lists: [ToManyReversal] = []
    for owner in owners {
      for (property, list) in owner.change.lists.inOrder({ $0.key < $1.key }) {
        guard let relationship = owner.tracker.layout.relationship(property) else { continue }
        let former = ToManySnapshot(
          list, hasSaved: owner.change.saveCount != saveCount, object: try objects.targets(of: relationship),
          restored: restoredIDs,
          deleted: isNullifiedByDeletion(relationship) ? deletedIDs : [])
        lists.append(
          ToManyReversal(owner: owner.model, tracker: owner.tracker, relationship: relationship, snapshot: former))
      }
    }
    try joinRestoration.read(lists)
    try joinRestoration.restoreIncomingLists(owners.filter(\.isRestored), excluding: lists)
    for list in lists {
      if try joinRestoration.restore(list) { continue }
      let members =
        list.relationship.usesJoinTable ? try joinRestoration.restoredMembers(list) : try membersByForeignKey(list)
      try core.setToMany(list.owner, list.tracker, list.relationship, to: members)
      if list.snapshot.isRestored(list.owner) { recordBase(list) }
    }
  }

  /// Records the base version of a restored object's list, without members that other contexts added meanwhile: the program was
  /// not shown these.
  private func recordBase(_ list: ToManyReversal) {
    let (owner, relationship) = (list.owner, list.relationship)
    guard owner._$header.pointee.status.contains(.stored), let rows = owner.memberRowIDs(of: relationship.property)
    else { return }
    let shown = rows.filter(list.snapshot.rowsBefore.contains)
    if shown.count == rows.count { return }
    let mark = list.tracker.concreteTracker(owner).setBase(owner, relationship.property, shown, members: rows)
    owner._$applyChange(relationship.property, .current(generation: mark))
  }

  /// Returns the members of a list. The keys determine the members; the former list determines only their order.
  private func membersByForeignKey(_ list: ToManyReversal) throws -> [any PersistentModel] {
    let present = try core.loadMembers(of: list.owner, list.tracker, list.relationship)
    let order = Dictionary(
      list.snapshot.members.enumerated().map { (ObjectIdentifier($1), $0) }, uniquingKeysWith: { first, _ in first })
    func place(_ member: any PersistentModel) -> Int { order[ObjectIdentifier(member)] ?? Int.max }
    return (present + orphanedMembers(list, present)).enumerated()
      .inOrder { (place($0.element), $0.offset) < (place($1.element), $1.offset) }
      .map(\.element)
  }

  /// Returns members that kept the key to an owner which was never saved, and left: only the list has them.
  private func orphanedMembers(_ list: ToManyReversal, _ present: [any PersistentModel]) -> [any PersistentModel] {
    guard case .inverse(let key) = list.relationship.storage, list.owner._$header.pointee.status.contains(.inserted)
    else {
      return []
    }
    let known = Set(present.map { ObjectIdentifier($0) })
    return list.snapshot.members.filter { member in
      !known.contains(ObjectIdentifier(member)) && member._$foreignKey(key) == list.owner._$header.pointee.rowID
    }
  }
}
