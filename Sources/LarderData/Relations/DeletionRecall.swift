import LarderSQLite

// A deletion that is taken back after it was carried to related objects: what followed from it is taken back, too. Where
// the relationship has an order, the object stands last in it.

extension EntityState {
  /// Relates an object again to those that were related to it before its deletion.
  func recall(_ model: any PersistentModel) {
    guard isRelated else { return }
    do {
      let recalling = Recalling(core: core, state: self, model: model)
      for relation in layout.relations { try recalling.recall(relation) }
      for incoming in core.container.incoming(layout) { try recalling.recall(from: incoming) }
    } catch {
      if core.faultError == nil { core.faultError = error }
    }
  }
}

private struct Recalling {
  let core: ContextCore
  let state: EntityState
  let model: any PersistentModel

  private var row: Int64 { model._$header.pointee.rowID }

  func recall(_ relation: RelationLayout) throws {
    let there = try core.state(for: relation.destinationLayout)
    switch relation.form {
    case .key:
      if relation.deleteRule == .cascade { try revive(at: there, [model._$key(relation.property)]) }
      recallKey(relation, there)
    case .mirror(let key):
      guard let key = there.layout.relation(key) else { return }
      let others = try referring(there, key)
      if relation.deleteRule == .cascade { try revive(at: there, others) } else { try recall(key, of: there, others) }
      keepOnlyOwn(relation, key, there)
    case .link(let table, let isSource):
      let others = try core.linkedRows(of: [row], table, isSource: isSource).map(\.other)
      if relation.deleteRule == .cascade { try revive(at: there, others) }
      guard let inverse = relation.mirrored else { return }
      for other in others { if let other = there.find(other).map(there.erased) { rejoin(other, there, inverse) } }
    }
  }

  /// What others refer to it by, where nothing mirrors that.
  func recall(from incoming: IncomingRelation) throws {
    let there = try core.state(for: incoming.layout)
    switch incoming.relation.form {
    case .key: try recall(incoming.relation, of: there, try referring(there, incoming.relation))
    case .mirror: break
    case .link(let table, _):
      for pair in try core.linkedRows(of: [row], table, isSource: false) {
        if let holder = there.find(pair.other).map(there.erased) { rejoin(holder, there, incoming.relation) }
      }
    }
  }

  /// The object has the key.
  private func recallKey(_ relation: RelationLayout, _ there: EntityState) {
    let key = model._$key(relation.property)
    guard key > 0 else { return }
    if there.isDeleted(key) { return core.setKey(model, state, relation, 0) }
    guard let inverse = relation.mirrored, let other = there.find(key).map(there.erased) else { return }
    if inverse.isToMany { return rejoin(other, there, inverse) }
    switch other._$key(inverse.property) {
    case 0: core.setKey(other, there, inverse, row)
    case ToOneKey.unknown, row: break
    // It has another by now.
    default: core.setKey(model, state, relation, 0)
    }
  }

  /// Others have the key: those that lost it to the deletion get it back.
  private func recall(_ key: RelationLayout, of there: EntityState, _ rows: [Int64]) throws {
    for other in try instances(rows, there) where other._$key(key.property) == 0 && !isDeleted(other) {
      core.setKey(other, there, key, row)
    }
  }

  /// While the object was deleted, nobody took out of it what others took.
  private func keepOnlyOwn(_ relation: RelationLayout, _ key: RelationLayout, _ there: EntityState) {
    func isOwn(_ other: any PersistentModel) -> Bool { !isDeleted(other) && other._$key(key.property) == row }
    switch model._$relation(relation.property) {
    case .many(let members?):
      let own = members.filter(isOwn)
      guard own.count < members.count else { return }
      model._$change(relation.property, .objects(own, generation: core.relations.generation))
    case .one(let other, _) where other > 0:
      if let other = there.find(other).map(there.erased), !isOwn(other) { core.setKey(model, state, relation, 0) }
    default: break
    }
  }

  /// Takes back the deletion of what was deleted along with it.
  private func revive(at there: EntityState, _ rows: [Int64]) throws {
    for other in try instances(rows.filter { $0 > 0 && there.isDeleted($0) }, there) where isDeleted(other) {
      there.own(other).restore(other)
    }
  }

  /// The rows that refer to this one in the store.
  private func referring(_ there: EntityState, _ key: RelationLayout) throws -> [Int64] {
    guard case .key(let column, _) = key.form else { return [] }
    let name = StoreFormat.quoted(there.layout.columns[column].name)
    let sql = "SELECT \(StoreFormat.identifierColumn) FROM \(there.statements.table) WHERE \(name) = ?1"
    let row = row
    return try StoreError.wrapping(core.store.database.isInMemory ? nil : core.store.url, "looking for related rows") {
      try core.session.read { connection in
        try connection.withStatement(for: sql) { statement in
          statement.bind(1, row)
          defer { statement.reset() }
          var rows: [Int64] = []
          while try statement.step() { rows.append(statement.int64(0)) }
          return rows
        }
      }
    }
  }

  private func instances(_ rows: [Int64], _ there: EntityState) throws -> [any PersistentModel] {
    let missing = rows.filter { there.find($0) == nil }
    let loaded = try there.loadRows(missing)
    defer { withExtendedLifetime(loaded) {} }
    return rows.compactMap { there.find($0).map(there.erased) }
  }

  private func isDeleted(_ model: any PersistentModel) -> Bool { model._$header.pointee.status.contains(.deleted) }

  /// Puts the object into the to-many of another that it was taken out of.
  private func rejoin(_ other: any PersistentModel, _ there: EntityState, _ inverse: RelationLayout) {
    if case .many(let members?) = other._$relation(inverse.property) {
      if !members.contains(where: { $0 === model }) { core.join(other, there, inverse, model) }
      return
    }
    let place = RelationPlace(other, inverse.property)
    if let edit = there.own(other).linkEdits[place], edit.removed.contains(row) {
      there.own(other).linkEdits[place]?.removed.remove(row)
    }
  }
}
