/// A part of an entity: an attribute, a relationship, or a constraint over several of them.
public protocol SchemaProperty: Decodable, Encodable, Hashable {
  /// The name in the model.
  var name: String { get set }
  /// The name under which older versions of the schema stored it; `name` where it never changed.
  var originalName: String { get set }
  /// The property's static type, `Optional` included.
  var valueType: any Any.Type { get set }
  /// Whether this is a value stored with the object.
  var isAttribute: Bool { get }
  /// Whether this refers to other models.
  var isRelationship: Bool { get }
  /// Whether the store leaves this out.
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
