import LarderSupport

// What the accessors of relationships ask of the context: reading.

extension EntityState {
  /// Whether a to-many that was loaded then can be shown as it is.
  @usableFromInline
  @inline(__always)
  package func isCurrent(_ generation: UInt32) -> Bool { generation == core.relationMarks.stamp }

  /// The object at the other end of a to-one, read if need be; nil where there is none, or it cannot be read.
  @usableFromInline
  package func relatedObject(of owner: any PersistentModel, _ property: Int, _ key: Int64) -> AnyObject? {
    guard let relation = layout.relation(property) else { return nil }
    do {
      return try core.quietly { try findRelated(of: owner, relation, key) }
    } catch {
      core.couldNotLoad(relation, of: self, error)
      return nil
    }
  }

  func findRelated(of owner: any PersistentModel, _ relation: RelationLayout, _ key: Int64) throws -> AnyObject? {
    var row = key
    if core.relationMarks.hasUnspreadDeletions {
      try core.spreadDeletions()
      if hasLeft(owner) {
        guard case .one(_, let object) = owner._$relation(relation.property) else { return nil }
        return object
      }
      row = owner._$key(relation.property)
    }
    if case .mirror = relation.form, forgetMirrors() { row = owner._$key(relation.property) }
    if row == 0 { return nil }
    let there = try core.state(for: relation.destinationLayout)
    if row == ToOneKey.unknown { row = try core.loadMirroredKey(of: owner, self, relation) }
    row = ToOneKey.shown(row)
    if row == 0 { return nil }
    if let known = there.find(row) {
      guard there.hasInserts, isOfStranger(there.erased(known), owner, relation) else { return known }
      try there.makeWay()
      if let other = there.find(row) { return other }
    }
    if let departed = core.relations.departed[RowPlace(there, row)] { return departed }
    return try core.loadTarget(of: owner, self, relation, row: row, there)
  }

  /// The objects of a to-many, loaded if they are not, or no longer current.
  @usableFromInline
  package func relatedObjects(of owner: any PersistentModel, _ property: Int) -> [any PersistentModel] {
    guard let relation = layout.relation(property) else { return [] }
    do {
      return try core.quietly {
        try core.spreadDeletions()
        if hasLeft(owner) {
          guard case .many(let objects?) = owner._$relation(property) else { return [] }
          return objects
        }
        let objects = try core.objects(of: owner, self, relation)
        own(owner).show(owner, property)
        return objects
      }
    } catch {
      core.couldNotLoad(relation, of: self, error)
      if case .many(let objects?) = owner._$relation(property) { return objects }
      return []
    }
  }

  /// Whether a key is that of a model's row.
  @usableFromInline
  package func isRelated(_ key: Int64, _ value: (any PersistentModel)?) -> Bool {
    // Nor is what others have committed since, of a key that is at the other end.
    if core.relationMarks.hasUnspreadDeletions || forgetMirrors() { return false }
    guard let value else { return key == 0 }
    let header = value._$header
    // Its number may be another program's row's, which a row leads to.
    if header.pointee.status.contains(.inserted) { return false }
    return header.pointee.state?.core === core && header.pointee.rowID == key
  }

  /// What a to-one that is not optional reads as where nothing can be had. Foreign keys exclude a row that is missing,
  /// so this is a store that cannot be read, or an object made from incomplete data: nothing true can be returned.
  @usableFromInline
  package func unloadable<Value: PersistentModel>(
    _ owner: any PersistentModel, _ property: Int, _ type: Value.Type
  ) -> Value {
    let name = "\(layout.entityName).\(layout.properties[property].name)"
    let key = ToOneKey.shown(owner._$key(property))
    let reason =
      key > 0
      ? "row \(key) of \(Value._$layout.entityName) cannot be had: \(core.faultError.map { "\($0)" } ?? "it is gone")"
      : "it was not set"
    return core.missing(
      PersistentIdentifier(
        identity: .of(store: store.identifier, entity: Value._$layout.entityName), key: key, isSaved: true),
      type, "\(name) of row \(owner._$header.pointee.rowID) is not optional, and \(reason)")
  }
}

extension EntityState {
  /// Forgets which rows have the keys to this model's, once others have committed: that a key was moved is seen in no row
  /// of this model.
  ///
  /// - Returns: Whether others have.
  func forgetMirrors() -> Bool {
    guard mirrorGeneration != core.relationMarks.generation else { return false }
    mirrorGeneration = core.relationMarks.generation
    let mirrors = layout.relations.filter { relation in
      if case .mirror = relation.form { !relation.isToMany } else { false }
    }
    if mirrors.isEmpty { return true }
    forEachInstance { model in
      let header = model._$header
      guard header.pointee.status.contains(.stored), !header.pointee.status.contains(.deleted) else { return }
      for relation in mirrors where !relation.isEdited(of: model) {
        if header.pointee.registrar != nil { core.noteUntold(model, relation) }
        model._$change(relation.property, .key(ToOneKey.unknown))
      }
    }
    return true
  }
}

extension ContextCore {
  /// Reading a relationship cannot throw: the next save does, so that nothing is decided on a false emptiness.
  func couldNotLoad(_ relation: RelationLayout, of state: EntityState, _ error: any Error) {
    Log.warning("\(state.layout.entityName).\(relation.name) could not be read and seems empty. \(error)")
    if faultError == nil { faultError = error }
  }
}

extension EntityState {
  /// What others saved meanwhile of to-ones whose key is at the other end has not reached what was deleted.
  func forgetMirrorsOfDeleted() {
    for relation in layout.relations where !relation.isToMany {
      guard case .mirror = relation.form else { continue }
      for object in deleted { erased(object)._$change(relation.property, .key(ToOneKey.unknown)) }
    }
  }
}
