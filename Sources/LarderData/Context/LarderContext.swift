// Beyond Apple's API.

extension ModelContext {
  /// The model that an identifier names.
  ///
  /// ```swift
  /// let trip = try context.existing(for: id, as: Trip.self)
  /// ```
  ///
  /// - Throws: ``FetchError`` with ``FetchError/Code/noSuchRow`` where there is none, or where it is deleted here;
  ///   ``StoreError`` where the store cannot be read.
  public func existing<T>(for persistentModelID: PersistentIdentifier, as type: T.Type = T.self) throws -> T
  where T: PersistentModel {
    if let model = try core.load(persistentModelID, as: type) { return model }
    let entity = T._$layout.entityName
    throw FetchError(
      .noSuchRow, entityName: entity, identifier: persistentModelID,
      "There is no \(entity) \(persistentModelID.key): it was deleted, or belongs to another store. Fetch by a "
        + "property that lasts.")
  }
}
