import Foundation

extension SnapshotValues {
  /// Returns whether two snapshots of the same model have the same values.
  func isSame(as other: SnapshotValues) -> Bool {
    relationships == other.relationships && attributes.count == other.attributes.count
      && attributes.allSatisfy { name, value in
        other.attributes[name].map { SnapshotValues.isSame(value, $0) } ?? false
      }
  }

  private static func isSame(_ left: (any Codable)?, _ right: (any Codable)?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    if let left = left as? any Equatable { return isEqual(left, right) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let one = try? encoder.encode([left.asEncodable]), let two = try? encoder.encode([right.asEncodable]) else {
      return false
    }
    return one == two
  }

  private static func isEqual<Value: Equatable>(_ left: Value, _ right: any Codable) -> Bool { right as? Value == left }
}

/// A value of any type, encoded by its own `encode(to:)`.
private struct AnyEncodable: Encodable {
  let value: any Encodable
  func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension Encodable {
  fileprivate var asEncodable: AnyEncodable { AnyEncodable(value: self) }
}
