import LarderSupport

extension _ContextCore {
  /// Throws the reason why pending changes cannot be saved because of their relationships, before anything is written.
  ///
  /// - Throws: A ``SaveError``.
  func validateRelationships() throws {
    try checkDanglingReferences()
    try checkDeleteRules()
    for tracker in trackers where tracker.layout.hasRelations { try tracker.checkCardinality() }
  }

  private func checkDeleteRules() throws {
    for objection in relationships.deleteRuleViolations {
      let (deleted, other) = (objection.deleted, objection.blocker)
      let isDeleted =
        deleted.tracker.isDeleted(deleted.row)
        || relationships.requiredDeletedObjects[RowKey(deleted.tracker, deleted.row)] != nil
      guard isDeleted, !other.tracker.isDeleted(other.row) else { continue }
      let instance = other.tracker.find(other.row).map(other.tracker.erased)
      if instance == nil && !objection.isBlockerStored { continue }
      // The blocker may have been given another owner, or removed from the relationship, since.
      if let key = objection.foreignKey, let instance, instance._$foreignKey(key.property) != deleted.row { continue }
      let what = "\(deleted.tracker.layout.entityName) \(deleted.row)"
      let by = "\(other.tracker.layout.entityName) \(other.row)"
      let reason =
        objection.isDenyRule
        ? "\(objection.relationshipName) has the delete rule .deny, and \(by) is still there"
        : "\(by) refers to it by \(objection.relationshipName), which is not optional"
      throw SaveError(
        .deletionDenied, entityName: deleted.tracker.layout.entityName, properties: [objection.relationshipName],
        identifiers: [
          PersistentIdentifier(identity: deleted.tracker.identity, key: deleted.row, isSaved: true),
          PersistentIdentifier(identity: other.tracker.identity, key: other.row, isSaved: true),
        ],
        "\(what) cannot be deleted: \(reason). Delete that one too, let it refer to another, or roll back. Nothing was "
          + "written.")
    }
  }
}

extension _EntityTracker {
  /// Compares the changed to-manys in memory with the minimum and maximum counts of their models.
  fileprivate func checkCardinality() throws {
    for relationship in layout.relationships where relationship.isToMany {
      guard relationship.minimumCount > 0 || relationship.maximumCount > 0 else { continue }
      for object in inserted + changed {
        let model = erased(object)
        let header = model._$header
        if header.pointee.status.contains(.deleted) { continue }
        guard case .many(let members?) = model._$relationshipValue(relationship.property) else { continue }
        let isTooMany = relationship.maximumCount > 0 && members.count > relationship.maximumCount
        guard isTooMany || members.count < relationship.minimumCount else { continue }
        let limit =
          isTooMany
          ? "may have at most \(relationship.maximumCount)" : "must have at least \(relationship.minimumCount)"
        throw SaveError(
          .relationshipCount, entityName: layout.entityName, properties: [relationship.name],
          identifiers: [model.persistentModelID],
          "\(layout.entityName).\(relationship.name) of row \(header.pointee.rowID) has \(members.count) objects and "
            + "\(limit). Change it, or roll back. Nothing was written.")
      }
    }
  }
}
