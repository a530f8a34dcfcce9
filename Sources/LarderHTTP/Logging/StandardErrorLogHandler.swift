import Foundation

/// A handler that writes a line for each event to the standard error.
public struct StandardErrorLogHandler: LogHandler {
  /// Creates a handler.
  public init() {}

  public func log(_ entry: LogEntry) {
    // One write for each line, so that lines of several threads do not mix. A line that cannot be written is dropped.
    try? FileHandle.standardError.write(contentsOf: Data("\(entry.level): \(entry.message.text)\n".utf8))
  }
}
