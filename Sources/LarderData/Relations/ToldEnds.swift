import LarderSupport

/// Who was told that ends of a relationship change, while none of them has.
///
/// An observer may do anything to the context: half of a change of two ends would be in the way of that, and what was found
/// out before would not be true afterwards. So all are told first, then everything is looked at again, and only when nobody
/// is left to be told are the ends changed, one after the other.
package final class ToldEnds {
  private var ends: [(model: any PersistentModel, property: Int)] = []
  private var places: Set<RelationPlace> = []
  /// What the list that is set held when that was asked for.
  var list: [any PersistentModel]?

  func insert(_ model: any PersistentModel, _ property: Int) -> Bool {
    guard places.insert(RelationPlace(model, property)).inserted else { return false }
    ends.append((model, property))
    return true
  }

  func contains(_ model: any PersistentModel, _ property: Int) -> Bool {
    places.contains(RelationPlace(model, property))
  }

  /// Tells the same observers that what they were told of has happened.
  func tellDidSet() {
    for (model, property) in ends {
      guard let box = model._$header.pointee.registrar else { continue }
      type(of: model)._$layout.observed[property].didSet(model, box)
    }
  }
}

extension ContextCore {
  /// Tells those who observe an end of a relationship that it changes, unless they know.
  ///
  /// - Returns: Whether anybody was told, and everything is to be looked at again.
  func tell(_ model: any PersistentModel, _ property: Int, _ told: inout ToldEnds?) -> Bool {
    // What is done quietly is told afterwards.
    guard let box = model._$header.pointee.registrar, !isQuiet else { return false }
    let ends = told ?? ToldEnds()
    told = ends
    guard ends.insert(model, property) else { return false }
    type(of: model)._$layout.observed[property].willSet(model, box)
    return true
  }

  /// Tells those who observe a to-one that it is set.
  func tellKey(
    _ model: any PersistentModel, _ state: EntityState, _ relation: RelationLayout, _ row: Int64,
    _ told: inout ToldEnds?
  ) -> Bool {
    guard model._$header.pointee.registrar != nil, newKey(model, state, relation, row) != nil else { return false }
    return tell(model, relation.property, &told)
  }

  /// Tells those who observe a to-many that a member comes or goes.
  func tellList(_ model: any PersistentModel, _ relation: RelationLayout, _ told: inout ToldEnds?) -> Bool {
    guard !model._$header.pointee.status.contains(.deleted) else { return false }
    return tell(model, relation.property, &told)
  }

  /// Changes both ends of a relationship, of which those who observe them were told. A rollback by a type's own coding
  /// waits for the second end.
  func changingEnds(_ told: ToldEnds?, _ change: () throws -> Void) rethrows {
    let isInside = activity.set(.changingEnds, true)
    // Most often nobody was told, of this change or of the one around it.
    let outer = isInside || told != nil ? relations.told : nil
    let isTold = told != nil || outer != nil
    if isTold { relations.told = told }
    defer {
      _ = activity.set(.changingEnds, isInside)
      if isTold { relations.told = outer }
      if !isInside, !relations.waiting.isEmpty, !isQuiet { announce() }
    }
    try change()
  }
}
