import LarderSupport

/// Brings one object back whose deletion is undone: as it was, but for the other ends of its relationships.
struct Returning {
  private let core: ContextCore
  private let recorder: UndoRecorder
  private let change: ObjectChange
  private let state: EntityState

  init(_ core: ContextCore, _ recorder: UndoRecorder, _ change: ObjectChange) throws {
    self.core = core
    self.recorder = recorder
    self.change = change
    state = try core.state(for: change.layout)
  }

  func bringBack() throws -> any PersistentModel {
    if let object = state.find(change.row) {
      let model = state.erased(object)
      if model._$header.pointee.status.isSuperset(of: [.stored, .deleted]) { return takeBack(model, state.own(model)) }
    }
    return enter(change.layout.type)
  }

  // MARK: A deletion that is not saved

  /// Those who observe it are told when all is back.
  private func takeBack(_ model: any PersistentModel, _ state: EntityState) -> any PersistentModel {
    let header = model._$header
    header.pointee.status.remove(.deleted)
    state.deletedRows.remove(change.row)
    core.touch(change.row, state)
    state.pendingEnded()
    for relation in state.layout.relations {
      switch relation.form {
      case .key:
        let key = change.keys[relation.property] ?? 0
        let isOwn = change.isOwn(relation.property, model, saves: recorder.saves)
        if !isOwn || model._$key(relation.property) == key { continue }
        state.observe(model, relation) { model._$change(relation.property, .key(key)) }
      case .mirror:
        // Asked for again, with what is pending.
        state.observe(model, relation.property) {
          if relation.isToMany {
            state.unloadShown(model, relation.property)
          } else {
            model._$change(relation.property, .key(ToOneKey.unknown))
          }
        }
      case .link:
        state.observe(model, relation) {
          state.linkEdits[RelationPlace(model, relation.property)] = nil
          state.shownLists.forget(change.row, relation.property)
          model._$change(relation.property, .objects([], generation: core.relationMarks.generation))
        }
        core.noteLinkHolder(model, relation.property)
      }
    }
    return model
  }

  // MARK: One that is saved

  /// The row is to be inserted again, under the number that it had.
  private func enter<Model: PersistentModel>(_ type: Model.Type) -> any PersistentModel {
    // The one that left, unless it is another row by now.
    let former = (change.object as? Model).flatMap { $0._$header.pointee.state == nil ? $0 : nil }
    let model = former ?? make(type)
    let header = model._$header
    core.changeBegan()
    let place = RowPlace(state, change.row)
    // It did not leave, after all.
    core.relations.departed[place] = nil
    header.pointee.formerIdentity = nil
    header.pointee.siblings = nil
    header.pointee.version = core.returned.note(model, state, former: change.version)
    header.pointee.status = .inserted
    header.pointee.changed = ~0
    state.register(change.row, Unmanaged.passUnretained(model).toOpaque(), header)
    header.pointee.place = Int32(truncatingIfNeeded: state.inserted.count)
    state.inserted.append(model)
    // As an object of the context, whose observers are told when all is back.
    if former != nil { ObjectColumns.assign(change.columns, to: model, state) }
    for relation in state.layout.relations {
      state.shownLists.forget(change.row, relation.property)
      state.observe(model, relation.property) {
        model._$change(
          relation.property,
          relation.isToMany
            ? .objects([], generation: core.relationMarks.generation) : .key(change.keys[relation.property] ?? 0))
      }
    }
    for (property, value) in change.held {
      state.observe(model, property) { model._$change(property, .held(value)) }
    }
    return model
  }

  private func make<Model: PersistentModel>(_ type: Model.Type) -> Model {
    var values = [StoredValue](repeating: .null, count: state.layout.columns.count)
    for (property, columns) in change.columns {
      values.replaceSubrange(state.layout.properties[property].columns, with: columns)
    }
    return Model(_$row: RowReader(source: RowSource(values), layout: state.layout, problems: RowProblems()))
  }

  /// Whether there is what the object can be made of: the instance that left, or else a stored form for all that it had.
  static func isPossible(_ change: ObjectChange) -> Bool {
    if let object = change.object, object._$header.pointee.state == nil { return true }
    return change.columns.allSatisfy { ObjectColumns.isStorable($1, $0, change.layout) }
  }
}

extension ObjectColumns {
  /// Whether columns are the stored form of a value, and not what stands for one that has none.
  static func isStorable(_ values: [StoredValue], _ property: Int, _ layout: ModelLayout) -> Bool {
    let range = layout.properties[property].columns
    return zip(range, values).allSatisfy { $1 != .null || layout.columns[$0].isOptional }
  }

  /// Gives attributes the values that they had.
  static func assign(_ columns: [Int: [StoredValue]], to model: any PersistentModel, _ state: EntityState) {
    let layout = state.layout
    let now = current(model, layout)
    var values = now
    var mask: PropertyMask = 0
    for (property, former) in columns {
      let range = layout.properties[property].columns
      if now[range] == former[...] { continue }
      // What the store has no form for cannot be had again.
      if !isStorable(former, property, layout) { continue }
      values.replaceSubrange(range, with: former)
      mask |= ModelLayout.bit(property)
    }
    if mask == 0 { return }
    for property in columns.keys where mask & ModelLayout.bit(property) != 0 {
      if model._$header.pointee.changed & ModelLayout.bit(property) == 0 { model._$willWrite(property) }
    }
    let places = layout.columns.indices.filter { mask & ModelLayout.bit(layout.columns[$0].property) != 0 }
    let source = RowSource(places.map { values[$0] })
    model._$assign(RowReader(source: source, layout: layout, problems: RowProblems()), mask)
  }
}
