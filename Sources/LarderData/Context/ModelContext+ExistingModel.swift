// Additions to Apple's API.

extension ModelContext {
  /// An error of a call that cannot throw, such as an insert that was refused.
  ///
  /// ``save()`` throws this error, so that no save hides it, until the property is set to `nil` or the context rolls back.
  public var pendingError: (any Error)? {
    get { core.pendingError }
    set { core.pendingError = newValue }
  }

  /// Returns the model with the specified identifier.
  ///
  /// ```swift
  /// let trip = try context.existingModel(for: id, as: Trip.self)
  /// ```
  ///
  /// - Parameters:
  ///   - persistentModelID: The identifier of the model.
  ///   - type: The class of the model.
  /// - Throws: ``FetchError`` with ``FetchError/Code/rowNotFound`` if there is no such row, or if the model is deleted in this
  ///   context; ``StoreError`` if the store cannot be read.
  public func existingModel<T>(for persistentModelID: PersistentIdentifier, as type: T.Type = T.self) throws -> T
  where T: PersistentModel {
    if let model = try core.loadModel(persistentModelID, as: type) { return model }
    let entity = T._$layout.entityName
    let reason =
      if persistentModelID.entityName != entity,
        T._$layout.family.allSatisfy({ $0.entityName != persistentModelID.entityName })
      {
        "The identifier is that of a \(persistentModelID.entityName), and no \(entity). Ask for that."
      } else if persistentModelID.isTemporary {
        "The \(entity) was not saved when its identifier was taken: it is in another context still, or in none, or was "
          + "deleted since. Save it there first."
      } else {
        "There is no \(entity) \(persistentModelID.key): it was deleted, or belongs to another store. Fetch by a "
          + "property that lasts."
      }
    throw FetchError(.rowNotFound, entityName: entity, identifier: persistentModelID, reason)
  }
}
