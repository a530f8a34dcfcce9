extension Schema {
  /// A property that refers to one or many other models.
  // Unchecked for the reason given at `Attribute`: variables by Apple's vocabulary, set up before they are shared.
  public final class Relationship: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    public var name: String
    public var originalName: String
    /// The key path from the model to this property, where the schema was made from model types.
    public var keypath: AnyKeyPath?
    public var options: [Option]
    public var valueType: any Any.Type {
      didSet { adoptValueType() }
    }
    /// The name of the entity at the other end.
    public var destination: String
    /// What happens to the models at the other end when one at this end is deleted.
    public var deleteRule: DeleteRule
    /// The name of the property at the other end that mirrors this one.
    public var inverseName: String?
    /// The key path of the property at the other end that mirrors this one.
    public var inverseKeyPath: AnyKeyPath?
    /// The least number of models at the other end, checked when saving.
    public var minimumModelCount: Int?
    /// The greatest number of models at the other end, checked when saving; 0 is no limit.
    public var maximumModelCount: Int?
    /// A text to change when the meaning of the relationship changes but not its type.
    public var hashModifier: String?
    public private(set) var isOptional = false
    /// Whether there is at most one model at the other end.
    public private(set) var isToOneRelationship = true

    /// The type's name in a stored schema, kept where the type itself is unknown to this program.
    package private(set) var valueTypeName: String

    /// Makes a relationship without a name, as `@Relationship` does; the schema names it.
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

    /// A copy of what `@Relationship` said, for the property of this name and type.
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

    // Key paths take no part: a schema that was read from a file has none.
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
  /// What the deletion of a model does to those that it refers to.
  public enum DeleteRule: String, Codable, Sendable {
    /// The same as ``nullify``: no reference to a row that is gone is ever stored.
    case noAction
    /// The others lose their reference to it.
    case nullify
    /// The others are deleted too.
    case cascade
    /// It cannot be deleted while there are others: saving throws.
    case deny
  }

  /// How a relationship is kept.
  public struct Option: Codable, Hashable, CustomDebugStringConvertible, Sendable {
    private enum Kind: String, Codable {
      case unique
    }

    private let kind: Kind

    /// No two models refer to the same one.
    public static var unique: Option { Option(kind: .unique) }

    public var debugDescription: String { kind.rawValue }
  }
}
