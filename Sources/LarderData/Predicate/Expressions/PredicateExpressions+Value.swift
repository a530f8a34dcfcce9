import Foundation

extension PredicateExpressions.Value: LowerableExpression {
  static var isConstant: Bool { true }

  func capture(_ lowering: inout Lowering, at offset: Int?) throws -> CaptureLoader<Output>? {
    guard let place = Lowering.offset(offset, of: \Self.value) else {
      lowering.isReusable = false
      return CaptureLoader { [value] _ in value }
    }
    return CaptureLoader(offset: place)
  }

  func lower(_ lowering: inout Lowering, at offset: Int?) throws -> Term {
    // `== true` and `?? false` decide whether an index can be used, so a Bool is part of the shape.
    switch value {
    case let value as Bool where Output.self == Bool.self:
      lowering.require(byteOf: value, at: Lowering.offset(offset, of: \Self.value))
      return .condition(.constant(value))
    case let value as Bool? where Output.self == Bool?.self:
      lowering.require(byteOf: value, at: Lowering.offset(offset, of: \Self.value))
      guard let value else { return Term(.null, .bool, isOptional: true) }
      return .condition(.constant(value))
    default:
      return try lowerCaptured(&lowering, at: offset)
    }
  }
}
