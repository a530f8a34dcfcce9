import LarderSQLite
import LarderSupport

/// An update of a context's objects from snapshots. It creates the objects of missing rows, and sets the values of the others.
/// It saves nothing.
struct SnapshotApplication {
  private let core: _ContextCore
  private let snapshots: [SnapshotValues]
  /// The identifiers of the rows that may be created; `nil` allows all.
  private let creatableIdentifiers: Set<PersistentIdentifier>?
  /// The objects of the snapshots and of the models that they reference.
  private(set) var models: [PersistentIdentifier: any PersistentModel] = [:]
  private var created: Set<PersistentIdentifier> = []

  init(_ core: _ContextCore, _ snapshots: [SnapshotValues], creating mayBeMade: Set<PersistentIdentifier>? = nil) {
    self.core = core
    self.snapshots = snapshots
    self.creatableIdentifiers = mayBeMade
  }

  /// Applies the snapshots.
  ///
  /// - Throws: ``FetchError`` if a snapshot lacks a value that its model needs, ``SaveError`` if its row is missing and may not
  ///   be created, ``StoreError``.
  mutating func apply() throws {
    try loadModels(snapshots.map(\.identifier))
    for snapshot in snapshots where models[snapshot.identifier] == nil {
      if creatableIdentifiers?.contains(snapshot.identifier) == false { throw deletedRowError(snapshot.identifier) }
      try create(snapshot)
    }
    try loadModels(snapshots.flatMap { $0.relationships.values.joined() }.filter { models[$0] == nil })
    for snapshot in snapshots where created.contains(snapshot.identifier) { setInitialReferences(of: snapshot) }
    for snapshot in snapshots {
      guard created.contains(snapshot.identifier), let model = models[snapshot.identifier] else { continue }
      if model._$header.pointee.tracker == nil { core.insertGraph(model) }
    }
    for snapshot in snapshots where !created.contains(snapshot.identifier) { try updateAttributes(of: snapshot) }
    // The two sides of a relationship may disagree. The to-one is applied last: its foreign key is in its own row, and decides.
    for snapshot in snapshots { try updateRelationships(of: snapshot, toMany: true) }
    for snapshot in snapshots { try updateRelationships(of: snapshot, toMany: false) }
    if let error = core.pendingError { throw error }
  }

  // MARK: Objects

  /// Loads the objects of existing rows, of any subclass.
  private mutating func loadModels(_ identifiers: [PersistentIdentifier]) throws {
    let classes = Dictionary(
      snapshots.map { ($0.identifier, $0.identifier.entityName) }, uniquingKeysWith: { first, _ in first })
    for (_, group) in Dictionary(grouping: Set(identifiers), by: { ObjectIdentifier($0.identity.root) }) {
      guard let layout = core.container.layout(named: group[0].identity.root.entity) else { continue }
      let tracker = try core.tracker(for: layout)
      let rows = Dictionary(
        group.compactMap { identifier in core.row(of: identifier, in: tracker).map { ($0, identifier) } },
        uniquingKeysWith: { first, _ in first })
      for model in try tracker.loadRows(rows.keys.inOrder()) {
        // A row that the data store has deleted may still be in lists that were not updated.
        guard let identifier = rows[model._$header.pointee.rowID], !model._$header.pointee.status.contains(.deleted)
        else { continue }
        if let name = classes[identifier], name != type(of: model)._$layout.entityName {
          throw classChangeError(identifier, name)
        }
        models[identifier] = model
      }
    }
  }

  private func classChangeError(_ identifier: PersistentIdentifier, _ name: String) -> FetchError {
    FetchError(
      .unreadableValue, entityName: name, identifier: identifier,
      "\(identifier.debugDescription) cannot be read: it was of another class before, and objects do not change theirs. Let "
        + "what becomes a \(name) have an identifier of its own.")
  }

  /// Returns the error of an update of a row that another context deleted. The update must not restore the row.
  private func deletedRowError(_ gone: PersistentIdentifier) -> SaveError {
    SaveError(
      .rowDeleted, entityName: gone.entityName, identifiers: [gone],
      "\(gone.entityName) \(gone.key) was edited here and deleted elsewhere. Roll back, or delete it here too. Nothing was "
        + "written.")
  }

  private mutating func create(_ snapshot: SnapshotValues) throws {
    let layout = try layout(of: snapshot)
    let model = try create(layout.type, layout, snapshot)
    models[snapshot.identifier] = model
    created.insert(snapshot.identifier)
    core.options.preassignedRowIDs[ObjectIdentifier(model)] = snapshot.identifier.key
  }

  private func layout(of snapshot: SnapshotValues) throws -> _ModelLayout {
    if let layout = core.container.layout(named: snapshot.identifier.entityName) { return layout }
    throw SwiftDataError.unknownDataStoreSchema.explained(
      "The data store has a \(snapshot.identifier.entityName), which is no model of the container. Make the container for "
        + "it, too, or have the store leave it out.")
  }

  private func create<Model: PersistentModel>(
    _ type: Model.Type, _ layout: _ModelLayout, _ snapshot: SnapshotValues
  ) throws -> Model {
    let data = ModelBackingData<Model>(layout: layout)
    for property in layout.properties where property.relationship == nil && !property.placement.isEphemeral {
      if let coded = snapshot.attributes[property.name] {
        data.values[property.index] = try value(coded, of: property, layout, snapshot)
      } else if property.defaultValue == nil {
        guard let none = property.value(fromSnapshot: nil, layout) else {
          throw unreadableError(snapshot, property, "there is none")
        }
        data.values[property.index] = none
      }
    }
    return Model(backingData: data)
  }

  private func value(
    _ coded: (any Codable)?, of property: PropertyLayout, _ layout: _ModelLayout, _ snapshot: SnapshotValues
  ) throws -> Any {
    if let value = property.value(fromSnapshot: coded, layout) { return value }
    throw unreadableError(snapshot, property, coded == nil ? "there is none" : "it is no \(property.valueType)")
  }

  private func unreadableError(_ snapshot: SnapshotValues, _ property: PropertyLayout, _ reason: String) -> FetchError {
    let name = "\(snapshot.identifier.entityName).\(property.name)"
    return FetchError(
      .unreadableValue, entityName: snapshot.identifier.entityName, identifier: snapshot.identifier,
      "The data store's value of \(name) of \(snapshot.identifier.debugDescription) cannot be read: \(reason). Correct what "
        + "the store has, or let the property be optional.")
  }

  // MARK: Values

  /// Sets the relationships of a new object before the context registers it.
  private func setInitialReferences(of snapshot: SnapshotValues) {
    guard let model = models[snapshot.identifier], model._$header.pointee.tracker == nil else { return }
    for relationship in type(of: model)._$layout.relationships {
      guard let identifiers = snapshot.relationships[relationship.name] else { continue }
      let others = identifiers.compactMap { models[$0] }
      model._$applyChange(
        relationship.property, relationship.isToMany ? .objects(others, generation: 0) : .object(others.first))
    }
  }

  private func updateAttributes(of snapshot: SnapshotValues) throws {
    guard let model = models[snapshot.identifier] else { return }
    let layout = type(of: model)._$layout
    for property in layout.properties where property.relationship == nil && !property.placement.isEphemeral {
      guard let coded = snapshot.attributes[property.name] else { continue }
      let value = try value(coded, of: property, layout, snapshot)
      // A decoded value contains new objects, so the stored forms are compared: an assignment marks the object as changed.
      if !property.containsSameReferences(value, in: model) { property.setValue(value, of: model) }
    }
  }

  /// Sets the relationships and their inverses, as a program does by assigning the property.
  private func updateRelationships(of snapshot: SnapshotValues, toMany: Bool) throws {
    guard let model = models[snapshot.identifier], let tracker = model._$header.pointee.tracker else { return }
    for relationship in tracker.layout.relationships where relationship.isToMany == toMany {
      guard let identifiers = snapshot.relationships[relationship.name] else { continue }
      let others = identifiers.compactMap { models[$0] }
      if toMany {
        let present = tracker.relatedObjects(of: model, relationship.property)
        let isSame = present.count == others.count && zip(present, others).allSatisfy { $0 === $1 }
        if !isSame { tracker.setRelationship(model, relationship.property, to: others) }
      } else if let other = others.first {
        tracker.setRelationship(model, relationship.property, to: other)
      } else if relationship.isOptional {
        tracker.setRelationship(model, relationship.property, to: nil)
      } else {
        throw unreadableError(
          snapshot, tracker.layout.properties[relationship.property], "it leads to nothing that is there")
      }
    }
  }
}
