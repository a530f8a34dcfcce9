/// Objects that leave their context together keep references to each other, and where these form a circle nobody would
/// ever let go of any of them. What closes a circle is given up.
struct LeavingCircles {
  private struct Step {
    let model: any PersistentModel
    let layout: ModelLayout
    /// What it leads to among those that leave.
    let references: [Reference]
    var next = 0
  }

  private struct Reference {
    let relation: RelationLayout
    let object: any PersistentModel
  }

  private let layouts: [ObjectIdentifier: ModelLayout]
  /// Whether an object is on the way that is being walked; absent where it was not met yet.
  private var isOnWay: [ObjectIdentifier: Bool] = [:]
  private var way: [Step] = []

  /// Walks from each object once along its references.
  static func cut(among leaving: [(model: any PersistentModel, state: EntityState)]) {
    if leaving.isEmpty { return }
    var circles = LeavingCircles(
      layouts: Dictionary(
        leaving.map { (ObjectIdentifier($0.model), $0.state.layout) }, uniquingKeysWith: { first, _ in first }))
    for (model, _) in leaving where circles.isOnWay[ObjectIdentifier(model)] == nil { circles.walk(from: model) }
  }

  private init(layouts: [ObjectIdentifier: ModelLayout]) { self.layouts = layouts }

  private mutating func walk(from model: any PersistentModel) {
    enter(model)
    while let last = way.indices.last {
      guard way[last].next < way[last].references.count else {
        isOnWay[ObjectIdentifier(way[last].model)] = false
        way.removeLast()
        continue
      }
      let reference = way[last].references[way[last].next]
      way[last].next += 1
      switch isOnWay[ObjectIdentifier(reference.object)] {
      case nil: enter(reference.object)
      case true?: openCircle(to: reference.object)
      case false?: break
      }
    }
  }

  private mutating func enter(_ model: any PersistentModel) {
    guard let layout = layouts[ObjectIdentifier(model)] else { return }
    var references: [Reference] = []
    for relation in layout.relations {
      let objects: [any PersistentModel] =
        switch model._$relation(relation.property) {
        case .one(_, let object): object.map { [$0] } ?? []
        case .many(let objects): objects ?? []
        case .none, .held: []
        }
      for object in objects where layouts[ObjectIdentifier(object)] != nil {
        references.append(Reference(relation: relation, object: object))
      }
    }
    isOnWay[ObjectIdentifier(model)] = true
    way.append(Step(model: model, layout: layout, references: references))
  }

  /// Gives up the last reference of a circle that may be given up. One of to-ones alone that must not be nil remains.
  private func openCircle(to object: any PersistentModel) {
    for step in way.reversed() {
      let reference = step.references[step.next - 1]
      if reference.relation.isToMany {
        return step.model._$change(reference.relation.property, .remove(reference.object))
      }
      if reference.relation.isOptional { return step.model._$change(reference.relation.property, .object(nil)) }
      if step.model === object { return }
    }
  }
}
