// What stands beside the storage of a property whose value does not lie in a column of its model's row. `@Model` sees
// the option of `@Attribute` and writes the key's type; overloads then choose what the accessors do.

/// Beside an attribute with `.externalStorage`, whose storage is nil until its value is loaded.
public struct _ExternalKey {
  @inlinable public init() {}
}

/// Beside an attribute with `.ephemeral`, which is in memory only.
public struct _EphemeralKey {
  @inlinable public init() {}
}

/// Beside an attribute with `.transformable(by:)`. Its value is in the row, and need not be Codable.
public struct _TransformedKey {
  @inlinable public init() {}
}

/// A value without its type: what the storage of a property beside the row holds.
public final class _ValueBox<Value> {
  public let value: Value
  @inlinable public init(_ value: Value) { self.value = value }
}
