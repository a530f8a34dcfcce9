import LarderSupport

/// Who was told that ends of a relationship change, while none of them has.
///
/// An observer may do anything to the context: half of a change of two ends would be in the way of that, and what was found
/// out before would not be true afterwards. So all are told first, then everything is looked at again, and only when nobody
/// is left to be told are the ends changed, one after the other.
package final class NotifiedProperties {
  private var properties: [(model: any PersistentModel, property: Int)] = []
  private var keys: Set<RelationshipKey> = []
  /// What the list that is set held when that was asked for.
  var membersBefore: [any PersistentModel]?

  func insert(_ model: any PersistentModel, _ property: Int) -> Bool {
    guard keys.insert(RelationshipKey(model, property)).inserted else { return false }
    properties.append((model, property))
    return true
  }

  func contains(_ model: any PersistentModel, _ property: Int) -> Bool {
    keys.contains(RelationshipKey(model, property))
  }

  /// Tells the same observers that what they were told of has happened.
  func notifyDidSet() {
    for (model, property) in properties {
      guard let box = model._$header.pointee.registrar else { continue }
      type(of: model)._$layout.observedProperties[property].didSet(model, box)
    }
  }
}

extension _ContextCore {
  /// Tells those who observe an end of a relationship that it changes, unless they know.
  ///
  /// - Returns: Whether anybody was told, and everything is to be looked at again.
  func notifyWillSet(_ model: any PersistentModel, _ property: Int, _ told: inout NotifiedProperties?) -> Bool {
    // What is done quietly is told afterwards.
    guard let box = model._$header.pointee.registrar, !isDeferringNotifications else { return false }
    let ends = told ?? NotifiedProperties()
    told = ends
    guard ends.insert(model, property) else { return false }
    type(of: model)._$layout.observedProperties[property].willSet(model, box)
    return true
  }

  /// Tells those who observe a to-one that it is set.
  func notifyToOneWillSet(
    _ model: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout, _ row: Int64,
    _ told: inout NotifiedProperties?
  ) -> Bool {
    guard model._$header.pointee.registrar != nil, effectiveForeignKey(model, tracker, relationship, row) != nil else {
      return false
    }
    return notifyWillSet(model, relationship.property, &told)
  }

  /// Tells those who observe a to-many that a member comes or goes.
  func notifyToManyWillSet(
    _ model: any PersistentModel, _ relationship: RelationshipLayout, _ told: inout NotifiedProperties?
  ) -> Bool {
    guard !model._$header.pointee.status.contains(.deleted) else { return false }
    return notifyWillSet(model, relationship.property, &told)
  }

  /// Changes both ends of a relationship, of which those who observe them were told. A rollback by a type's own coding
  /// waits for the second end.
  func updateRelationship(_ told: NotifiedProperties?, _ change: () throws -> Void) rethrows {
    let isInside = activity.set(.updatingRelationship, to: true)
    // Most often nobody was told, of this change or of the one around it.
    let outer = isInside || told != nil ? relationships.notifiedProperties : nil
    let isTold = told != nil || outer != nil
    if isTold { relationships.notifiedProperties = told }
    defer {
      _ = activity.set(.updatingRelationship, to: isInside)
      if isTold { relationships.notifiedProperties = outer }
      if !isInside, !relationships.deferredRequests.isEmpty, !isDeferringNotifications { deliverNotifications() }
    }
    try change()
  }
}
