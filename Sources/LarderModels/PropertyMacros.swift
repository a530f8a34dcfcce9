public import LarderData

/// Configures an attribute of a model.
///
/// ```swift
/// @Attribute(.unique) var code: String
/// @Attribute(.externalStorage) var photo: Data?
/// @Attribute(originalName: "begin") var start: Date
/// ```
///
/// | option | effect |
/// |---|---|
/// | `.unique` | an insert with the value of a stored row updates that row |
/// | `.externalStorage` | the value is in a table of its own and is read on first access |
/// | `.ephemeral` | changes are tracked, and the value is not stored |
/// | `.transformable(by:)` | a value transformer creates the stored bytes |
/// | `.codable` | the whole value is stored as JSON |
/// | `.preserveValueOnDeletion` | the history keeps the value after the model's deletion, where it fits |
/// | `.spotlight`, `.allowsCloudEncryption` | part of the schema, without effect |
///
/// `.externalStorage`, `.ephemeral` and `.transformable` must be written here, not in a constant: the macro reads them
/// in the source.
///
/// - Parameters:
///   - options: The options of the attribute; see ``/LarderData/Schema/Attribute/Option``.
///   - originalName: The property's name in an earlier version of the schema, whose values are migrated.
///   - hashModifier: A text that distinguishes two otherwise equal versions of an attribute.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "LarderMacros", type: "AttributePropertyMacro")

/// Configures a relationship to another model.
///
/// ```swift
/// @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
/// ```
///
/// - Parameters:
///   - options: The options of the relationship; see ``/LarderData/Schema/Relationship/Option``.
///   - deleteRule: The effect on the related models when this one is deleted.
///   - minimumModelCount: The least number of models in a to-many relationship.
///   - maximumModelCount: The greatest number of models in a to-many relationship; 0 is no limit.
///   - originalName: The property's name in an earlier version of the schema.
///   - inverse: The inverse property of the other model, specified on one side only.
///   - hashModifier: A text that distinguishes two otherwise equal versions of a relationship.
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil,
  inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "LarderMacros", type: "RelationshipPropertyMacro")

/// Excludes a stored property of a model from the store. The property needs an initial value.
///
/// ```swift
/// @Transient var isSelected = false
/// ```
@attached(peer)
public macro Transient() = #externalMacro(module: "LarderMacros", type: "TransientPropertyMacro")
