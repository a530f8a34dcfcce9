import LarderSupport

extension UndoRecorder {
  /// What takes back what changed since the last step, which has ended with this.
  func takeStep() -> UndoStep? {
    guard let recording = prepareStep() else { return nil }
    // See ``HeldUntilDone``.
    let former = images
    stepsTaken += 1
    images = recording.newImages
    deletions = recording.newDeletions
    withExtendedLifetime(former) {}
    return recording.step
  }

  /// What takes back what changed since the last step; nil where it could not be found out.
  func prepareStep() -> StepRecording? {
    do {
      try core.spreadDeletions()
      var recording = StepRecording(core, images, deletions, saves: saves)
      try recording.run()
      return recording
    } catch {
      Log.warning("What changed cannot be taken back, since it could not be compared with what was before. \(error)")
      return nil
    }
  }
}

/// Compares what is pending with what it was at the end of the last step.
struct StepRecording {
  let core: ContextCore
  private let saves: Int
  private let images: [RowPlace: UndoImage]
  private let deletions: [RowPlace: EntityState]
  private(set) var newImages: [RowPlace: UndoImage] = [:]
  private(set) var newDeletions: [RowPlace: EntityState] = [:]
  private var changes: [ObjectChange] = []
  var step: UndoStep { UndoStep(changes: changes.filter { !$0.isEmpty }) }
  private var places: [RowPlace: Int] = [:]
  private var listsBefore: ListsBefore
  /// What edits noted, by the states' classes.
  private var logs: [ObjectIdentifier: [Int: [ObjectColumns.Entry]]] = [:]
  /// The places of the changes of objects that the step inserted.
  private var insertions: [ObjectIdentifier: Int] = [:]
  /// The lists of others in which the objects of the step stood.
  private var around = ListsAround()

  init(
    _ core: ContextCore, _ images: [RowPlace: UndoImage], _ deletions: [RowPlace: EntityState], saves: Int
  ) {
    self.core = core
    self.saves = saves
    self.images = images
    self.deletions = deletions
    listsBefore = ListsBefore(core, images)
  }

  mutating func run() throws {
    let gone = try deletedObjects()
    try listsBefore.load(gone)
    for state in core.known where state.hasChanges {
      for object in state.inserted { try take(inserted: state.erased(object), state) }
      try take(changed: state)
    }
    for (model, state) in gone { try take(deleted: model, state) }
    takeDiscarded()
    for (place, state) in deletions where newDeletions[place] == nil {
      change(state, place.row) { $0.existed = false }
    }
    try around.complete(core, &changes, places, images, saves: saves)
  }

  /// The change of a row, made if there is none.
  private mutating func change(_ state: EntityState, _ row: Int64, _ body: (inout ObjectChange) -> Void) {
    let place = RowPlace(state, row)
    let index = places[place] ?? changes.count
    if index == changes.count {
      places[place] = index
      changes.append(ObjectChange(state, row, saves: saves))
    }
    body(&changes[index])
  }

  private mutating func log(of state: EntityState) -> [Int: [ObjectColumns.Entry]] {
    if let known = logs[ObjectIdentifier(state)] { return known }
    let log = ObjectColumns.entries(state.undo)
    logs[ObjectIdentifier(state)] = log
    return log
  }

  // MARK: Deletions

  /// What was deleted since the last step.
  private mutating func deletedObjects() throws -> [(model: any PersistentModel, state: EntityState)] {
    var result: [(model: any PersistentModel, state: EntityState)] = []
    for state in core.known where !state.deletedRows.isEmpty {
      var rows: [Int64] = []
      for row in state.deletedRows.inOrder() {
        let place = RowPlace(state, row)
        newDeletions[place] = state
        if deletions[place] == nil { rows.append(row) }
      }
      // Those that are in memory as well: what others saved of them is to come back with them. What others deleted is
      // not there, and stays away.
      result += try state.loadRows(rows).map { ($0, state.own($0)) }
    }
    return result
  }

  private mutating func take(deleted model: any PersistentModel, _ state: EntityState) throws {
    let row = model._$header.pointee.rowID
    let place = RowPlace(state, row)
    let changed = model._$header.pointee.changed
    let isChanged = model._$header.pointee.status.contains(.changed)
    let entries = isChanged ? log(of: state)[Int(model._$header.pointee.place)] ?? [] : []
    let current = ObjectColumns.current(model, state.layout)
    let former = ObjectColumns.former(current, state, entries, images[place])
    var edited = Set(heldBefore(model, state, images[place], among: changed, all: false).keys)
    for property in state.layout.properties {
      let isEdited = isChanged && changed & property.bit != 0
      if isEdited || former[property.columns] != current[property.columns] { edited.insert(property.index) }
    }
    let lists = try listsBefore.lists(of: model, state)
    for (property, list) in lists {
      if let relation = state.layout.relation(property) { around.note(list.before, relation, of: row) }
    }
    let held = heldBefore(model, state, images[place], among: changed, all: true)
    let keys = ObjectColumns.keys(former, state.layout)
    around.note(keys, state.layout, of: row)
    for incoming in core.container.incoming(state.layout) { around.note(incoming, to: row) }
    change(state, row) { change in
      change.exists = false
      change.object = model
      change.version = model._$header.pointee.version
      change.edited = edited
      change.columns = ObjectColumns.attributes(former, state.layout)
      change.keys = keys
      change.lists = lists
      change.held = held
    }
  }

  /// Objects that left without having been saved.
  private mutating func takeDiscarded() {
    for (place, image) in images {
      // One that is still here has another row by now: a stranger's turned up under its own.
      guard let model = image.inserted, newImages[place] == nil, model._$header.pointee.state?.core !== core,
        let state = core.state(of: model)
      else { continue }
      let keys = ObjectColumns.keys(image.values, state.layout)
      around.note(keys, state.layout, of: place.row)
      for relation in state.layout.relations where relation.isToMany {
        around.note(image.lists[relation.property] ?? [], relation, of: place.row)
      }
      change(state, place.row) { change in
        change.exists = false
        change.object = model
        change.version = model._$header.pointee.version
        change.columns = ObjectColumns.attributes(image.values, state.layout)
        change.keys = keys
        change.held = image.held
        change.lists = image.lists.mapValues { ObjectChange.List(before: $0, after: []) }
      }
    }
  }

  // MARK: Inserts

  /// An insert turned out to be a row that was there.
  ///
  /// - Returns: Whether it was of this step.
  mutating func forgetInsert(of object: AnyObject) -> Bool {
    guard let index = insertions[ObjectIdentifier(object)] else { return false }
    changes[index].existed = true
    return true
  }

  private mutating func take(inserted model: any PersistentModel, _ state: EntityState) throws {
    let row = model._$header.pointee.rowID
    let place = RowPlace(state, row)
    var image = UndoImage(values: ObjectColumns.current(model, state.layout), mask: ~0, inserted: model)
    for relation in state.layout.relations where relation.isToMany {
      guard case .many(let members) = model._$relation(relation.property) else { continue }
      image.lists[relation.property] = (members ?? []).map { $0._$header.pointee.rowID }
    }
    for property in state.layout.propertiesBesideRows {
      if case .held(let value?) = model._$relation(property.index) { image.held[property.index] = value }
    }
    newImages[place] = image
    guard let former = images[place], former.inserted != nil else {
      change(state, row) { $0.existed = false }
      insertions[ObjectIdentifier(model)] = places[place]
      return
    }
    compare(state, row, former.values, image.values, among: ~0)
    for (property, before) in former.held {
      let codec = state.layout.properties[property].codec
      if let now = image.held[property], codec.isSame(held: before, now) { continue }
      change(state, row) { $0.held[property] = before }
    }
    for (property, after) in image.lists {
      note(state, row, property, before: former.lists[property] ?? [], after: after)
    }
  }

  // MARK: Edits

  private mutating func take(changed state: EntityState) throws {
    if state.changed.isEmpty { return }
    let log = log(of: state)
    for (index, object) in state.changed.enumerated() {
      let model = state.erased(object)
      let header = model._$header
      guard header.pointee.status.contains(.stored), !header.pointee.status.contains(.deleted) else { continue }
      let row = header.pointee.rowID
      let place = RowPlace(state, row)
      let mask = header.pointee.changed
      var image = UndoImage(values: ObjectColumns.current(model, state.layout), mask: mask)
      for relation in state.layout.relations where relation.isToMany && mask & relation.bit != 0 {
        guard state.formerRelations[RelationPlace(model, relation.property)] != nil,
          case .many(let members?) = model._$relation(relation.property)
        else { continue }
        image.lists[relation.property] = members.map { $0._$header.pointee.rowID }
      }
      for property in state.layout.propertiesBesideRows {
        if case .held(let value?) = model._$relation(property.index) { image.held[property.index] = value }
      }
      newImages[place] = image
      // What is back is as it was.
      if deletions[place] != nil, newDeletions[place] == nil { continue }
      let former = ObjectColumns.former(image.values, state, log[index] ?? [], images[place])
      compare(state, row, former, image.values, among: mask)
      let held = heldBefore(model, state, images[place], among: mask, all: false)
      if !held.isEmpty { change(state, row) { $0.held = held } }
      for (property, after) in image.lists {
        let before =
          images[place]?.lists[property] ?? listsBefore[RelationPlace(model, property)] ?? after
        let stored = state.layout.relation(property)?.isLink == true ? listsBefore[RelationPlace(model, property)] : nil
        note(state, row, property, before: before, after: after, stored: stored)
      }
    }
  }

  private mutating func compare(
    _ state: EntityState, _ row: Int64, _ before: [StoredValue], _ after: [StoredValue], among mask: UInt64
  ) {
    var keys: [Int: Int64] = [:]
    for property in state.layout.properties where mask & property.bit != 0 && !property.columns.isEmpty {
      let columns = property.columns
      if before[columns] == after[columns] { continue }
      if property.relation == nil {
        change(state, row) { $0.columns[property.index] = Array(before[columns]) }
      } else {
        keys[property.index] = ObjectColumns.key(before[columns.lowerBound])
      }
    }
    if keys.isEmpty { return }
    around.note(keys, state.layout, of: row)
    change(state, row) { $0.keys = keys }
  }

  private mutating func note(
    _ state: EntityState, _ row: Int64, _ property: Int, before: [Int64], after: [Int64], stored: [Int64]? = nil
  ) {
    if before == after { return }
    change(state, row) { $0.lists[property] = ObjectChange.List(before: before, after: after, stored: stored) }
  }

  // MARK: Values beside the row

  /// - Parameter all: Whether those that did not change are asked for, too.
  private func heldBefore(
    _ model: any PersistentModel, _ state: EntityState, _ image: UndoImage?, among mask: UInt64, all: Bool
  ) -> [Int: AnyObject] {
    var result: [Int: AnyObject] = [:]
    for property in state.layout.propertiesBesideRows {
      guard case .held(let now) = model._$relation(property.index) else { continue }
      let noted = state.formerRelations[RelationPlace(model, property.index)]
      let isChanged = mask & property.bit != 0 && noted != nil
      guard all || isChanged else { continue }
      var before = image.flatMap { $0.mask & property.bit != 0 ? $0.held[property.index] : nil }
      if before == nil, isChanged, case .held(let value?)? = noted?.value { before = value }
      if before == nil, !isChanged { before = now }
      if before == nil, property.placement.external != nil {
        before = ObjectColumns.stored(model, property)
        // What an undo leads to is seen to be that.
        if let before, isChanged {
          state.formerRelations[RelationPlace(model, property.index)]?.value = .held(before)
        }
      }
      guard let before else { continue }
      if !all, let now, property.codec.isSame(held: before, now) { continue }
      result[property.index] = before
    }
    return result
  }
}

extension ContextCore {
  /// The state of an object's class, also of one that has left.
  fileprivate func state(of model: any PersistentModel) -> EntityState? {
    try? state(for: type(of: model)._$layout)
  }
}
