import LarderSupport

extension ContextCore {
  /// Says why what is pending cannot be saved for the sake of its relationships, before anything is written.
  func validateRelations() throws {
    try refuseLostLeads()
    try checkObjections()
    for state in known where state.layout.hasRelations { try state.checkCounts() }
  }

  private func checkObjections() throws {
    for objection in relations.objections {
      let (deleted, other) = (objection.deleted, objection.other)
      let isDeleted =
        deleted.state.isDeleted(deleted.row) || relations.departed[RowPlace(deleted.state, deleted.row)] != nil
      guard isDeleted, !other.state.isDeleted(other.row) else { continue }
      let instance = other.state.find(other.row).map(other.state.erased)
      if instance == nil && !objection.isOtherStored { continue }
      // It may have been given another owner, or taken out, since.
      if let key = objection.key, let instance, instance._$key(key.property) != deleted.row { continue }
      let what = "\(deleted.state.layout.entityName) \(deleted.row)"
      let by = "\(other.state.layout.entityName) \(other.row)"
      let reason =
        objection.isDenied
        ? "\(objection.name) has the delete rule .deny, and \(by) is still there"
        : "\(by) refers to it by \(objection.name), which is not optional"
      throw SaveError(
        .deletionDenied, entityName: deleted.state.layout.entityName, properties: [objection.name],
        identifiers: [
          PersistentIdentifier(identity: deleted.state.identity, key: deleted.row, isSaved: true),
          PersistentIdentifier(identity: other.state.identity, key: other.row, isSaved: true),
        ],
        "\(what) cannot be deleted: \(reason). Delete that one too, let it refer to another, or roll back. Nothing was "
          + "written.")
    }
  }
}

extension EntityState {
  /// Compares to-manys that are in memory and changed with the numbers that their models allow.
  fileprivate func checkCounts() throws {
    for relation in layout.relations where relation.isToMany {
      guard relation.minimumCount > 0 || relation.maximumCount > 0 else { continue }
      for object in inserted + changed {
        let model = erased(object)
        let header = model._$header
        if header.pointee.status.contains(.deleted) { continue }
        guard case .many(let members?) = model._$relation(relation.property) else { continue }
        let isTooMany = relation.maximumCount > 0 && members.count > relation.maximumCount
        guard isTooMany || members.count < relation.minimumCount else { continue }
        let limit =
          isTooMany ? "may have at most \(relation.maximumCount)" : "must have at least \(relation.minimumCount)"
        throw SaveError(
          .relationshipCount, entityName: layout.entityName, properties: [relation.name],
          identifiers: [model.persistentModelID],
          "\(layout.entityName).\(relation.name) of row \(header.pointee.rowID) has \(members.count) objects and "
            + "\(limit). Change it, or roll back. Nothing was written.")
      }
    }
  }
}
