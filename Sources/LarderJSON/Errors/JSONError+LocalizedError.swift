public import Foundation

extension JSONError: LocalizedError {
  /// The same text as ``description``: the place and the kind of the error.
  public var errorDescription: String? { description }
}
