import LarderSupport

/// What a container stores: its entities, their properties, and how they are related.
///
/// ```swift
/// let schema = Schema([Trip.self, Stop.self], version: Schema.Version(1, 1, 0))
/// let container = try ModelContainer(for: schema, configurations: [ModelConfiguration(schema: schema)])
/// ```
///
/// Models that those listed refer to belong to the schema without being listed.
public final class Schema: Codable, Sendable {
  /// The version of the coded form that this release writes.
  public static let schemaEncodingVersion = Schema.Version(1, 0, 0)

  /// The version of the coded form that this schema was read from, or will be written in.
  public let encodingVersion: Schema.Version
  /// The version of the models.
  public let version: Schema.Version
  /// The entities, in the order of their names.
  public let entities: [Schema.Entity]
  /// The entities by their names.
  public let entitiesByName: [String: Schema.Entity]

  /// Whether the version is that of a ``VersionedSchema``, so that a store with a later one is a newer program's.
  package let isVersioned: Bool
  /// The models of the entities by their names, where the schema was made from models.
  package let modelTypes: [String: any PersistentModel.Type]
  /// What is wrong with the models, each with the sentence to show; a container with such a schema doesn't open.
  package let problems: [String]

  /// Makes a schema without entities.
  public convenience init() {
    self.init(entities: [], version: Version(1, 0, 0))
  }

  /// Makes a schema of entities that were made by hand.
  public convenience init(_ entities: Schema.Entity..., version: Schema.Version = Version(1, 0, 0)) {
    self.init(entities: entities, version: version)
  }

  /// Makes a schema of models, and of those that they refer to.
  public convenience init(
    _ types: any PersistentModel.Type..., version: Schema.Version = Version(1, 0, 0)
  ) {
    self.init(types, version: version)
  }

  /// Makes a schema of models, and of those that they refer to.
  public convenience init(_ types: [any PersistentModel.Type], version: Schema.Version = Version(1, 0, 0)) {
    let built = SchemaBuilder(types)
    self.init(
      entities: built.entities, version: version, modelTypes: built.modelTypes, problems: built.problems)
  }

  /// Makes the schema of one version of the models.
  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(versionedSchema.models, version: versionedSchema.versionIdentifier, isVersioned: true)
  }

  /// A schema of models, which may be a part of a ``VersionedSchema``.
  package convenience init(_ types: [any PersistentModel.Type], version: Schema.Version, isVersioned: Bool) {
    let built = SchemaBuilder(types)
    self.init(
      entities: built.entities, version: version, modelTypes: built.modelTypes, problems: built.problems,
      isVersioned: isVersioned)
  }

  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let encodingVersion = try container.decode(Version.self, forKey: .encodingVersion)
    guard encodingVersion.major <= Self.schemaEncodingVersion.major else {
      throw SwiftDataError.unknownSchema.explained(
        "The schema was written in form \(encodingVersion), and this program reads forms up to "
          + "\(Self.schemaEncodingVersion). Read it with the version of the program that wrote it, or a later one.")
    }
    self.init(
      entities: Self.flattened(try container.decode([Entity].self, forKey: .entities)),
      version: try container.decode(Version.self, forKey: .version), encodingVersion: encodingVersion)
  }

  private init(
    entities: [Entity], version: Version, encodingVersion: Version = Schema.schemaEncodingVersion,
    modelTypes: [String: any PersistentModel.Type] = [:], problems: [String] = [], isVersioned: Bool = false
  ) {
    self.encodingVersion = encodingVersion
    self.version = version
    self.isVersioned = isVersioned
    self.entities = entities.inOrder { $0.name < $1.name }
    entitiesByName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.modelTypes = modelTypes
    self.problems = problems + Self.duplicateNameProblems(entities)
  }

  private static func duplicateNameProblems(_ entities: [Entity]) -> [String] {
    Dictionary(grouping: entities, by: \.name).filter { $0.value.count > 1 }.keys.inOrder().map {
      "Two entities are named \($0). Give each its own name: a store has one table for each."
    }
  }
}
