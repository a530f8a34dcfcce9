public import Foundation

extension JSONError: LocalizedError {
  /// ``description``: where the document is wrong, and how.
  public var errorDescription: String? { description }
}
