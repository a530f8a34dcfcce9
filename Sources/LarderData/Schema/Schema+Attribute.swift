extension Schema {
  /// A property whose value is stored with its object.
  ///
  /// `@Attribute(.unique, originalName: "identifier")` on a property of a model creates an attribute.
  // Unchecked, since Apple's API has variables here: the creator of an attribute sets it up before passing it to a schema,
  // and nothing changes it afterwards.
  public class Attribute: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    public var name: String
    public var originalName: String
    /// The options for storing the value.
    public var options: [Option]
    public var valueType: any Any.Type {
      didSet {
        valueTypeName = ValueTypes.name(of: valueType)
        isOptional = ValueTypes.isOptional(valueType)
      }
    }
    /// The value of the property in a new object. It is not part of the schema's coded form, nor of `==`: defaults such
    /// as `Date.now` differ from run to run.
    public var defaultValue: Any?
    public var isOptional: Bool
    /// A text to change if the meaning of the values changes but not their type, so that the versions differ.
    public var hashModifier: String?

    /// The name of the type in a coded schema, for a type that does not exist in this program.
    package private(set) var valueTypeName: String

    /// Creates an attribute without a name, as `@Attribute` does; the schema sets the name.
    ///
    /// - Parameters:
    ///   - options: The options for storing the value.
    ///   - originalName: The property's name in older versions of the schema; `nil` if it never changed.
    ///   - hashModifier: A text to change if the meaning of the values changes.
    public convenience init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
      self.init(
        name: "", originalName: originalName, options: options, valueType: Any.self, hashModifier: hashModifier)
    }

    /// Creates an attribute.
    ///
    /// - Parameters:
    ///   - name: The property's name in the model.
    ///   - originalName: The property's name in older versions of the schema; `nil` if it never changed.
    ///   - options: The options for storing the value.
    ///   - valueType: The property's static type, `Optional` included.
    ///   - defaultValue: The value of the property in a new object.
    ///   - hashModifier: A text to change if the meaning of the values changes.
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
    /// Whether the store omits the value: changes are tracked, but the value is not stored.
    public var isTransient: Bool { isEphemeral }
    public var isUnique: Bool { options.contains(.unique) }
    /// Whether a value transformer creates the stored form.
    public var isTransformable: Bool { transformerName != nil }
    /// Whether the value is stored whole, as its own `Codable` implementation encodes it.
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
  /// Whether the bytes may be stored outside of the row and loaded on first access.
  package var isExternalStorage: Bool { options.contains(.externalStorage) }
  /// Whether the value's `Codable` implementation is not used.
  package var bypassesCodable: Bool { isTransformable || isEphemeral }
  /// Whether history keeps the value of a deleted object.
  package var isPreservedOnDeletion: Bool { options.contains(.preserveValueOnDeletion) }
  /// The name of the transformer of `.transformable(by:)`.
  package var transformerName: String? { options.lazy.compactMap(\.transformerName).first }
}
