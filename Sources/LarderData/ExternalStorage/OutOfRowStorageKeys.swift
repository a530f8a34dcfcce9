// Keys next to the storage of properties whose values are not stored in a column of their model's row. `@Model` sees the
// option of `@Attribute` and writes the type of the key. Overloads by this type then choose the implementation of the
// accessors.

/// The key of an attribute with `.externalStorage`, whose storage is nil until its value is loaded.
public struct _ExternalKey {
  @inlinable public init() {}
}

/// The key of an attribute with `.ephemeral`, which is in memory only.
public struct _EphemeralKey {
  @inlinable public init() {}
}

/// The key of an attribute with `.transformable(by:)`. Its value is in the row, and need not be Codable.
public struct _TransformedKey {
  @inlinable public init() {}
}

/// A value without its static type: the content of an out-of-row property's storage.
public final class _ValueBox<Value> {
  /// The value that is boxed.
  public let value: Value
  @inlinable public init(_ value: Value) { self.value = value }
}
