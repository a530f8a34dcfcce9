/// A search for retain cycles among objects that leave their context together. Their references to each other would keep a
/// cycle in memory forever, so a reference of each cycle is removed.
struct RetainCycleBreaking {
  private struct Frame {
    let model: any PersistentModel
    let layout: _ModelLayout
    /// The references to other leaving objects.
    let references: [Reference]
    var nextReference = 0
  }

  private struct Reference {
    let relationship: RelationshipLayout
    let object: any PersistentModel
  }

  private let layouts: [ObjectIdentifier: _ModelLayout]
  /// Whether an object is on the current path; absent if the search has not reached the object yet.
  private var isOnPath: [ObjectIdentifier: Bool] = [:]
  private var path: [Frame] = []

  /// Follows the references of each object once, and removes a reference of each cycle.
  static func breakCycles(among leaving: [(model: any PersistentModel, tracker: _EntityTracker)]) {
    if leaving.isEmpty { return }
    var circles = RetainCycleBreaking(
      layouts: Dictionary(
        leaving.map { (ObjectIdentifier($0.model), $0.tracker.layout) }, uniquingKeysWith: { first, _ in first }))
    for (model, _) in leaving where circles.isOnPath[ObjectIdentifier(model)] == nil { circles.search(from: model) }
  }

  private init(layouts: [ObjectIdentifier: _ModelLayout]) { self.layouts = layouts }

  private mutating func search(from model: any PersistentModel) {
    push(model)
    while let last = path.indices.last {
      guard path[last].nextReference < path[last].references.count else {
        isOnPath[ObjectIdentifier(path[last].model)] = false
        path.removeLast()
        continue
      }
      let reference = path[last].references[path[last].nextReference]
      path[last].nextReference += 1
      switch isOnPath[ObjectIdentifier(reference.object)] {
      case nil: push(reference.object)
      case true?: breakCycle(to: reference.object)
      case false?: break
      }
    }
  }

  private mutating func push(_ model: any PersistentModel) {
    guard let layout = layouts[ObjectIdentifier(model)] else { return }
    var references: [Reference] = []
    for relationship in layout.relationships {
      let objects: [any PersistentModel] =
        switch model._$relationshipValue(relationship.property) {
        case .one(_, let object): object.map { [$0] } ?? []
        case .many(let objects): objects ?? []
        case .none, .boxed: []
        }
      for object in objects where layouts[ObjectIdentifier(object)] != nil {
        references.append(Reference(relationship: relationship, object: object))
      }
    }
    isOnPath[ObjectIdentifier(model)] = true
    path.append(Frame(model: model, layout: layout, references: references))
  }

  /// Removes the last reference of a cycle that can be removed. A cycle of required to-ones alone remains.
  private func breakCycle(to object: any PersistentModel) {
    for step in path.reversed() {
      let reference = step.references[step.nextReference - 1]
      if reference.relationship.isToMany {
        return step.model._$applyChange(reference.relationship.property, .remove(reference.object))
      }
      if reference.relationship.isOptional {
        return step.model._$applyChange(reference.relationship.property, .object(nil))
      }
      if step.model === object { return }
    }
  }
}
