import LarderData

/// One version of a plan, restricted to the models of one store.
struct SchemaVersion {
  let type: any VersionedSchema.Type
  let identifier: Schema.Version
  let layouts: [_ModelLayout]
  let hierarchies: [ModelHierarchy]
  let definitions: [TableDefinition]

  /// - Throws: The error of the version's schema, if its models are invalid.
  init(_ type: any VersionedSchema.Type, _ belongs: (_ModelLayout) -> Bool) throws {
    self.type = type
    identifier = type.versionIdentifier
    layouts = try ContainerCore.layouts(of: Schema(versionedSchema: type)).filter(belongs)
    hierarchies = ModelHierarchy.all(layouts)
    definitions = hierarchies.map { TableDefinition($0) }
  }

  /// Returns the differences of a store from this version. Missing tables are not counted: the store may have been
  /// opened with fewer models.
  func differences(from tables: [TableDefinition]) -> [String] {
    definitions.flatMap { definition in
      let table = tables.first { $0.name == definition.name }
      return table?.differences(from: definition).map { "\(definition.name): \($0)" } ?? []
    }
  }

  /// Returns the number of the version's tables that the store lacks.
  func missingTableCount(in tables: [TableDefinition]) -> Int {
    definitions.count { definition in !tables.contains { $0.name == definition.name } }
  }

  var classNames: Set<String> { Set(layouts.map(\.entityName)) }

  /// Returns the differences of a container's models from this version.
  func differences(of hierarchies: [ModelHierarchy]) -> [String] {
    hierarchies.flatMap { hierarchy -> [String] in
      let wanted = TableDefinition(hierarchy)
      guard let own = definitions.first(where: { $0.name == wanted.name }) else { return ["it has no \(wanted.name)"] }
      return own.differences(from: wanted).map { "\(wanted.name): \($0)" }
    }
  }
}
