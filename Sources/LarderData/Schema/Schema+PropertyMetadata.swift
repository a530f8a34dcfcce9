extension Schema {
  /// One persisted property of a model, as `@Model` lists it in `schemaMetadata`.
  ///
  /// Models that conform to `PersistentModel` by hand write these themselves:
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
    /// The property's name in the model, or that of a model-wide constraint.
    package let name: String
    /// The key path from the model to the property.
    package let keypath: AnyKeyPath
    /// The value that the property's declaration gives to new objects.
    package let defaultValue: Any?
    /// What `@Attribute`, `@Relationship`, `#Unique` or `#Index` said.
    package let metadata: (any SchemaProperty)?

    /// Makes the description of one property.
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
