import LarderSupport

/// What a value's own coding edits while a save writes rows: `encode(to:)`, or a value transformer, may do anything.
///
/// A row that is written already has not got it, so it stays pending. To find it, an object counts as unchanged from the
/// moment when it is about to be written: what is edited then is noted as a first edit is.
final class LateEdits {
  /// The values that a property held before it was edited.
  typealias Former = (bit: PropertyMask, values: [StoredValue])

  private struct Written {
    let header: UnsafeMutablePointer<ModelHeader.Fields>
    /// What counted as changed.
    let mask: PropertyMask
  }

  // Unchecked, as nothing runs while one enters, and one does for each row.
  @exclusivity(unchecked) private var written: [Written] = []
  /// What was edited of the rows that had been written, by the objects' headers.
  private var masks: [UnsafeMutablePointer<ModelHeader.Fields>: PropertyMask] = [:]
  private var ofInserted: [UnsafeMutablePointer<ModelHeader.Fields>: [Former]] = [:]
  /// Where edits begin that came when all rows were written, by the states' classes.
  private var ends: [ObjectIdentifier: Int] = [:]
  /// The first relationship that was edited, which lies in more than one row.
  private var relation: (entity: String, name: String)?

  /// Whether values of what is saved run code of the program's own.
  static func areExpected(of states: [EntityState]) -> Bool {
    states.contains { state in
      !(state.changed.isEmpty && state.inserted.isEmpty)
        && state.layout.columns.contains { $0.form == .json || $0.form == .transformed }
    }
  }

  /// An object is about to be written.
  func begin(_ header: UnsafeMutablePointer<ModelHeader.Fields>) {
    written.append(Written(header: header, mask: header.pointee.changed))
    header.pointee.changed = 0
  }

  /// A relationship is about to change. Keys of what is written already cannot be left for later, as lists at the other end
  /// have changed with them; those of new objects are written with these, and pairs of many-to-manys after all rows.
  func noteRelation(
    _ change: RelationLayout, of header: UnsafeMutablePointer<ModelHeader.Fields>, _ layout: ModelLayout
  ) {
    guard relation == nil, case .key = change.form else { return }
    if header.pointee.status.contains(.inserted), header.pointee.changed & change.bit != 0 { return }
    relation = (layout.entityName, change.name)
  }

  func note(_ former: [StoredValue], ofInserted header: UnsafeMutablePointer<ModelHeader.Fields>, _ bit: PropertyMask) {
    ofInserted[header, default: []].append((bit, former))
  }

  /// All rows are written, or some cannot be.
  ///
  /// - Parameter isWhole: Whether they are; if not, all is pending as it was.
  func end(_ savings: [EntitySaving], isWhole: Bool) throws {
    for one in written {
      let late = one.header.pointee.changed
      one.header.pointee.changed = one.mask | late
      if late != 0 { masks[one.header] = late }
    }
    for saving in savings { ends[ObjectIdentifier(saving.state)] = saving.state.undo.count }
    let refusal = isWhole ? refusal(savings) : nil
    if isWhole, refusal == nil { return }
    for saving in savings { takeBack(saving) }
    if let refusal { throw refusal }
  }

  private func refusal(_ savings: [EntitySaving]) -> SaveError? {
    if let relation { return LateEdits.refusal(relation.entity, relation.name, "a relationship lies in several rows") }
    for saving in savings {
      for union in saving.unions where masks[saving.state.erased(union.object)._$header] != nil {
        return LateEdits.refusal(
          saving.state.layout.entityName, nil, "the object has turned out to be a row that is there")
      }
    }
    return nil
  }

  private static func refusal(_ entity: String, _ property: String?, _ reason: String) -> SaveError {
    let name = property.map { "\(entity).\($0)" } ?? entity
    return SaveError(
      .editedWhileSaving, entityName: entity, properties: property.map { [$0] } ?? [],
      "\(name) was edited by a value's own coding while a save wrote it, which cannot be told apart: \(reason). Edit it before "
        + "the save, and not in encode(to:) or a transformer. Nothing was written.")
  }

  /// Properties that count as changed anyway were noted twice: the first is what the store has.
  private func takeBack(_ saving: EntitySaving) {
    let state = saving.state
    guard state.undo.count > saving.firstUndo, !masks.isEmpty else { return }
    let before = Dictionary(written.map { ($0.header, $0.mask) }, uniquingKeysWith: { first, _ in first })
    for index in saving.firstUndo..<state.undo.count where state.undo[index].bit != 0 {
      let entry = state.undo[index]
      let header = state.erased(state.changed[Int(entry.object)])._$header
      if let mask = before[header], mask & entry.bit != 0 { state.undo.end(index) }
    }
  }

  // MARK: After the commit

  /// What stays pending of a state's objects, in the order of the edits.
  func pending(of saving: EntitySaving) -> [(model: any PersistentModel, former: [Former])] {
    let state = saving.state
    guard state.undo.count > saving.firstUndo || !ofInserted.isEmpty else { return [] }
    let end = ends[ObjectIdentifier(state)] ?? 0
    var objects: [any PersistentModel] = []
    var places: [UnsafeMutablePointer<ModelHeader.Fields>: Int] = [:]
    var former: [[PropertyMask: [StoredValue]]] = []
    func add(_ model: any PersistentModel, _ bit: PropertyMask, _ values: [StoredValue]) {
      // What lies beside the rows, or in other ones, is written after them.
      if bit & state.layout.attributeMask == 0 { return }
      let header = model._$header
      if places[header] == nil {
        places[header] = objects.count
        objects.append(model)
        former.append([:])
      }
      // The last of several is what was written.
      if let place = places[header] { former[place][bit] = values }
    }
    for index in saving.firstUndo..<max(saving.firstUndo, state.undo.count) where state.undo[index].bit != 0 {
      let entry = state.undo[index]
      let model = state.erased(state.changed[Int(entry.object)])
      let header = model._$header
      if headers.contains(header), index < end, (masks[header] ?? 0) & entry.bit == 0 { continue }
      add(model, entry.bit, state.undo.values(of: index))
    }
    if !ofInserted.isEmpty {
      for object in state.inserted {
        let model = state.erased(object)
        for one in ofInserted[model._$header] ?? [] { add(model, one.bit, one.values) }
      }
    }
    return zip(objects, former).map { model, former in (model, former.map { ($0.key, $0.value) }) }
  }

  /// Whether a save has written an object.
  func hasWritten(_ header: UnsafeMutablePointer<ModelHeader.Fields>) -> Bool { headers.contains(header) }

  /// Asked for where there are such edits alone.
  private lazy var headers = Set(written.map(\.header))
}

extension EntityState {
  /// Has edits pending that a save has not written.
  func keepPending(_ edits: [(model: any PersistentModel, former: [LateEdits.Former])]) {
    for (model, former) in edits {
      let header = model._$header
      guard header.pointee.state === self, header.pointee.status.contains(.stored),
        !header.pointee.status.contains(.deleted)
      else { continue }
      if !header.pointee.status.contains(.changed) {
        header.pointee.status.insert(.changed)
        header.pointee.place = Int32(truncatingIfNeeded: changed.count)
        changed.append(model)
      }
      for (bit, values) in former {
        undo.append(object: header.pointee.place, bit: bit, values)
        header.pointee.changed |= bit
        dirtyMask |= bit
      }
    }
  }
}
