import LarderSupport

/// Follows relationships in memory, for the part of a fetch that is evaluated there.
final class RelatedObjects: RelatedObjectSource {
  private let core: _ContextCore
  private let sources: [RelatedSource]
  /// The objects by their numbers; nil for an object that was not looked up yet, or is missing.
  private var objects: [(any PersistentModel)?]
  private var isResolved: [Bool]

  init(_ core: _ContextCore, _ sources: [RelatedSource]) {
    self.core = core
    self.sources = sources
    objects = Array(repeating: nil, count: sources.count + 1)
    isResolved = Array(repeating: false, count: sources.count + 1)
  }

  func reset(to model: any PersistentModel) {
    for index in isResolved.indices { isResolved[index] = false }
    objects[0] = model
    isResolved[0] = true
  }

  /// Returns the stored form of a column.
  func value(_ place: Int) throws -> _StoredValue {
    let source = ColumnReference.source(place)
    guard let model = try object(source) else { return .null }
    if ColumnReference.isRowID(place) { return .integer(model._$header.pointee.rowID) }
    let tracker = try tracker(of: source, model)
    return try ObjectColumn.value(ColumnReference.columnIndex(place), of: model, tracker)
  }

  /// Returns the objects of a to-many relationship.
  func elements(of source: Int) throws -> [any PersistentModel] {
    let element = sources[source - 1]
    guard let owner = try object(element.parent), let relationship = element.relationship else { return [] }
    let tracker = try tracker(of: element.parent, owner)
    return try core.loadMembers(of: owner, tracker, relationship).filter {
      !$0._$header.pointee.status.contains(.deleted)
    }
  }

  /// Returns the element of a to-many relationship that is being evaluated; nil where there is none.
  func element(boundTo source: Int) -> (any PersistentModel)? { isResolved[source] ? objects[source] : nil }

  /// Sets the element of a to-many relationship to evaluate next, or none.
  func bindElement(_ model: (any PersistentModel)?, to source: Int) {
    // Objects reached from the previous element are cleared; elements of other relationships, which are in use, stay.
    for index in isResolved.indices where index > source && isReachable(index, from: source) {
      isResolved[index] = false
    }
    objects[source] = model
    isResolved[source] = model != nil
  }

  /// Returns whether one object is reached from another through to-one relationships.
  private func isReachable(_ other: Int, from source: Int) -> Bool {
    var number = other
    while number > 0, !sources[number - 1].isElement {
      number = sources[number - 1].parent
      if number == source { return true }
    }
    return false
  }

  /// Returns the object of a number; nil where there is none.
  func object(_ source: Int) throws -> (any PersistentModel)? {
    if isResolved[source] { return objects[source] }
    let related = sources[source - 1]
    var found: (any PersistentModel)?
    if let owner = try object(related.parent) {
      let tracker = try tracker(of: related.parent, owner)
      if let relationship = related.relationship {
        let object = try tracker.resolveRelatedObject(
          of: owner, relationship, owner._$foreignKey(relationship.property))
        let there = try core.tracker(for: relationship.destinationLayout)
        found = object.map(there.erased)
      } else if related.layout.isInstance(owner) {
        found = owner
      }
    }
    objects[source] = found
    isResolved[source] = true
    return found
  }

  private func tracker(of source: Int, _ model: any PersistentModel) throws -> _EntityTracker {
    if let tracker = model._$header.pointee.tracker { return tracker }
    return try core.tracker(for: sources[source - 1].layout)
  }
}

enum ObjectColumn {
  static func value(_ column: Int, of model: any PersistentModel, _ tracker: _EntityTracker) throws -> _StoredValue {
    try read(column, model, tracker)
  }

  private static func read<Model: PersistentModel>(
    _ column: Int, _ model: Model, _ tracker: _EntityTracker
  ) throws -> _StoredValue { try tracker.objectValues.value(column, of: model) }
}
