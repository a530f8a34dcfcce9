import LarderSupport

/// Follows relationships in memory, for the half of a fetch that is answered there.
final class RelatedObjects {
  private let core: ContextCore
  private let sources: [RelatedSource]
  /// The objects by their numbers; nil where they have not been looked for, or are none.
  private var objects: [(any PersistentModel)?]
  private var isKnown: [Bool]

  init(_ core: ContextCore, _ sources: [RelatedSource]) {
    self.core = core
    self.sources = sources
    objects = Array(repeating: nil, count: sources.count + 1)
    isKnown = Array(repeating: false, count: sources.count + 1)
  }

  func begin(_ model: any PersistentModel) {
    for index in isKnown.indices { isKnown[index] = false }
    objects[0] = model
    isKnown[0] = true
  }

  /// The stored form of a column.
  func value(_ place: Int) throws -> StoredValue {
    let source = Place.source(place)
    guard let model = try object(source) else { return .null }
    if Place.isIdentifier(place) { return .integer(model._$header.pointee.rowID) }
    let state = try state(of: source, model)
    return try ObjectColumn.value(Place.index(place), of: model, state)
  }

  /// The objects of a to-many.
  func elements(of source: Int) throws -> [any PersistentModel] {
    let element = sources[source - 1]
    guard let owner = try object(element.parent), let relation = element.relation else { return [] }
    let state = try state(of: element.parent, owner)
    return try core.objects(of: owner, state, relation).filter {
      !$0._$header.pointee.status.contains(.deleted)
    }
  }

  /// The element of a to-many that is being asked; nil where none is.
  func bound(to source: Int) -> (any PersistentModel)? { isKnown[source] ? objects[source] : nil }

  /// Makes an element of a to-many the one that is asked for next, or none.
  func bind(_ model: (any PersistentModel)?, to source: Int) {
    // What was reached from the element before is another's; elements of others, that are being asked too, stay.
    for index in isKnown.indices where index > source && leads(to: index, from: source) { isKnown[index] = false }
    objects[source] = model
    isKnown[source] = model != nil
  }

  /// Whether to-ones lead from one object to another.
  private func leads(to other: Int, from source: Int) -> Bool {
    var number = other
    while number > 0, !sources[number - 1].isElement {
      number = sources[number - 1].parent
      if number == source { return true }
    }
    return false
  }

  /// The object of a number; nil where there is none.
  func object(_ source: Int) throws -> (any PersistentModel)? {
    if isKnown[source] { return objects[source] }
    let related = sources[source - 1]
    var found: (any PersistentModel)?
    if let owner = try object(related.parent) {
      let state = try state(of: related.parent, owner)
      if let relation = related.relation {
        let object = try state.findRelated(of: owner, relation, owner._$key(relation.property))
        let there = try core.state(for: relation.destinationLayout)
        found = object.map(there.erased)
      } else if related.layout.isInstance(owner) {
        found = owner
      }
    }
    objects[source] = found
    isKnown[source] = true
    return found
  }

  private func state(of source: Int, _ model: any PersistentModel) throws -> EntityState {
    if let state = model._$header.pointee.state { return state }
    return try core.state(for: sources[source - 1].layout)
  }
}

enum ObjectColumn {
  static func value(_ column: Int, of model: any PersistentModel, _ state: EntityState) throws -> StoredValue {
    try read(column, model, state)
  }

  private static func read<Model: PersistentModel>(
    _ column: Int, _ model: Model, _ state: EntityState
  ) throws -> StoredValue { try state.values.value(column, of: model) }
}
