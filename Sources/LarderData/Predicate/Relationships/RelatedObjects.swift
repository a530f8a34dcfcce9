import LarderSupport

/// Follows relationships in memory, for the half of a fetch that is answered there.
final class RelatedObjects {
  private let core: _ContextCore
  private let sources: [RelatedSource]
  /// The objects by their numbers; nil where they have not been looked for, or are none.
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

  /// The stored form of a column.
  func value(_ place: Int) throws -> _StoredValue {
    let source = ColumnReference.source(place)
    guard let model = try object(source) else { return .null }
    if ColumnReference.isRowID(place) { return .integer(model._$header.pointee.rowID) }
    let tracker = try tracker(of: source, model)
    return try ObjectColumn.value(ColumnReference.columnIndex(place), of: model, tracker)
  }

  /// The objects of a to-many.
  func elements(of source: Int) throws -> [any PersistentModel] {
    let element = sources[source - 1]
    guard let owner = try object(element.parent), let relationship = element.relationship else { return [] }
    let tracker = try tracker(of: element.parent, owner)
    return try core.loadMembers(of: owner, tracker, relationship).filter {
      !$0._$header.pointee.status.contains(.deleted)
    }
  }

  /// The element of a to-many that is being asked; nil where none is.
  func element(boundTo source: Int) -> (any PersistentModel)? { isResolved[source] ? objects[source] : nil }

  /// Makes an element of a to-many the one that is asked for next, or none.
  func bindElement(_ model: (any PersistentModel)?, to source: Int) {
    // What was reached from the element before is another's; elements of others, that are being asked too, stay.
    for index in isResolved.indices where index > source && isReachable(index, from: source) {
      isResolved[index] = false
    }
    objects[source] = model
    isResolved[source] = model != nil
  }

  /// Whether to-ones lead from one object to another.
  private func isReachable(_ other: Int, from source: Int) -> Bool {
    var number = other
    while number > 0, !sources[number - 1].isElement {
      number = sources[number - 1].parent
      if number == source { return true }
    }
    return false
  }

  /// The object of a number; nil where there is none.
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
