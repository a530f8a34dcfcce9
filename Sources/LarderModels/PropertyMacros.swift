public import LarderData

/// Says more about an attribute of a model than its type does.
///
/// ```swift
/// @Attribute(.unique) var code: String
/// @Attribute(.externalStorage) var photo: Data?
/// @Attribute(originalName: "begin") var start: Date
/// ```
///
/// | option | what it does here |
/// |---|---|
/// | `.unique` | an insert that meets a row with the value updates that row |
/// | `.externalStorage` | the value lies in a table of its own and is read when it is first touched |
/// | `.ephemeral` | changes are tracked, and the value is not stored |
/// | `.transformable(by:)` | a value transformer makes the stored bytes |
/// | `.codable` | the value is stored whole, as JSON |
/// | `.preserveValueOnDeletion` | the value outlasts the model, in the history of its deletion, where it fits |
/// | `.spotlight`, `.allowsCloudEncryption` | kept in the schema, without effect |
///
/// `.externalStorage`, `.ephemeral` and `.transformable` must be written here, not in a constant: the macro reads them
/// in the source.
///
/// - Parameters:
///   - options: how the attribute is stored; see ``/LarderData/Schema/Attribute/Option``.
///   - originalName: the property's name in an earlier version of the schema, so that its values are taken over.
///   - hashModifier: sets two versions of an attribute apart that look the same.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "LarderMacros", type: "AttributePropertyMacro")

/// Says more about a relationship to another model than its type does.
///
/// ```swift
/// @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
/// ```
///
/// - Parameters:
///   - options: see ``/LarderData/Schema/Relationship/Option``.
///   - deleteRule: what happens to the other models when this one is deleted.
///   - minimumModelCount: the least number of models in a to-many relationship.
///   - maximumModelCount: the greatest number of models in a to-many relationship; 0 is no limit.
///   - originalName: the property's name in an earlier version of the schema.
///   - inverse: the property of the other model that leads back; written on one side only.
///   - hashModifier: sets two versions of a relationship apart that look the same.
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil,
  inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "LarderMacros", type: "RelationshipPropertyMacro")

/// Keeps a stored property of a model out of the store. It needs a value to begin with.
///
/// ```swift
/// @Transient var isSelected = false
/// ```
@attached(peer)
public macro Transient() = #externalMacro(module: "LarderMacros", type: "TransientPropertyMacro")
