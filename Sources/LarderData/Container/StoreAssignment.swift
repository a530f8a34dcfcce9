import Foundation
import LarderSupport

/// The assignment of a container's models to its configurations.
struct StoreAssignment {
  /// A configuration, and the models in its store.
  struct Entry {
    let configuration: any DataStoreConfiguration
    fileprivate(set) var layouts: [_ModelLayout] = []

    /// The configuration of an SQLite store; `nil` for a data store of another kind.
    var sqlite: ModelConfiguration? { configuration as? ModelConfiguration }

    /// Returns the part of the container's schema that is in the store.
    func schema(of whole: Schema) -> Schema {
      if layouts.count == whole.entities.count { return whole }
      return Schema(layouts.map(\.type), version: whole.version, isVersioned: whole.isVersioned)
    }
  }

  private(set) var entries: [Entry]

  /// - Throws: ``SwiftDataError`` if a model has no store or more than one, or if a related model or its superclass is in
  ///   another store.
  init(_ configurations: [any DataStoreConfiguration], layouts: [_ModelLayout]) throws {
    entries = configurations.map { Entry(configuration: $0) }
    try checkDuplicates()
    for configuration in configurations { try configuration.validate() }
    try checkUnknownModels(Set(layouts.map(\.entityName)))
    for layout in layouts { entries[try storeIndex(of: layout)].layouts.append(layout) }
    for layout in layouts { try checkCrossStoreReferences(of: layout) }
  }

  /// Throws if two configurations share a name or a file. Two default names are no error.
  private func checkDuplicates() throws {
    for (index, part) in entries.enumerated() {
      let one = part.configuration
      for other in entries[..<index].lazy.map(\.configuration) {
        if one.name == other.name, one.name != ModelConfiguration.defaultName {
          throw SwiftDataError.duplicateConfiguration.explained(
            "Two of the container's configurations are named \"\(one.name)\". Give each its own name.")
        }
        try checkDistinct(one, from: other)
      }
    }
  }

  private func checkDistinct(_ one: any DataStoreConfiguration, from other: any DataStoreConfiguration) throws {
    guard let file = one as? ModelConfiguration, let otherFile = other as? ModelConfiguration else {
      guard AnyHashable(one) == AnyHashable(other) else { return }
      throw SwiftDataError.duplicateConfiguration.explained(
        "The container was given the configuration \"\(one.name)\" twice. Give it once, or put the models of both into one."
      )
    }
    if !file.isStoredInMemoryOnly, file.url.standardizedFileURL == otherFile.url.standardizedFileURL {
      throw SwiftDataError.duplicateConfiguration.explained(
        "Two of the container's configurations have the file \(file.url.path). Give each its own, or put the models "
          + "of both into one.")
    }
  }

  private func checkUnknownModels(_ known: Set<String>) throws {
    for part in entries {
      let names = part.configuration.schema?.entities.map(\.name).filter { !known.contains($0) } ?? []
      guard !names.isEmpty else { continue }
      throw SwiftDataError.configurationSchemaNotFoundInContainerSchema.explained(
        "The configuration \"\(part.configuration.name)\" keeps \(names.inOrder().joined(separator: ", ")), which the "
          + "container's schema lacks. Make the container for these models, too.")
    }
  }

  /// Returns the index of the configuration that names a model or its superclass; otherwise of the one without a schema.
  private func storeIndex(of layout: _ModelLayout) throws -> Int {
    let classes = Set(sequence(first: layout, next: \.base).map(\.entityName))
    let naming = entries.indices.filter { index in
      entries[index].configuration.schema?.entities.contains { classes.contains($0.name) } ?? false
    }
    let places = naming.isEmpty ? entries.indices.filter { entries[$0].configuration.schema == nil } : naming
    if places.count == 1 { return places[0] }
    if naming.isEmpty, !places.isEmpty {
      throw SwiftDataError.loadIssueModelContainer.explained(
        "\(places.count) configurations of the container have no schema, and \(layout.entityName) is named by none that "
          + "has one. Give all but one of them a schema.")
    }
    let names = places.map { "\"\(entries[$0].configuration.name)\"" }.joined(separator: " and ")
    throw SwiftDataError.loadIssueModelContainer.explained(
      places.isEmpty
        ? "\(layout.entityName) is in none of the container's configurations. Add it to the schema of one of them."
        : "\(layout.entityName) is in the configurations \(names). A model lies in one store, together with those that it "
          + "is related to and inherits from: name them all in one configuration.")
  }

  private func checkCrossStoreReferences(of layout: _ModelLayout) throws {
    func store(of layout: _ModelLayout) -> Int? { entries.firstIndex { $0.layouts.contains { $0 === layout } } }
    let own = store(of: layout)
    let others =
      layout.relationships.map { (what: "related by \($0.name) to", layout: $0.destinationLayout) }
      + (layout.base.map { [(what: "a subclass of", layout: $0)] } ?? [])
    for other in others where store(of: other.layout) != own {
      throw SwiftDataError.loadIssueModelContainer.explained(
        "\(layout.entityName) is \(other.what) \(other.layout.entityName), which lies in the store of another "
          + "configuration. Put both into one.")
    }
  }
}
