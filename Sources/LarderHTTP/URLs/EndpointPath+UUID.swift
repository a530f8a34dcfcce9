public import Foundation

extension EndpointPath.StringInterpolation {
  /// An identifier, in lower case as RFC 9562 writes it.
  public mutating func appendInterpolation(_ value: UUID) {
    appendInterpolation(value.uuidString.lowercased())
  }
}
