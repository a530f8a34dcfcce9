/// A type that reads itself from a ``JSONReader``, without a dictionary or a container between.
///
/// The macro `@JSONReadable` writes the conformance. By hand:
///
/// ```swift
/// struct Point: JSONReadable {
///   var x: Double, y: Double
///   init(reading reader: inout JSONReader) throws {
///     try reader.beginArray()
///     …
///   }
/// }
/// ```
///
/// An implementation reads exactly one value. It may be asked again for the same value, where a stream has not yet brought
/// all of it: so it should change nothing but what it makes.
public protocol JSONReadable {
  /// Reads the value that comes next.
  ///
  /// - Throws: ``JSONError``.
  init(reading reader: inout JSONReader) throws
}

extension JSONReadable {
  /// Reads a document that is in memory.
  ///
  /// ```swift
  /// let trip = try Trip(json: bytes)
  /// ```
  ///
  /// - Throws: ``JSONError``.
  @inlinable
  public init(json bytes: [UInt8], limits: JSONLimits = .wholeDocument) throws {
    guard Self.self is AnyObject.Type else {
      self = try JSONReader.read(bytes, limits: limits) { try Self(reading: &$0) }
      return
    }
    // In a closure `Self` would be the class that the compiler knows, which may not be the one that is asked for.
    var reader = JSONReader(limits: limits, windowBytes: bytes.count)
    try reader.feed(bytes)
    reader.finish()
    try self.init(reading: &reader)
    try reader.finishDocument()
  }
}

extension JSONReader {
  /// Reads a value of a type.
  @inlinable
  public mutating func read<Value: JSONReadable>(_ type: Value.Type = Value.self) throws -> Value {
    try type.init(reading: &self)
  }

  /// Reads a value of a type, or nil where null is.
  @inlinable
  public mutating func readIfPresent<Value: JSONReadable>(_ type: Value.Type = Value.self) throws -> Value? {
    try readNull() ? nil : type.init(reading: &self)
  }

  /// Reads an array by its elements.
  @inlinable
  public mutating func readArray<Element>(_ element: (inout JSONReader) throws -> Element) throws -> [Element] {
    var elements: [Element] = []
    try beginArray()
    while try nextElement() { elements.append(try element(&self)) }
    return elements
  }

  /// Reads an object whose keys are data. Of a key that comes twice the first value is taken.
  @inlinable
  public mutating func readDictionary<Value>(_ value: (inout JSONReader) throws -> Value) throws -> [String: Value] {
    var values: [String: Value] = [:]
    try beginObject()
    while let key = try nextKey() {
      let name = key.string
      if values[name] == nil { values[name] = try value(&self) } else { try skipValue() }
    }
    return values
  }

  /// Reads an enumeration by its raw value.
  @inlinable
  public mutating func readCase<Value: RawRepresentable>(_ type: Value.Type = Value.self) throws -> Value
  where Value.RawValue: JSONReadable {
    let start = try valueStart()
    guard let value = type.init(rawValue: try Value.RawValue(reading: &self)) else {
      throw invalid("The value is none of the cases of \(type).", at: start)
    }
    return value
  }
}
