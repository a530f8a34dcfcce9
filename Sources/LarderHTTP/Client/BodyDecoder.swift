public import Foundation

/// A decoder of values from whole bodies.
public protocol BodyDecoder: Sendable {
  /// Returns the value that a body contains.
  func decode<Value: Decodable>(_ type: Value.Type, from body: Data) throws -> Value
}

/// An encoder of values into bodies.
public protocol BodyEncoder: Sendable {
  /// Returns a value as a body.
  func encode<Value: Encodable>(_ value: Value) throws -> Data
}

extension JSONDecoder: BodyDecoder {}
extension JSONEncoder: BodyEncoder {}
