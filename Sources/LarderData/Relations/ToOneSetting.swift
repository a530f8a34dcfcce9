import LarderSupport

// Setting a to-one, and with it what is at the other end of it.

extension ContextCore {
  func setOne(
    _ owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, to new: (any PersistentModel)?
  ) throws {
    var told: ToldEnds?
    defer { told?.tellDidSet() }
    while try !setOne(owner, state, relation, to: new, &told) {
      guard isHere(owner), new.map(isHere) != false else { return }
    }
  }

  /// Sets a to-one, once nobody is left to be told.
  ///
  /// - Returns: False where somebody was told first, and nothing is done.
  func setOne(
    _ owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, to new: (any PersistentModel)?,
    _ told: inout ToldEnds?
  ) throws -> Bool {
    var old = try currentKey(of: owner, state, relation)
    if let gone = try catchUp(before: owner, state, relation, to: new.map { [$0] } ?? []) {
      if !isHere(owner) || !gone.others.isEmpty { return true }
      old = try currentKey(of: owner, state, relation)
    }
    let there = try self.state(for: relation.destinationLayout)
    if let new, old == new._$header.pointee.rowID, state.own(owner).isOfStranger(new, owner, relation) {
      try there.makeWay()
    }
    let row = new?._$header.pointee.rowID ?? 0
    guard old != row else {
      // Others have led it there already; the program knows of its own doing.
      noteHand(owner, leadingTo: new, there, relation)
      return true
    }
    let former = old > 0 ? there.find(old).map(there.erased) : nil
    guard let inverse = relation.mirrored else {
      if tellKey(owner, state, relation, row, &told) { return false }
      changingEnds(told) { setKey(owner, state, relation, row) }
      // No list of it has changed, by which it would be kept.
      if let new, !relation.isOptional { relations.needed[RowPlace(there, row)] = new }
      #if DEBUG
        _checkInvariants(owner, relation, leadingTo: new)
      #endif
      return true
    }
    if !inverse.isToMany {
      // One to one: whoever had it loses it.
      var losses: [(model: any PersistentModel, state: EntityState, relation: RelationLayout)] = []
      if let rival = try partner(of: new, there, inverse), rival !== owner { losses.append((rival, state, relation)) }
      if let formerPartner = try old > 0 ? former ?? there.loadRows([old]).first : nil {
        losses.append((formerPartner, there, inverse))
      }
      var isTelling = false
      for loss in losses where tellKey(loss.model, loss.state, loss.relation, 0, &told) { isTelling = true }
      if tellKey(owner, state, relation, row, &told) { isTelling = true }
      if let new, tellKey(new, there, inverse, owner._$header.pointee.rowID, &told) { isTelling = true }
      if isTelling { return false }
      changingEnds(told) {
        for loss in losses { setKey(loss.model, loss.state, loss.relation, 0) }
        if let new, relationMarks.led == RelationPlace(owner, relation.property) {
          noteKeysBehind([new], inverse, of: owner)
        }
        setKey(owner, state, relation, row)
        if let new { setKey(new, there, inverse, owner._$header.pointee.rowID) }
      }
      #if DEBUG
        _checkInvariants(owner, relation, leadingTo: new)
      #endif
      return true
    }
    var isTelling = tellKey(owner, state, relation, row, &told)
    if let former, tellList(former, inverse, &told) { isTelling = true }
    if let new, tellList(new, inverse, &told) { isTelling = true }
    if isTelling { return false }
    changingEnds(told) {
      setKey(owner, state, relation, row)
      notePlaced(owner, in: row, there, inverse)
      if let former { leave(former, there, inverse, owner) }
      if let new { join(new, there, inverse, owner) }
    }
    #if DEBUG
      _checkInvariants(owner, relation, leadingTo: new)
    #endif
    return true
  }

  private func currentKey(
    of owner: any PersistentModel, _ state: EntityState, _ relation: RelationLayout
  ) throws -> Int64 {
    if case .mirror = relation.form { _ = state.own(owner).forgetMirrors() }
    let key = owner._$key(relation.property)
    return key == ToOneKey.unknown ? try loadMirroredKey(of: owner, state, relation) : key
  }

  /// The object at the other end of a to-one of `model`, whichever table has the key.
  func partner(
    of model: (any PersistentModel)?, _ state: EntityState, _ relation: RelationLayout
  ) throws -> (any PersistentModel)? {
    guard let model, case let key = model._$key(relation.property), key >= ToOneKey.unknown,
      let object = state.relatedObject(of: model, relation.property, key)
    else { return nil }
    return try self.state(for: relation.destinationLayout).erased(object)
  }

  /// Sets the key of a to-one, and nothing at the other end.
  func setKey(_ model: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, _ row: Int64) {
    guard let key = newKey(model, state, relation, row) else { return }
    let isAsked = !isSpreading && !isRestoring
    relations.consequences.settle(RowPlace(state, model._$header.pointee.rowID), relation.property, isAsked)
    if key < ToOneKey.unknown, let there = try? self.state(for: relation.destinationLayout) {
      relations.lost.insert(RowPlace(there, ToOneKey.shown(key)))
    }
    let state = state.own(model)
    state.observe(model, relation) { model._$change(relation.property, .key(key)) }
  }

  /// The key that a to-one has once it is set, where that changes it.
  @inline(__always)
  func newKey(
    _ model: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, _ row: Int64
  ) -> Int64? {
    // What a rollback leads to is noted by it.
    if case .mirror = relation.form { _ = state.own(model).forgetMirrors() }
    let present = model._$key(relation.property)
    // Nothing can be read where there must be something: what was there is, and the save refuses it.
    let key = row == 0 && !relation.isOptional ? ToOneKey.lost(present) : row
    return model._$header.pointee.status.contains(.deleted) || present == key ? nil : key
  }
}
