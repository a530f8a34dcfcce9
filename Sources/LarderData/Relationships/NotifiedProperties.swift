import LarderSupport

/// The observers that were notified of an imminent change of relationship ends, while no end has changed.
///
/// An observer may do anything to the context: half of a change of two ends would conflict with that, and earlier checks
/// would not hold afterwards. So all observers are notified first, then everything is checked again. The ends are changed,
/// one after the other, only when no observer is left to notify.
package final class NotifiedProperties {
  private var properties: [(model: any PersistentModel, property: Int)] = []
  private var keys: Set<RelationshipKey> = []
  /// The members of the list that is set, at the time of the request.
  var membersBefore: [any PersistentModel]?

  func insert(_ model: any PersistentModel, _ property: Int) -> Bool {
    guard keys.insert(RelationshipKey(model, property)).inserted else { return false }
    properties.append((model, property))
    return true
  }

  func contains(_ model: any PersistentModel, _ property: Int) -> Bool {
    keys.contains(RelationshipKey(model, property))
  }

  /// Notifies the same observers that the change has happened.
  func notifyDidSet() {
    for (model, property) in properties {
      guard let box = model._$header.pointee.registrar else { continue }
      type(of: model)._$layout.observedProperties[property].didSet(model, box)
    }
  }
}

extension _ContextCore {
  /// Notifies the observers of one end of a relationship that it is about to change, unless they were notified already.
  ///
  /// - Returns: Whether an observer was notified, so that everything has to be checked again.
  func notifyWillSet(_ model: any PersistentModel, _ property: Int, _ told: inout NotifiedProperties?) -> Bool {
    // While notifications are deferred, observers are notified afterwards.
    guard let box = model._$header.pointee.registrar, !isDeferringNotifications else { return false }
    let ends = told ?? NotifiedProperties()
    told = ends
    guard ends.insert(model, property) else { return false }
    type(of: model)._$layout.observedProperties[property].willSet(model, box)
    return true
  }

  /// Notifies the observers of a to-one that it is about to be set.
  func notifyToOneWillSet(
    _ model: any PersistentModel, _ tracker: _EntityTracker, _ relationship: RelationshipLayout, _ row: Int64,
    _ told: inout NotifiedProperties?
  ) -> Bool {
    guard model._$header.pointee.registrar != nil, effectiveForeignKey(model, tracker, relationship, row) != nil else {
      return false
    }
    return notifyWillSet(model, relationship.property, &told)
  }

  /// Notifies the observers of a to-many that a member is about to be added or removed.
  func notifyToManyWillSet(
    _ model: any PersistentModel, _ relationship: RelationshipLayout, _ told: inout NotifiedProperties?
  ) -> Bool {
    guard !model._$header.pointee.status.contains(.deleted) else { return false }
    return notifyWillSet(model, relationship.property, &told)
  }

  /// Changes both ends of a relationship, whose observers were notified. A rollback by a type's own coding waits for the
  /// second end.
  func updateRelationship(_ told: NotifiedProperties?, _ change: () throws -> Void) rethrows {
    let isInside = activity.set(.updatingRelationship, to: true)
    // In most cases no observer was notified, of this change or of the one around it.
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
