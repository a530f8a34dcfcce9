public import Foundation

/// Reads a value from a whole body.
public protocol BodyDecoder: Sendable {
  func decode<Value: Decodable>(_ type: Value.Type, from body: Data) throws -> Value
}

/// Writes a value as a body.
public protocol BodyEncoder: Sendable {
  func encode<Value: Encodable>(_ value: Value) throws -> Data
}

extension JSONDecoder: BodyDecoder {}
extension JSONEncoder: BodyEncoder {}
