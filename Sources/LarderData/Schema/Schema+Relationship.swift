extension Schema {
  /// A property that references one or many other models.
  // Unchecked for the reason given at `Attribute`: variables in Apple's API, set up before they are shared.
  public final class Relationship: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    public var name: String
    public var originalName: String
    /// The key path from the model to this property, if the schema was created from model types.
    public var keypath: AnyKeyPath?
    public var options: [Option]
    public var valueType: any Any.Type {
      didSet { adoptValueType() }
    }
    /// The name of the related model's entity.
    public var destination: String
    /// The effect on the related models when a model with this relationship is deleted.
    public var deleteRule: DeleteRule
    /// The name of the inverse, a property of the related model.
    public var inverseName: String?
    /// The key path of the inverse, a property of the related model.
    public var inverseKeyPath: AnyKeyPath?
    /// The minimum number of related models, checked on save.
    public var minimumModelCount: Int?
    /// The maximum number of related models, checked on save; 0 means no limit.
    public var maximumModelCount: Int?
    /// A text to change if the meaning of the relationship changes but not its type.
    public var hashModifier: String?
    public private(set) var isOptional = false
    /// Whether this is a to-one relationship.
    public private(set) var isToOneRelationship = true

    /// The name of the type in a coded schema, for a type that does not exist in this program.
    package private(set) var valueTypeName: String

    /// Creates a relationship without a name, as `@Relationship` does; the schema sets the name.
    ///
    /// - Parameters:
    ///   - options: The options of the relationship.
    ///   - deleteRule: The effect on the related models when a model with this relationship is deleted.
    ///   - minimumModelCount: The minimum number of related models, checked on save.
    ///   - maximumModelCount: The maximum number of related models, checked on save; 0 means no limit.
    ///   - originalName: The property's name in older versions of the schema; `nil` if it never changed.
    ///   - inverse: The key path of the inverse.
    ///   - hashModifier: A text to change if the meaning of the relationship changes but not its type.
    public init(
      _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0,
      maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil, hashModifier: String? = nil
    ) {
      name = ""
      self.originalName = originalName ?? ""
      self.options = options
      valueType = Any.self
      valueTypeName = ValueTypes.name(of: Any.self)
      destination = ""
      self.deleteRule = deleteRule
      inverseKeyPath = inverse
      self.minimumModelCount = minimumModelCount
      self.maximumModelCount = maximumModelCount
      self.hashModifier = hashModifier
    }

    /// Creates a copy of a `@Relationship` declaration, for the property of this name and type.
    init(_ given: Relationship?, name: String, keypath: AnyKeyPath, valueType: any Any.Type) {
      self.name = name
      originalName = given.flatMap { $0.originalName.isEmpty ? nil : $0.originalName } ?? name
      self.keypath = keypath
      options = given?.options ?? []
      self.valueType = valueType
      valueTypeName = ""
      destination = given?.destination ?? ""
      deleteRule = given?.deleteRule ?? .nullify
      inverseName = given?.inverseName
      inverseKeyPath = given?.inverseKeyPath
      minimumModelCount = given.map(\.minimumModelCount) ?? 0
      maximumModelCount = given.map(\.maximumModelCount) ?? 0
      hashModifier = given?.hashModifier
      adoptValueType()
    }

    private func adoptValueType() {
      valueTypeName = ValueTypes.name(of: valueType)
      isOptional = ValueTypes.isOptional(valueType)
      guard let found = ValueTypes.destination(of: valueType) else { return }
      destination = Schema.name(of: found.model)
      isToOneRelationship = !found.isToMany
    }

    private enum CodingKeys: String, CodingKey {
      case name, originalName, options, valueType, isOptional, isToOne, destination, deleteRule, inverseName
      case minimumModelCount, maximumModelCount, hashModifier
    }

    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      originalName = try container.decodeIfPresent(String.self, forKey: .originalName) ?? name
      options = try container.decodeIfPresent([Option].self, forKey: .options) ?? []
      valueTypeName = try container.decode(String.self, forKey: .valueType)
      valueType = ValueTypes.type(named: valueTypeName)
      isOptional = try container.decode(Bool.self, forKey: .isOptional)
      isToOneRelationship = try container.decode(Bool.self, forKey: .isToOne)
      destination = try container.decode(String.self, forKey: .destination)
      deleteRule = try container.decode(DeleteRule.self, forKey: .deleteRule)
      inverseName = try container.decodeIfPresent(String.self, forKey: .inverseName)
      minimumModelCount = try container.decodeIfPresent(Int.self, forKey: .minimumModelCount)
      maximumModelCount = try container.decodeIfPresent(Int.self, forKey: .maximumModelCount)
      hashModifier = try container.decodeIfPresent(String.self, forKey: .hashModifier)
    }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      if originalName != name { try container.encode(originalName, forKey: .originalName) }
      if !options.isEmpty { try container.encode(options, forKey: .options) }
      try container.encode(valueTypeName, forKey: .valueType)
      try container.encode(isOptional, forKey: .isOptional)
      try container.encode(isToOneRelationship, forKey: .isToOne)
      try container.encode(destination, forKey: .destination)
      try container.encode(deleteRule, forKey: .deleteRule)
      try container.encodeIfPresent(inverseName, forKey: .inverseName)
      try container.encodeIfPresent(minimumModelCount, forKey: .minimumModelCount)
      try container.encodeIfPresent(maximumModelCount, forKey: .maximumModelCount)
      try container.encodeIfPresent(hashModifier, forKey: .hashModifier)
    }

    public var isAttribute: Bool { false }
    public var isRelationship: Bool { true }
    public var isTransient: Bool { false }
    public var isUnique: Bool { options.contains(.unique) }

    // Key paths are not compared: a schema that was read from a file has none.
    public static func == (left: Relationship, right: Relationship) -> Bool {
      left.name == right.name && left.originalName == right.originalName && Set(left.options) == Set(right.options)
        && left.valueTypeName == right.valueTypeName && left.isOptional == right.isOptional
        && left.isToOneRelationship == right.isToOneRelationship && left.destination == right.destination
        && left.deleteRule == right.deleteRule && left.inverseName == right.inverseName
        && left.minimumModelCount == right.minimumModelCount && left.maximumModelCount == right.maximumModelCount
        && left.hashModifier == right.hashModifier
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(destination)
    }

    public var debugDescription: String {
      "Schema.Relationship - name: \(name), options: \(options), valueType: \(valueTypeName), "
        + "destination: \(destination), inverseName: \(inverseName ?? "nil"), deleteRule: \(deleteRule.rawValue)"
    }
  }
}

extension Schema.Relationship {
  /// The effect of a model's deletion on the models that it references.
  public enum DeleteRule: String, Codable, Sendable {
    /// The same as ``nullify``: the store never contains a reference to a deleted row.
    case noAction
    /// The related models lose their reference to the deleted model.
    case nullify
    /// The related models are deleted, too.
    case cascade
    /// The deletion is refused while there are related models: saving throws.
    case deny
  }

  /// An option of a relationship.
  public struct Option: Codable, Hashable, CustomDebugStringConvertible, Sendable {
    private enum Kind: String, Codable {
      case unique
    }

    private let kind: Kind

    /// A relationship in which no two models reference the same model.
    public static var unique: Option { Option(kind: .unique) }

    public var debugDescription: String { kind.rawValue }
  }
}
