extension Schema {
  /// One persisted property of a model, as `@Model` lists it in `schemaMetadata`.
  ///
  /// A model that conforms to `PersistentModel` without the macro lists its properties itself:
  ///
  /// ```swift
  /// static var schemaMetadata: [Schema.PropertyMetadata] {
  ///   [
  ///     Schema.PropertyMetadata(name: "code", keypath: \Quake.code, metadata: Schema.Attribute(.unique)),
  ///     Schema.PropertyMetadata(name: "magnitude", keypath: \Quake.magnitude, defaultValue: 0.0),
  ///   ]
  /// }
  /// ```
  public struct PropertyMetadata {
    /// The property's name in the model, or the name of a model-wide constraint.
    package let name: String
    /// The key path from the model to the property.
    package let keypath: AnyKeyPath
    /// The default value in the property's declaration.
    package let defaultValue: Any?
    /// The arguments of `@Attribute`, `@Relationship`, `#Unique` or `#Index`.
    package let metadata: (any SchemaProperty)?

    /// Creates the description of one property.
    ///
    /// - Parameters:
    ///   - name: The property's name.
    ///   - keypath: The key path from the model to the property.
    ///   - defaultValue: The value in the property's declaration, if it has one.
    ///   - metadata: A `Schema.Attribute` or `Schema.Relationship` with more about the property.
    public init(
      name: String, keypath: AnyKeyPath, defaultValue: Any? = nil, metadata: (any SchemaProperty)? = nil
    ) {
      self.name = name
      self.keypath = keypath
      self.defaultValue = defaultValue
      self.metadata = metadata
    }
  }
}
