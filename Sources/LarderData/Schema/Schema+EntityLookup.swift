extension Schema {
  /// Returns the entity of a model; `nil` if the model isn't part of this schema.
  public func entity<T>(for type: T.Type) -> Schema.Entity? where T: PersistentModel {
    entitiesByName[Self.name(of: type)]
  }

  /// Returns the name of a model's entity: the model's own name, without its enclosing types and its module.
  public static func entityName<T>(for type: T.Type) -> String where T: PersistentModel {
    name(of: type)
  }

  package static func name(of type: any PersistentModel.Type) -> String { String(describing: type) }
}

extension Schema {
  /// Throws the problems of the models, if there are any. Containers call this before they open a store.
  package func checkModels() throws(SwiftDataError) {
    if problems.isEmpty { return }
    throw .loadIssueModelContainer.explained(problems.joined(separator: " "))
  }
}
