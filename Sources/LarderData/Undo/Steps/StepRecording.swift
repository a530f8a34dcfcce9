import LarderSupport

extension UndoRecorder {
  /// What takes back what changed since the last step, which has ended with this.
  func takeStep() -> UndoStep? {
    guard let recording = prepareStep() else {
      // The next one looks at all.
      touched.touchAll()
      return nil
    }
    stepsTaken += 1
    end(recording)
    return recording.step
  }

  private func end(_ recording: StepRecording) {
    // See ``HeldUntilDone``.
    var held: [UndoImage] = []
    for (place, image) in recording.newImages {
      if let former = images.updateValue(image, forKey: place) { held.append(former) }
    }
    for place in recording.scope.places where recording.newImages[place] == nil {
      if let former = images.removeValue(forKey: place) { held.append(former) }
    }
    for part in recording.scope.parts {
      for row in part.deleted { deletions[RowPlace(part.state, row)] = part.state }
    }
    for place in recording.scope.returned.keys { deletions[place] = nil }
    touched.end()
    recording.watch()
    lastPlaces = recording.scope.places.union(recording.newImages.keys)
    withExtendedLifetime(held) {}
  }

  /// What takes back what changed since the last step; nil where it could not be found out.
  func prepareStep() -> StepRecording? {
    do {
      try core.spreadDeletions()
      touched.begin(core)
      var recording = StepRecording(self, StepScope(self, isWhole: touched.areAll))
      try recording.run()
      #if DEBUG
        if !touched.areAll { try _check(recording) }
      #endif
      return recording
    } catch {
      Log.warning("What changed cannot be taken back, since it could not be compared with what was before. \(error)")
      return nil
    }
  }
}

/// Compares what is pending with what it was at the end of the last step, as far as it may have changed since.
struct StepRecording {
  private let recorder: UndoRecorder
  private var core: ContextCore { recorder.core }
  let scope: StepScope
  private(set) var newImages: [RowPlace: UndoImage] = [:]
  private var changes: [ObjectChange] = []
  var step: UndoStep { UndoStep(changes: changes.filter { !$0.isEmpty }) }
  private var places: [RowPlace: Int] = [:]
  private var listsBefore: ListsBefore
  /// The places of the changes of objects that the step inserted.
  private var insertions: [ObjectIdentifier: Int] = [:]
  /// The lists of others in which the objects of the step stood.
  private var around = ListsAround()

  init(_ recorder: UndoRecorder, _ scope: StepScope) {
    self.recorder = recorder
    self.scope = scope
    listsBefore = ListsBefore(recorder)
  }

  mutating func run() throws {
    let gone = try deletedObjects()
    core.comparedObjects += gone.count
    try listsBefore.load(gone, scope)
    for part in scope.parts {
      core.comparedObjects += part.inserted.count + part.changed.count
      for model in part.inserted { try take(inserted: model, part.state) }
      for model in part.changed { take(changed: model, part.state) }
    }
    for (model, state) in gone { try take(deleted: model, state) }
    takeDiscarded()
    for (place, state) in scope.returned { change(state, place.row) { $0.existed = false } }
    try around.complete(recorder, &changes, places)
  }

  /// Has what it tells of name itself when it changes again.
  func watch() {
    for part in scope.parts {
      for model in part.inserted + part.changed
      where newImages[RowPlace(part.state, model._$header.pointee.rowID)] != nil {
        model._$watch()
      }
    }
  }

  /// The change of a row, made if there is none.
  private mutating func change(_ state: EntityState, _ row: Int64, _ body: (inout ObjectChange) -> Void) {
    let place = RowPlace(state, row)
    let index = places[place] ?? changes.count
    if index == changes.count {
      places[place] = index
      changes.append(ObjectChange(state, row, saves: recorder.saves))
    }
    body(&changes[index])
  }

  // MARK: Deletions

  /// What was deleted since the last step.
  private mutating func deletedObjects() throws -> [(model: any PersistentModel, state: EntityState)] {
    // Those that are in memory as well: what others saved of them is to come back with them. What others deleted is not
    // there, and stays away.
    try scope.parts.flatMap { part in try part.state.loadRows(part.deleted).map { ($0, part.state.own($0)) } }
  }

  private mutating func take(deleted model: any PersistentModel, _ state: EntityState) throws {
    let row = model._$header.pointee.rowID
    let place = RowPlace(state, row)
    let changed = model._$header.pointee.changed
    let isChanged = model._$header.pointee.status.contains(.changed)
    let image = recorder.images[place]
    let current = ObjectColumns.current(model, state.layout)
    let former = ObjectColumns.former(current, of: model, state, image)
    var edited = Set(heldBefore(model, state, image, among: changed, all: false).keys)
    for property in state.layout.properties {
      let isEdited = isChanged && changed & property.bit != 0
      if isEdited || former[property.columns] != current[property.columns] { edited.insert(property.index) }
    }
    let lists = try listsBefore.lists(of: model, state)
    for (property, list) in lists {
      if let relation = state.layout.relation(property) { around.note(list.before, relation, of: row) }
    }
    let held = heldBefore(model, state, image, among: changed, all: true)
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
    for place in scope.places {
      // One that is still here has another row by now: a stranger's turned up under its own.
      guard let image = recorder.images[place], let model = image.inserted, newImages[place] == nil,
        model._$header.pointee.state?.core !== core,
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
      if case .held(let value?) = model._$relation(property.index) {
        image.held[property.index] = ObjectColumns.kept(value, property, state.layout)
      }
    }
    newImages[place] = image
    guard let former = recorder.images[place], former.inserted != nil else {
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

  private mutating func take(changed model: any PersistentModel, _ state: EntityState) {
    let header = model._$header
    guard header.pointee.status.isSuperset(of: [.stored, .changed]), !header.pointee.status.contains(.deleted) else {
      return
    }
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
      if case .held(let value?) = model._$relation(property.index) {
        image.held[property.index] = ObjectColumns.kept(value, property, state.layout)
      }
    }
    newImages[place] = image
    // What is back is as it was.
    if scope.returned[place] != nil { return }
    let before = recorder.images[place]
    let former = ObjectColumns.former(image.values, of: model, state, before)
    compare(state, row, former, image.values, among: mask)
    let held = heldBefore(model, state, before, among: mask, all: false)
    if !held.isEmpty { change(state, row) { $0.held = held } }
    for (property, after) in image.lists {
      let known = listsBefore[RelationPlace(model, property)]
      let stored = state.layout.relation(property)?.isLink == true ? known : nil
      note(state, row, property, before: before?.lists[property] ?? known ?? after, after: after, stored: stored)
    }
  }

  private mutating func compare(
    _ state: EntityState, _ row: Int64, _ before: [StoredValue], _ after: [StoredValue], among mask: PropertyMask
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
    _ model: any PersistentModel, _ state: EntityState, _ image: UndoImage?, among mask: PropertyMask, all: Bool
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
