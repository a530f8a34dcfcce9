/// A property in coded form: first its kind, then its content.
struct CodedProperty: Codable {
  private enum Kind: String, Codable {
    case attribute, composite, relationship
  }

  private enum CodingKeys: String, CodingKey {
    case kind
  }

  let property: any SchemaProperty

  init(_ property: any SchemaProperty) {
    self.property = property
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    switch try container.decode(Kind.self, forKey: .kind) {
    case .attribute: property = try Schema.Attribute(from: decoder)
    case .composite: property = try Schema.CompositeAttribute(from: decoder)
    case .relationship: property = try Schema.Relationship(from: decoder)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch property {
    case is Schema.CompositeAttribute: try container.encode(Kind.composite, forKey: .kind)
    case is Schema.Attribute: try container.encode(Kind.attribute, forKey: .kind)
    case is Schema.Relationship: try container.encode(Kind.relationship, forKey: .kind)
    default:
      throw EncodingError.invalidValue(
        property,
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription: "A schema stores attributes and relationships; \(type(of: property)) is neither."))
    }
    try property.encode(to: encoder)
  }
}
