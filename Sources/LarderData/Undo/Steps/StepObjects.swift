import LarderSupport

/// The objects that a step names and are there, held until it is taken back.
struct StepObjects {
  private typealias Wanted = [Int: (state: EntityState, rows: Set<Int64>)]

  private let core: ContextCore
  private var known: [RowPlace: any PersistentModel] = [:]
  /// The rows that the store has, those included that are deleted here.
  private(set) var stored: Set<RowPlace> = []

  init(_ core: ContextCore) { self.core = core }

  subscript(_ place: RowPlace) -> (any PersistentModel)? {
    get { known[place] }
    set { known[place] = newValue }
  }

  /// What a relationship leads to by a key.
  func target(_ row: Int64, _ relation: RelationLayout) throws -> (any PersistentModel)? {
    try targets(of: relation)(row)
  }

  func targets(of relation: RelationLayout) throws -> (Int64) -> (any PersistentModel)? {
    let (known, state) = (known, try core.state(for: relation.destinationLayout))
    return { known[RowPlace(state, $0)] }
  }

  // MARK: Finding

  /// Looks for all objects that the step names.
  mutating func find(_ changes: [ObjectChange]) throws {
    var wanted: Wanted = [:]
    for change in changes {
      try want([change.row], change.layout, &wanted)
      for (property, key) in change.keys {
        guard let relation = change.layout.relation(property) else { continue }
        try want([ToOneKey.shown(key)], relation.destinationLayout, &wanted)
      }
      for (property, list) in change.lists {
        if let relation = change.layout.relation(property) {
          try want(list.before, relation.destinationLayout, &wanted)
        }
      }
    }
    for model in try load(wanted) {
      if let state = model._$header.pointee.state { stored.insert(RowPlace(state, model._$header.pointee.rowID)) }
    }
  }

  /// Looks for what objects lead to by now, as far as the step does not name it: others may have given them another
  /// while their deletion was pending.
  mutating func findTargets(of owners: [StepOwner]) throws {
    var wanted: Wanted = [:]
    for owner in owners {
      for relation in owner.state.layout.relations {
        guard case .key = relation.form, case let key = owner.model._$key(relation.property), key > 0,
          try target(key, relation) == nil
        else { continue }
        try want([key], relation.destinationLayout, &wanted)
      }
    }
    try load(wanted)
  }

  private func want(_ rows: [Int64], _ layout: ModelLayout, _ wanted: inout Wanted) throws {
    let state = try core.state(for: layout)
    wanted[layout.id, default: (state, [])].rows.formUnion(rows.lazy.filter { $0 > 0 })
  }

  /// A statement for each model; what was never saved is found in memory.
  ///
  /// - Returns: Those that the store has.
  @discardableResult
  private mutating func load(_ wanted: Wanted) throws -> [any PersistentModel] {
    var result: [any PersistentModel] = []
    for (state, rows) in wanted.values {
      // Read anew, since an object may outlast its row.
      let loaded = try state.loadRows(rows.inOrder())
      for model in loaded { note(model, state) }
      for row in rows {
        guard let object = state.find(row) else { continue }
        let model = state.erased(object)
        if model._$header.pointee.status.contains(.inserted) { note(model, state) }
      }
      result += loaded
    }
    return result
  }

  /// Notes an object that is back, of which the step may tell.
  mutating func note(_ model: any PersistentModel) {
    if let state = model._$header.pointee.state { note(model, state) }
  }

  private mutating func note(_ model: any PersistentModel, _ state: EntityState) {
    let header = model._$header
    if !header.pointee.status.contains(.deleted) { known[RowPlace(state, header.pointee.rowID)] = model }
  }
}
