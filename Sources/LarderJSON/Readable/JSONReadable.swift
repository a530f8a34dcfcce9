/// A type that reads itself from a ``JSONReader``, without an intermediate dictionary or container.
///
/// The macro `@JSONReadable` generates the conformance. By hand:
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
/// An implementation reads exactly one value. It may be called again for the same value if a stream has not yet delivered all of
/// the value, so it should have no side effects.
public protocol JSONReadable {
  /// Creates a value from the reader's next value.
  ///
  /// - Throws: ``JSONError`` if the text is malformed, or does not match the type.
  init(reading reader: inout JSONReader) throws
}

extension JSONReadable {
  /// Creates a value from a document in memory.
  ///
  /// ```swift
  /// let trip = try Trip(json: bytes)
  /// ```
  ///
  /// - Throws: ``JSONError`` if the document is malformed, or does not match the type.
  @inlinable
  public init(json bytes: [UInt8], limits: JSONLimits = .wholeDocument) throws {
    guard Self.self is AnyObject.Type else {
      self = try JSONReader.read(bytes, limits: limits) { try Self(reading: &$0) }
      return
    }
    // In a closure `Self` would be the static class, which may differ from the requested subclass.
    var reader = JSONReader(limits: limits, windowBytes: bytes.count)
    try reader.feed(bytes)
    reader.finish()
    try self.init(reading: &reader)
    try reader.finishDocument()
  }
}

extension JSONReader {
  /// Reads a value of a type.
  ///
  /// - Throws: ``JSONError``, and errors of the type.
  @inlinable
  public mutating func read<Value: JSONReadable>(_ type: Value.Type = Value.self) throws -> Value {
    try type.init(reading: &self)
  }

  /// Reads a value of a type, or returns `nil` for null.
  ///
  /// - Throws: ``JSONError``, and errors of the type.
  @inlinable
  public mutating func readIfPresent<Value: JSONReadable>(_ type: Value.Type = Value.self) throws -> Value? {
    try readNull() ? nil : type.init(reading: &self)
  }

  /// Reads an array, element by element.
  ///
  /// - Parameter element: A function that reads one element.
  /// - Throws: ``JSONError``, and errors of `element`.
  @inlinable
  public mutating func readArray<Element>(_ element: (inout JSONReader) throws -> Element) throws -> [Element] {
    var elements: [Element] = []
    try beginArray()
    while try nextElement() { elements.append(try element(&self)) }
    return elements
  }

  /// Reads an object whose keys are data. Of a repeated key the first value is kept.
  ///
  /// - Parameter value: A function that reads the value of a key.
  /// - Throws: ``JSONError``, and errors of `value`.
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
  ///
  /// - Throws: ``JSONError``, with ``JSONError/Code/invalidValue`` if no case has the raw value.
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
