import LarderSupport

// A deletion that is undone in two contexts: each brings the row back, under the number that it had, and there is one such row.
// The insert that is saved last becomes an edit of the row that the other context has saved.

extension ReturnedRows {
  /// Whether an insert and a stored row bring the same row back. A row that another program has made under that number has a
  /// version from before ``distance``.
  static func isSame(_ header: UnsafeMutablePointer<ModelHeader.Fields>, _ version: Int64) -> Bool {
    version >= distance && header.pointee.isReturning
  }
}

extension EntityState {
  /// Makes an object that was to be inserted again the object of its row, which others have inserted again.
  ///
  /// Values and relationships of the object that the row lacks are edits, unless the merge policy lets the stored value win. With ``MergePolicy/error``
  /// the next save says that there are two.
  ///
  /// - Parameter stored: An object in no context, with the present values of the row.
  func meet<Model: PersistentModel>(
    _ model: Model, _ stored: Model, _ reader: borrowing RowReader, _ version: Int64
  ) throws {
    let meeting = try Meeting(model, self)
    // See ``HeldUntilDone``.
    defer { withExtendedLifetime(meeting) {} }
    let header = model._$header
    core.touch(header.pointee.rowID, self)
    inserted.removeInstance(model)
    pending.removeAll()
    pendingEnded()
    header.pointee.status = .stored
    header.pointee.changed = 0
    header.pointee.version = version
    let moves = moves(of: model, to: stored).filter { !meeting.keeps($0.relation) }
    model._$assign(reader, ~0)
    meeting.relate(model, stored)
    for move in moves { follow(move, of: model) }
    meeting.editAgain(model)
    if core.mergePolicy == .error, hasEdits(header) {
      // As an edit of what others have changed since.
      header.pointee.version = version &- 1
      leaveBehind(header.pointee.rowID)
    }
    if !core.hasChanges { core.changesEnded() }
  }
}

/// What an object has that meets its row.
private struct Meeting {
  private let state: EntityState
  private var core: ContextCore { state.core }
  private let storeWins: Bool
  private let columns: [StoredValue]
  private let relations: [(relation: RelationLayout, value: RelationValue)]
  /// Values beside the row; what is not stored at all stays as it is.
  private let beside: [(property: PropertyLayout, value: RelationValue)]
  /// The to-ones that the program has set itself.
  private let led: Set<Int>
  /// What the store has in lists of pairs, and at the other end of to-ones of which that has the key.
  private let others: [Int: [Int64]]

  init(_ model: any PersistentModel, _ state: EntityState) throws {
    let layout = state.layout
    let row = model._$header.pointee.rowID
    self.state = state
    storeWins = state.core.mergePolicy == .mergeByPropertyStoreTrump
    columns = ObjectColumns.current(model, layout)
    relations = layout.relations.map { ($0, model._$relation($0.property)) }
    beside = layout.propertiesBesideRows.filter { !$0.placement.isEphemeral }.map { ($0, model._$relation($0.index)) }
    led = Set(layout.relations.filter { !$0.isToMany && state.isLed(model, $0) }.map(\.property))
    var others: [Int: [Int64]] = [:]
    for relation in layout.relations {
      switch relation.form {
      case .link: others[relation.property] = try state.core.storedLists([row], state, relation)[row] ?? []
      case .mirror where !relation.isToMany:
        others[relation.property] = try state.core.storedPartners(of: [row], relation).map(\.target)
      default: break
      }
    }
    self.others = others
  }

  /// Whether a to-one stays as it is here. One that leads nowhere, and that the program has not set to nil, has lost what it led
  /// to.
  func keeps(_ relation: RelationLayout) -> Bool {
    guard !storeWins, case .one(let key, _)? = relations.first(where: { $0.relation === relation })?.value,
      key != ToOneKey.unknown
    else { return false }
    return key != 0 || led.contains(relation.property)
  }

  /// Gives the object's relationships what the store has, and edits them again.
  func relate(_ model: any PersistentModel, _ stored: any PersistentModel) {
    for (relation, value) in relations {
      let property = relation.property
      switch value {
      case .one(let key, _):
        let now: Int64
        if case .key = relation.form {
          now = stored._$key(property)
          model._$change(property, .key(now))
        } else {
          now = others[property]?.first ?? 0
          model._$change(property, .key(ToOneKey.unknown))
        }
        if !keeps(relation) || key == now { continue }
        edit(model, relation) { model._$change(property, .key(key)) }
        // What the store has at the other end is merged with it.
        state.formerRelations[RelationPlace(model, property)]?.mergedGeneration = 0
      case .many(let members):
        state.unloadShown(model, property)
        // As pairs are under every merge policy, those of both are kept.
        guard case .link = relation.form, let members else { continue }
        let known = Set(others[property] ?? [])
        let added = members.filter { !known.contains($0._$header.pointee.rowID) }
        if added.isEmpty { continue }
        edit(model, relation) { for member in added { state.noteLink(model, relation, added: member) } }
        core.noteLinkHolder(model, property)
      default: continue
      }
    }
  }

  private func edit(_ model: any PersistentModel, _ relation: RelationLayout, _ change: () -> Void) {
    guard led.contains(relation.property) else { return state.observe(model, relation, change) }
    core.leading(model, relation) { state.observe(model, relation, change) }
  }

  /// Edits attributes again.
  func editAgain(_ model: any PersistentModel) {
    for (property, _) in beside { model._$change(property.index, .held(nil)) }
    if storeWins { return }
    ObjectColumns.assign(ObjectColumns.attributes(columns, state.layout), to: model, state)
    for case (let property, .held(let value?)) in beside {
      if let now = ObjectColumns.stored(model, property), property.codec.isSame(held: now, value) { continue }
      state.editHeld(model, property.index, to: value)
    }
  }
}
