import Foundation

/// Warnings that cannot be thrown: lines on standard error.
package enum Log {
  /// A replacement for standard error within a task, so that a test can read the warnings.
  @TaskLocal static var listener: (@Sendable (String) -> Void)?

  package static func warning(_ message: String) {
    if let listener { return listener(message) }
    // Standard error may be closed.
    try? FileHandle.standardError.write(contentsOf: Data("larder: \(message)\n".utf8))
  }
}
