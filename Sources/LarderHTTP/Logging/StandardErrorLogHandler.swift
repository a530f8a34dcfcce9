import Foundation

/// Writes a line for each event to the standard error.
public struct StandardErrorLogHandler: LogHandler {
  public init() {}

  public func log(_ entry: LogEntry) {
    // One call for a line, so that those of several threads do not mix. One that nobody takes is dropped.
    try? FileHandle.standardError.write(contentsOf: Data("\(entry.level): \(entry.message.text)\n".utf8))
  }
}
