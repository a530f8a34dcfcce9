import LarderSupport

/// The present objects that a step names, held until it is reverted.
struct StepObjects {
  private typealias Requests = [Int: (tracker: _EntityTracker, rows: Set<Int64>)]

  private let core: _ContextCore
  private var objects: [RowKey: any PersistentModel] = [:]
  /// The rows that the store has, including those that are deleted here.
  private(set) var stored: Set<RowKey> = []

  init(_ core: _ContextCore) { self.core = core }

  subscript(_ place: RowKey) -> (any PersistentModel)? {
    get { objects[place] }
    set { objects[place] = newValue }
  }

  /// Returns the object that a relationship's key references.
  func target(_ row: Int64, _ relationship: RelationshipLayout) throws -> (any PersistentModel)? {
    try targets(of: relationship)(row)
  }

  func targets(of relationship: RelationshipLayout) throws -> (Int64) -> (any PersistentModel)? {
    let (known, tracker) = (objects, try core.tracker(for: relationship.destinationLayout))
    return { known[RowKey(tracker, $0)] }
  }

  // MARK: Lookup

  /// Loads all objects that the step names.
  mutating func find(_ changes: [ObjectChange]) throws {
    var wanted: Requests = [:]
    for change in changes {
      try request([change.row], change.layout, &wanted)
      for (property, key) in change.foreignKeys {
        guard let relationship = change.layout.relationship(property) else { continue }
        try request([_ToOneKey.targetRow(of: key)], relationship.destinationLayout, &wanted)
      }
      for (property, list) in change.lists {
        if let relationship = change.layout.relationship(property) {
          try request(list.before, relationship.destinationLayout, &wanted)
        }
      }
    }
    for model in try load(wanted) {
      if let tracker = model._$header.pointee.tracker { stored.insert(RowKey(tracker, model._$header.pointee.rowID)) }
    }
  }

  /// Loads the present targets of objects, as far as the step does not name them: other contexts may have set other targets
  /// while the deletion of the objects was pending.
  mutating func findTargets(of owners: [StepOwner]) throws {
    var wanted: Requests = [:]
    for owner in owners {
      for relationship in owner.tracker.layout.relationships {
        guard case .foreignKey = relationship.storage, case let key = owner.model._$foreignKey(relationship.property),
          key > 0,
          try target(key, relationship) == nil
        else { continue }
        try request([key], relationship.destinationLayout, &wanted)
      }
    }
    try load(wanted)
  }

  private func request(_ rows: [Int64], _ layout: _ModelLayout, _ wanted: inout Requests) throws {
    let tracker = try core.tracker(for: layout)
    wanted[layout.id, default: (tracker, [])].rows.formUnion(rows.lazy.filter { $0 > 0 })
  }

  /// Loads objects with one statement for each model. Objects that were never saved are found in memory.
  ///
  /// - Returns: The objects that the store has.
  @discardableResult
  private mutating func load(_ wanted: Requests) throws -> [any PersistentModel] {
    var result: [any PersistentModel] = []
    for (tracker, rows) in wanted.values {
      // Read again, since an object may outlive its row.
      let loaded = try tracker.loadRows(rows.inOrder())
      for model in loaded { addUnlessDeleted(model, tracker) }
      for row in rows {
        guard let object = tracker.find(row) else { continue }
        let model = tracker.erased(object)
        if model._$header.pointee.status.contains(.inserted) { addUnlessDeleted(model, tracker) }
      }
      result += loaded
    }
    return result
  }

  /// Registers a restored object, which the step may name.
  mutating func addRestored(_ model: any PersistentModel) {
    if let tracker = model._$header.pointee.tracker { addUnlessDeleted(model, tracker) }
  }

  private mutating func addUnlessDeleted(_ model: any PersistentModel, _ tracker: _EntityTracker) {
    let header = model._$header
    if !header.pointee.status.contains(.deleted) { objects[RowKey(tracker, header.pointee.rowID)] = model }
  }
}
