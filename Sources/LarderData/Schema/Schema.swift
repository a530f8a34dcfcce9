import LarderSupport

/// The entities that a container stores, with their properties and relationships.
///
/// ```swift
/// let schema = Schema([Trip.self, Stop.self], version: Schema.Version(1, 1, 0))
/// let container = try ModelContainer(for: schema, configurations: [ModelConfiguration(schema: schema)])
/// ```
///
/// Models that are referenced by listed models belong to the schema, too.
public final class Schema: Codable, Sendable {
  /// The version of the coded form that this release writes.
  public static let schemaEncodingVersion = Schema.Version(1, 0, 0)

  /// The version of the coded form from which this schema was read, or in which it will be written.
  public let encodingVersion: Schema.Version
  /// The version of the models.
  public let version: Schema.Version
  /// The entities, sorted by name.
  public let entities: [Schema.Entity]
  /// The entities by name.
  public let entitiesByName: [String: Schema.Entity]

  /// Whether the version is that of a ``VersionedSchema``. If so, a newer program wrote any store with a later version.
  package let isVersioned: Bool
  /// The models of the entities by name, if the schema was created from models.
  package let modelTypes: [String: any PersistentModel.Type]
  /// The problems of the models, as sentences for the error text. A container does not open with such a schema.
  package let problems: [String]

  /// Creates a schema without entities.
  public convenience init() {
    self.init(entities: [], version: Version(1, 0, 0))
  }

  /// Creates a schema from entities.
  ///
  /// - Parameters:
  ///   - entities: The entities.
  ///   - version: The version of the models.
  public convenience init(_ entities: Schema.Entity..., version: Schema.Version = Version(1, 0, 0)) {
    self.init(entities: entities, version: version)
  }

  /// Creates a schema from models, and the models that these reference.
  ///
  /// - Parameters:
  ///   - types: The models.
  ///   - version: The version of the models.
  public convenience init(
    _ types: any PersistentModel.Type..., version: Schema.Version = Version(1, 0, 0)
  ) {
    self.init(types, version: version)
  }

  /// Creates a schema from models, and the models that these reference.
  ///
  /// - Parameters:
  ///   - types: The models.
  ///   - version: The version of the models.
  public convenience init(_ types: [any PersistentModel.Type], version: Schema.Version = Version(1, 0, 0)) {
    let built = SchemaBuilder(types)
    self.init(
      entities: built.entities, version: version, modelTypes: built.modelTypes, problems: built.problems)
  }

  /// Creates the schema of one version of the models.
  ///
  /// - Parameter versionedSchema: The version.
  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(versionedSchema.models, version: versionedSchema.versionIdentifier, isVersioned: true)
  }

  /// Creates a schema from models, which may be a part of a ``VersionedSchema``.
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
