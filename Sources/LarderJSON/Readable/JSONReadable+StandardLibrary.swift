// Types of the standard library.

extension String: JSONReadable {
  @inlinable
  public init(reading reader: inout JSONReader) throws { self = try reader.readString() }
}

extension Bool: JSONReadable {
  @inlinable
  public init(reading reader: inout JSONReader) throws { self = try reader.readBool() }
}

extension Double: JSONReadable {
  @inlinable
  public init(reading reader: inout JSONReader) throws { self = try reader.readDouble() }
}

extension Float: JSONReadable {
  @inlinable
  public init(reading reader: inout JSONReader) throws { self = try reader.readFloat() }
}

extension JSONReadable where Self: FixedWidthInteger {
  @inlinable
  public init(reading reader: inout JSONReader) throws { self = try reader.readInteger(Self.self) }
}

extension Int: JSONReadable {}
extension Int8: JSONReadable {}
extension Int16: JSONReadable {}
extension Int32: JSONReadable {}
extension Int64: JSONReadable {}
extension UInt: JSONReadable {}
extension UInt8: JSONReadable {}
extension UInt16: JSONReadable {}
extension UInt32: JSONReadable {}
extension UInt64: JSONReadable {}
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
extension Int128: JSONReadable {}
@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
extension UInt128: JSONReadable {}

extension Optional: JSONReadable where Wrapped: JSONReadable {
  @inlinable
  public init(reading reader: inout JSONReader) throws { self = try reader.readIfPresent() }
}

extension Array: JSONReadable where Element: JSONReadable {
  @inlinable
  public init(reading reader: inout JSONReader) throws { self = try reader.readArray { try Element(reading: &$0) } }
}

extension Dictionary: JSONReadable where Key == String, Value: JSONReadable {
  @inlinable
  public init(reading reader: inout JSONReader) throws {
    self = try reader.readDictionary { try Value(reading: &$0) }
  }
}

/// An enumeration with a raw value only needs to declare its conformance:
///
/// ```swift
/// enum Alert: String, JSONReadable { case green, yellow, orange, red }
/// ```
extension JSONReadable where Self: RawRepresentable, RawValue: JSONReadable {
  @inlinable
  public init(reading reader: inout JSONReader) throws { self = try reader.readCase() }
}
