public import Foundation

extension EndpointPath.StringInterpolation {
  /// Appends an identifier, in lower case as in RFC 9562.
  public mutating func appendInterpolation(_ value: UUID) {
    appendInterpolation(value.uuidString.lowercased())
  }
}
