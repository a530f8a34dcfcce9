package import Foundation
import Synchronization

/// Where a command says what it does: results on the standard output, all else on the standard error.
package struct Terminal: Sendable {
  package let output: FileHandle
  package let errors: FileHandle
  /// Whether somebody looks on, to whom progress is shown.
  package let isWatched: Bool

  package init(output: FileHandle, errors: FileHandle, isWatched: Bool) {
    self.output = output
    self.errors = errors
    self.isWatched = isWatched
  }

  func put(_ line: String) throws { try write(Printable.text(line) + "\n") }
  /// As it is.
  func write(_ text: String) throws {
    try FullDisk.naming("The standard output", "What is there is not whole.") {
      try output.write(contentsOf: Data(text.utf8))
    }
  }
  func complain(_ line: String) { say("larder: " + Printable.text(line) + "\n") }
  /// Nobody may be there to read it.
  func say(_ text: String) { try? errors.write(contentsOf: Data(text.utf8)) }

  func put(_ value: some Encodable) throws {
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
  private let last = Mutex<ContinuousClock.Instant?>(nil)

  init(_ terminal: Terminal, _ text: @escaping @Sendable (Int) -> String) {
    self.terminal = terminal
    self.text = text
  }

  func show(_ count: Int) {
    guard terminal.isWatched else { return }
    let now = ContinuousClock.now
    let isDue = last.withLock { last in
      if let last, now - last < .milliseconds(200) { return false }
      last = now
      return true
    }
    if !isDue { return }
    terminal.say("\r\u{1B}[K\(text(count))")
  }

  func end() { if last.withLock({ $0 }) != nil { terminal.say("\r\u{1B}[K") } }
}
