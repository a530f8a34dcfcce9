import LarderData

/// One version of a plan, as far as it lies in a store.
struct SchemaVersion {
  let type: any VersionedSchema.Type
  let identifier: Schema.Version
  let layouts: [_ModelLayout]
  let hierarchies: [ModelHierarchy]
  let definitions: [TableDefinition]

  /// - Throws: What is wrong with the version's models.
  init(_ type: any VersionedSchema.Type, _ belongs: (_ModelLayout) -> Bool) throws {
    self.type = type
    identifier = type.versionIdentifier
    layouts = try ContainerCore.layouts(of: Schema(versionedSchema: type)).filter(belongs)
    hierarchies = ModelHierarchy.all(layouts)
    definitions = hierarchies.map { TableDefinition($0) }
  }

  /// What a store has otherwise than this version. Tables that it lacks are not counted: it may have been opened with
  /// fewer models.
  func differences(from tables: [TableDefinition]) -> [String] {
    definitions.flatMap { definition in
      let table = tables.first { $0.name == definition.name }
      return table?.differences(from: definition).map { "\(definition.name): \($0)" } ?? []
    }
  }

  /// How many of the version's tables a store lacks.
  func missingTableCount(in tables: [TableDefinition]) -> Int {
    definitions.count { definition in !tables.contains { $0.name == definition.name } }
  }

  var classNames: Set<String> { Set(layouts.map(\.entityName)) }

  /// What a container's models have that this version has not, or has otherwise.
  func differences(of hierarchies: [ModelHierarchy]) -> [String] {
    hierarchies.flatMap { hierarchy -> [String] in
      let wanted = TableDefinition(hierarchy)
      guard let own = definitions.first(where: { $0.name == wanted.name }) else { return ["it has no \(wanted.name)"] }
      return own.differences(from: wanted).map { "\(wanted.name): \($0)" }
    }
  }
}
