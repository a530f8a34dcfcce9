import LarderSupport

extension Schema {
  /// One kind of stored object: a model's name, its properties, and what holds between them.
  // Unchecked, since Apple's vocabulary has variables here: an entity is set up by the one who makes it, before a
  // schema takes it, and nothing changes it afterwards.
  public final class Entity: @unchecked Sendable {
    public var name: String
    /// The entities that inherit from this one.
    public var subentities: Set<Schema.Entity> = [] {
      didSet { for entity in subentities { entity.superentity = self } }
    }
    /// The name of the entity that this one inherits from.
    public var superentityName: String?
    /// The entity that this one inherits from.
    public weak var superentity: Schema.Entity? {
      didSet { if let superentity { superentityName = superentity.name } }
    }
    /// The entity's own properties, in the order of their declaration.
    public var storedProperties: [any SchemaProperty] = []
    /// The properties that it has from the entity above.
    public var inheritedProperties: [any SchemaProperty] = []
    /// The names of properties in which, taken together, no two objects agree. A composite's member is named by its
    /// composite, a dot and its own name.
    public var uniquenessConstraints: [[String]] = []
    /// The names of the properties of each index.
    public var indices: [[String]] = []
    /// Those of `indices` that are R-trees.
    package var spatialIndices: [[String]] = []

    /// Makes an entity without properties.
    public init(_ name: String) {
      self.name = name
    }

    /// Makes an entity from its properties and the entities that inherit from it.
    public convenience init(
      _ name: String, subentities: Schema.Entity..., properties: any SchemaProperty...
    ) {
      self.init(name, subentities: Set(subentities), storedProperties: properties)
    }

    /// Makes an entity from its properties.
    public convenience init(_ name: String, properties: any SchemaProperty...) {
      self.init(name, subentities: [], storedProperties: properties)
    }

    init(_ name: String, subentities: Set<Schema.Entity>, storedProperties: [any SchemaProperty]) {
      self.name = name
      self.storedProperties = storedProperties
      uniquenessConstraints = storedProperties.filter(\.isUnique).map { [$0.name] }
      self.subentities = subentities
      // Observers don't run in an initializer.
      for entity in subentities { entity.superentity = self }
    }
  }
}

extension Schema.Entity {
  /// All properties: the inherited ones, then its own.
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

  /// The attributes by their names, inherited ones included.
  public var attributesByName: [String: Schema.Attribute] {
    get { Self.byName(properties.compactMap { $0 as? Schema.Attribute }) }
    set { attributes = Set(newValue.values) }
  }

  /// The relationships by their names, inherited ones included.
  public var relationshipsByName: [String: Schema.Relationship] {
    get { Self.byName(properties.compactMap { $0 as? Schema.Relationship }) }
    set { relationships = Set(newValue.values) }
  }

  /// The entity's own properties by their names.
  public var storedPropertiesByName: [String: any SchemaProperty] {
    get { Dictionary(storedProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }) }
    set { storedProperties = newValue.inOrder { $0.key < $1.key }.map(\.value) }
  }

  /// The inherited properties by their names.
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
