package import Foundation
import Synchronization

/// Where a command says what it does: results on the standard output, all else on the standard error.
package struct Terminal: Sendable {
  package let output: FileHandle
  package let errors: FileHandle
  /// Whether somebody looks on, to whom progress is shown.
  package let isInteractive: Bool

  package init(output: FileHandle, errors: FileHandle, isInteractive isWatched: Bool) {
    self.output = output
    self.errors = errors
    self.isInteractive = isWatched
  }

  func print(_ line: String) throws { try write(Printable.text(line) + "\n") }
  /// As it is.
  func write(_ text: String) throws {
    try WriteFailure.wrapping("The standard output", "What is there is not whole.") {
      try output.write(contentsOf: Data(text.utf8))
    }
  }
  func printError(_ line: String) { writeError("larder: " + Printable.text(line) + "\n") }
  /// Nobody may be there to read it.
  func writeError(_ text: String) { try? errors.write(contentsOf: Data(text.utf8)) }

  func print(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    var text = Printable.json(String(decoding: try encoder.encode(value), as: UTF8.self))
    // Foundation spreads an empty list over three lines.
    if text.allSatisfy({ "[]".contains($0) || $0.isWhitespace }) { text.removeAll(where: \.isWhitespace) }
    try write(text + "\n")
  }
}

/// A line that says how far something has come, where somebody looks on: five times a second at most.
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
