/// A part of an entity: an attribute, a relationship, or a constraint over several of them.
public protocol SchemaProperty: Decodable, Encodable, Hashable {
  /// The property's name in the model.
  var name: String { get set }
  /// The property's name in older versions of the schema; equal to `name` if it never changed.
  var originalName: String { get set }
  /// The property's static type, `Optional` included.
  var valueType: any Any.Type { get set }
  /// Whether this is an attribute: a value stored with the object.
  var isAttribute: Bool { get }
  /// Whether this is a relationship: a reference to other models.
  var isRelationship: Bool { get }
  /// Whether the store omits this property.
  var isTransient: Bool { get }
  /// Whether the property may be nil.
  var isOptional: Bool { get }
  /// Whether no two objects may have the same value.
  var isUnique: Bool { get }
}

extension SchemaProperty {
  public var isAttribute: Bool { false }
  public var isRelationship: Bool { false }
  public var isTransient: Bool { false }
  public var isOptional: Bool { false }
}
