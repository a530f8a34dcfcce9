extension Schema {
  /// An attribute whose value is a struct, stored in one column for each member.
  // Unchecked for the reason given at `Attribute`.
  public final class CompositeAttribute: Attribute, @unchecked Sendable {
    /// The members of the struct, in the order of their declaration.
    public var properties: [Attribute]

    public override init(
      name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type,
      defaultValue: Any? = nil, hashModifier: String? = nil
    ) {
      properties = []
      super.init(
        name: name, originalName: originalName, options: options, valueType: valueType, defaultValue: defaultValue,
        hashModifier: hashModifier)
    }

    private enum CodingKeys: String, CodingKey {
      case properties
    }

    public required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      properties = try container.decode([CodedProperty].self, forKey: .properties).map { coded in
        guard let attribute = coded.property as? Attribute else {
          throw DecodingError.dataCorruptedError(
            forKey: .properties, in: container, debugDescription: "A composite's members must be attributes.")
        }
        return attribute
      }
      try super.init(from: decoder)
    }

    public override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(properties.map(CodedProperty.init), forKey: .properties)
    }

    override func isEqual(to other: Attribute) -> Bool {
      guard super.isEqual(to: other), let other = other as? CompositeAttribute else { return false }
      return properties == other.properties
    }

    public override var debugDescription: String {
      "Schema.CompositeAttribute - name: \(name), options: \(options), valueType: \(valueTypeName), "
        + "properties: \(properties.map(\.name))"
    }
  }
}
