package import Foundation
import Synchronization

/// The output of a command: results on the standard output, messages on the standard error.
package struct Terminal: Sendable {
  package let output: FileHandle
  package let errors: FileHandle
  /// Whether a user watches the output, so that progress is shown.
  package let isInteractive: Bool

  package init(output: FileHandle, errors: FileHandle, isInteractive isWatched: Bool) {
    self.output = output
    self.errors = errors
    self.isInteractive = isWatched
  }

  func print(_ line: String) throws { try write(Printable.text(line) + "\n") }
  /// Writes text without changes.
  func write(_ text: String) throws {
    try WriteFailure.wrapping("The standard output", "What is there is not whole.") {
      try output.write(contentsOf: Data(text.utf8))
    }
  }
  func printError(_ line: String) { writeError("larder: " + Printable.text(line) + "\n") }
  /// Writes a message. Errors are ignored, since the stream may have no reader.
  func writeError(_ text: String) { try? errors.write(contentsOf: Data(text.utf8)) }

  func print(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    var text = Printable.json(String(decoding: try encoder.encode(value), as: UTF8.self))
    // Foundation writes an empty list in three lines.
    if text.allSatisfy({ "[]".contains($0) || $0.isWhitespace }) { text.removeAll(where: \.isWhitespace) }
    try write(text + "\n")
  }
}

/// A line with the progress of an operation, for interactive terminals: updated five times a second at most.
final class ProgressLine: Sendable {
  private let terminal: Terminal
  private let text: @Sendable (Int) -> String
  private let lastUpdate = Mutex<ContinuousClock.Instant?>(nil)

  init(_ terminal: Terminal, _ text: @escaping @Sendable (Int) -> String) {
    self.terminal = terminal
    self.text = text
  }

  func update(_ count: Int) {
    guard terminal.isInteractive else { return }
    let now = ContinuousClock.now
    let isDue = lastUpdate.withLock { last in
      if let last, now - last < .milliseconds(200) { return false }
      last = now
      return true
    }
    if !isDue { return }
    terminal.writeError("\r\u{1B}[K\(text(count))")
  }

  func clear() { if lastUpdate.withLock({ $0 }) != nil { terminal.writeError("\r\u{1B}[K") } }
}
