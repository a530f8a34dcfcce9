extension Schema {
  /// A property whose value is stored with its object.
  ///
  /// `@Attribute(.unique, originalName: "identifier")` on a property of a model becomes one of these.
  // Unchecked, since Apple's vocabulary has variables here: an attribute is set up by the one who makes it, before it
  // goes into a schema, and nothing changes it afterwards.
  public class Attribute: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    public var name: String
    public var originalName: String
    /// How the value is kept.
    public var options: [Option]
    public var valueType: any Any.Type {
      didSet {
        valueTypeName = ValueTypes.name(of: valueType)
        isOptional = ValueTypes.isOptional(valueType)
      }
    }
    /// The value that a new object starts with. It isn't part of the schema's stored form, nor of `==`: defaults such
    /// as `Date.now` differ from run to run.
    public var defaultValue: Any?
    public var isOptional: Bool
    /// A text to change when the meaning of the values changes but not their type, so that versions can be told apart.
    public var hashModifier: String?

    /// The type's name in a stored schema, kept where the type itself is unknown to this program.
    package private(set) var valueTypeName: String

    /// Makes an attribute without a name, as `@Attribute` does; the schema names it.
    public convenience init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
      self.init(
        name: "", originalName: originalName, options: options, valueType: Any.self, hashModifier: hashModifier)
    }

    /// Makes an attribute with everything said.
    public init(
      name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type,
      defaultValue: Any? = nil, hashModifier: String? = nil
    ) {
      self.name = name
      self.originalName = originalName ?? name
      self.options = options
      self.valueType = valueType
      self.defaultValue = defaultValue
      self.hashModifier = hashModifier
      valueTypeName = ValueTypes.name(of: valueType)
      isOptional = ValueTypes.isOptional(valueType)
    }

    private enum CodingKeys: String, CodingKey {
      case name, originalName, options, valueType, isOptional, hashModifier
    }

    public required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      originalName = try container.decodeIfPresent(String.self, forKey: .originalName) ?? name
      options = try container.decodeIfPresent([Option].self, forKey: .options) ?? []
      valueTypeName = try container.decode(String.self, forKey: .valueType)
      valueType = ValueTypes.type(named: valueTypeName)
      isOptional = try container.decode(Bool.self, forKey: .isOptional)
      hashModifier = try container.decodeIfPresent(String.self, forKey: .hashModifier)
    }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      if originalName != name { try container.encode(originalName, forKey: .originalName) }
      if !options.isEmpty { try container.encode(options, forKey: .options) }
      try container.encode(valueTypeName, forKey: .valueType)
      try container.encode(isOptional, forKey: .isOptional)
      try container.encodeIfPresent(hashModifier, forKey: .hashModifier)
    }

    public var isAttribute: Bool { true }
    public var isRelationship: Bool { false }
    /// Whether the store leaves the value out: it is tracked, but not kept.
    public var isTransient: Bool { isEphemeral }
    public var isUnique: Bool { options.contains(.unique) }
    /// Whether a value transformer makes the stored form.
    public var isTransformable: Bool { transformerName != nil }
    /// Whether the value is stored whole, through its own coding.
    public var isCodable: Bool { options.contains(.codable) }

    public static func == (left: Attribute, right: Attribute) -> Bool { left.isEqual(to: right) }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(valueTypeName)
    }

    func isEqual(to other: Attribute) -> Bool {
      type(of: self) == type(of: other) && name == other.name && originalName == other.originalName
        && Set(options) == Set(other.options) && valueTypeName == other.valueTypeName
        && isOptional == other.isOptional && hashModifier == other.hashModifier
    }

    public var debugDescription: String {
      "Schema.Attribute - name: \(name), options: \(options), valueType: \(valueTypeName), "
        + "defaultValue: \(defaultValue.map { "\($0)" } ?? "nil"), hashModifier: \(hashModifier ?? "nil")"
    }
  }
}

extension Schema.Attribute {
  /// Whether changes are tracked but not stored.
  package var isEphemeral: Bool { options.contains(.ephemeral) }
  /// Whether the bytes may lie outside the row and load when first touched.
  package var isExternalStorage: Bool { options.contains(.externalStorage) }
  /// Whether the value's own coding is not asked for.
  package var bypassesCodable: Bool { isTransformable || isEphemeral }
  /// Whether history keeps the value of a deleted object.
  package var isPreservedOnDeletion: Bool { options.contains(.preserveValueOnDeletion) }
  /// The name of the transformer of `.transformable(by:)`.
  package var transformerName: String? { options.lazy.compactMap(\.transformerName).first }
}
