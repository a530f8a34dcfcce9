import Foundation

/// An array as an unkeyed container.
struct UnkeyedContainer: UnkeyedDecodingContainer {
  private let state: DecodingState
  /// The index of the array's entry.
  private let container: UInt32
  private var next: UInt32
  private var position: UInt32 = 0

  init(_ state: DecodingState, _ value: TapeValue) throws {
    guard state.entry(value).kind == .array else { throw state.mismatch([Any].self, value) }
    self.state = state
    container = value.index
    next = value.index + 2
  }

  var codingPath: [any CodingKey] { state.codingPath(of: state.containerValue(container)) }
  var count: Int? { Int(state.entries[Int(container)].count) }
  var currentIndex: Int { Int(position) }
  var isAtEnd: Bool { position == state.entries[Int(container)].count }

  /// Returns the next element. It remains the next one until it has been decoded.
  @inline(__always)
  private func value(_ type: any Any.Type) throws -> TapeValue {
    if _slowPath(isAtEnd) { throw endError(type) }
    return TapeValue(index: next, parent: container, position: position)
  }

  @inline(__always)
  private mutating func advance() {
    next = state.endIndex(of: next)
    position += 1
  }

  @inline(never)
  private func endError(_ type: any Any.Type) -> DecodingError {
    let value = state.containerValue(container)
    let path = state.codingPath(of: value) + [JSONPathKey(intValue: currentIndex)]
    return .valueNotFound(
      type, state.context(path, "Unkeyed container is at end.", state.error(.valueNotFound, at: value)))
  }

  // MARK: Values

  mutating func decodeNil() throws -> Bool {
    guard state.isNull(try value(Never.self)) else { return false }
    advance()
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let result = try state.decode(type, try value(type))
    advance()
    return result
  }
  /// Decodes by the passed type. The default implementation of the standard library uses the static type.
  mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
    if isAtEnd { return nil }
    return try decodeNil() ? nil : decode(type)
  }
  mutating func decode(_ type: Bool.Type) throws -> Bool {
    let result: Bool = try state.bool(try value(type))
    advance()
    return result
  }
  mutating func decode(_ type: String.Type) throws -> String {
    let result: String = try state.string(try value(type))
    advance()
    return result
  }
  mutating func decode(_ type: Double.Type) throws -> Double {
    let result: Double = try state.double(try value(type))
    advance()
    return result
  }
  mutating func decode(_ type: Float.Type) throws -> Float {
    let result: Float = try state.float(try value(type))
    advance()
    return result
  }
  mutating func decode(_ type: Int.Type) throws -> Int {
    let result: Int = try state.integer(try value(type))
    advance()
    return result
  }
  mutating func decode(_ type: Int8.Type) throws -> Int8 {
    let result: Int8 = try state.integer(try value(type))
    advance()
    return result
  }
  mutating func decode(_ type: Int16.Type) throws -> Int16 {
    let result: Int16 = try state.integer(try value(type))
    advance()
    return result
  }
  mutating func decode(_ type: Int32.Type) throws -> Int32 {
    let result: Int32 = try state.integer(try value(type))
    advance()
    return result
  }
  mutating func decode(_ type: Int64.Type) throws -> Int64 {
    let result: Int64 = try state.integer(try value(type))
    advance()
    return result
  }
  mutating func decode(_ type: UInt.Type) throws -> UInt {
    let result: UInt = try state.integer(try value(type))
    advance()
    return result
  }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
    let result: UInt8 = try state.integer(try value(type))
    advance()
    return result
  }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
    let result: UInt16 = try state.integer(try value(type))
    advance()
    return result
  }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
    let result: UInt32 = try state.integer(try value(type))
    advance()
    return result
  }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
    let result: UInt64 = try state.integer(try value(type))
    advance()
    return result
  }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  mutating func decode(_ type: Int128.Type) throws -> Int128 {
    let result: Int128 = try state.wideInteger(try value(type))
    advance()
    return result
  }
  @available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
    let result: UInt128 = try state.wideInteger(try value(type))
    advance()
    return result
  }

  // MARK: Containers

  mutating func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) throws
    -> KeyedDecodingContainer<NestedKey>
  {
    let nested = try KeyedContainer<NestedKey>(state, try value(KeyedDecodingContainer<NestedKey>.self))
    advance()
    return KeyedDecodingContainer(nested)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let nested = try UnkeyedContainer(state, try value((any UnkeyedDecodingContainer).self))
    advance()
    return nested
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = ValueDecoder(state: state, value: try value((any Decoder).self))
    advance()
    return decoder
  }
}
