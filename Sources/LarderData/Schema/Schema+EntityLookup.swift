extension Schema {
  /// The entity of a model; nil where the model isn't part of this schema.
  public func entity<T>(for type: T.Type) -> Schema.Entity? where T: PersistentModel {
    entitiesByName[Self.name(of: type)]
  }

  /// The name of a model's entity: the model's own name, without the types and modules that it lies in.
  public static func entityName<T>(for type: T.Type) -> String where T: PersistentModel {
    name(of: type)
  }

  package static func name(of type: any PersistentModel.Type) -> String { String(describing: type) }
}

extension Schema {
  /// Throws what is wrong with the models: containers ask before they open a store.
  package func checkModels() throws(SwiftDataError) {
    if problems.isEmpty { return }
    throw .loadIssueModelContainer.explained(problems.joined(separator: " "))
  }
}
