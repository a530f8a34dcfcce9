import Foundation

/// What a program should know and cannot be thrown: a line on standard error.
package enum Log {
  /// Takes the place of standard error in a task, so that a test can read what is said.
  @TaskLocal static var listener: (@Sendable (String) -> Void)?

  package static func warning(_ message: String) {
    if let listener { return listener(message) }
    // Nobody may be there to read it.
    try? FileHandle.standardError.write(contentsOf: Data("larder: \(message)\n".utf8))
  }
}
