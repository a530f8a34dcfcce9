import LarderSupport

extension Schema {
  /// The schema of one model: its name, properties, constraints and indexes.
  // Unchecked, since Apple's API has variables here: the creator of an entity sets it up before passing it to a schema, and
  // nothing changes it afterwards.
  public final class Entity: @unchecked Sendable {
    public var name: String
    /// The entities that inherit from this entity.
    public var subentities: Set<Schema.Entity> = [] {
      didSet { for entity in subentities { entity.superentity = self } }
    }
    /// The name of the entity that this entity inherits from.
    public var superentityName: String?
    /// The entity that this entity inherits from.
    public weak var superentity: Schema.Entity? {
      didSet { if let superentity { superentityName = superentity.name } }
    }
    /// The entity's own properties, in the order of their declaration.
    public var storedProperties: [any SchemaProperty] = []
    /// The properties inherited from the parent entities.
    public var inheritedProperties: [any SchemaProperty] = []
    /// The names of the properties of each unique constraint. No two objects have the same values in all properties of
    /// a constraint. The name of a composite's member is the composite's name, a dot and its own name.
    public var uniquenessConstraints: [[String]] = []
    /// The names of the properties of each index.
    public var indices: [[String]] = []
    /// The elements of `indices` that are R-trees.
    package var spatialIndices: [[String]] = []

    /// Creates an entity without properties.
    public init(_ name: String) {
      self.name = name
    }

    /// Creates an entity from its properties and the entities that inherit from it.
    public convenience init(
      _ name: String, subentities: Schema.Entity..., properties: any SchemaProperty...
    ) {
      self.init(name, subentities: Set(subentities), storedProperties: properties)
    }

    /// Creates an entity from its properties.
    public convenience init(_ name: String, properties: any SchemaProperty...) {
      self.init(name, subentities: [], storedProperties: properties)
    }

    init(_ name: String, subentities: Set<Schema.Entity>, storedProperties: [any SchemaProperty]) {
      self.name = name
      self.storedProperties = storedProperties
      uniquenessConstraints = storedProperties.filter(\.isUnique).map { [$0.name] }
      self.subentities = subentities
      // Property observers don't run in an initializer.
      for entity in subentities { entity.superentity = self }
    }
  }
}

extension Schema.Entity {
  /// All properties: the inherited properties, then the entity's own.
  public var properties: [any SchemaProperty] { inheritedProperties + storedProperties }

  /// The attributes, inherited ones included.
  public var attributes: Set<Schema.Attribute> {
    get { Set(properties.compactMap { $0 as? Schema.Attribute }) }
    set { replaceStored(Array(newValue)) { $0 is Schema.Attribute } }
  }

  /// The relationships, inherited ones included.
  public var relationships: Set<Schema.Relationship> {
    get { Set(properties.compactMap { $0 as? Schema.Relationship }) }
    set { replaceStored(Array(newValue)) { $0 is Schema.Relationship } }
  }

  /// The attributes by name, inherited ones included.
  public var attributesByName: [String: Schema.Attribute] {
    get { Self.byName(properties.compactMap { $0 as? Schema.Attribute }) }
    set { attributes = Set(newValue.values) }
  }

  /// The relationships by name, inherited ones included.
  public var relationshipsByName: [String: Schema.Relationship] {
    get { Self.byName(properties.compactMap { $0 as? Schema.Relationship }) }
    set { relationships = Set(newValue.values) }
  }

  /// The entity's own properties by name.
  public var storedPropertiesByName: [String: any SchemaProperty] {
    get { Dictionary(storedProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }) }
    set { storedProperties = newValue.inOrder { $0.key < $1.key }.map(\.value) }
  }

  /// The inherited properties by name.
  public var inheritedPropertiesByName: [String: any SchemaProperty] {
    get { Dictionary(inheritedProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }) }
    set { inheritedProperties = newValue.inOrder { $0.key < $1.key }.map(\.value) }
  }

  private static func byName<P: SchemaProperty>(_ properties: [P]) -> [String: P] {
    Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private func replaceStored(
    _ replacements: [any SchemaProperty], where isReplaced: (any SchemaProperty) -> Bool
  ) {
    let inherited = Set(inheritedProperties.map(\.name))
    let added = replacements.filter { !inherited.contains($0.name) }.inOrder { $0.name < $1.name }
    storedProperties = storedProperties.filter { !isReplaced($0) } + added
  }
}

extension Schema.Entity: CustomDebugStringConvertible {
  public var debugDescription: String {
    "Schema.Entity - name: \(name), superentity: \(superentityName ?? "nil"), "
      + "properties: \(properties.map(\.name)), uniquenessConstraints: \(uniquenessConstraints), indices: \(indices)"
  }
}
