/// A logger of a client's events, from a level upwards.
///
/// ```swift
/// configuration.logger = HTTPLogger(level: .info, handler: StandardErrorLogHandler())
/// ```
///
/// An entry contains a request's method, its path without values, its host, and a hash of the URL, by which attempts at the
/// same URL can be matched. Of the header it contains only the names of the fields; of the query and the body only sizes.
public struct HTTPLogger: Sendable {
  /// The lowest level that is logged.
  public var level: LogLevel
  /// The handler of the entries.
  public var handler: any LogHandler

  /// Creates a logger.
  ///
  /// - Parameters:
  ///   - level: The lowest level that is logged.
  ///   - handler: Receives the entries.
  public init(level: LogLevel = .info, handler: any LogHandler) {
    self.level = level
    self.handler = handler
  }

  /// Logs an event. The message is not created if its level is not logged.
  public func log(_ level: LogLevel, _ message: @autoclosure () -> LogMessage) {
    guard level >= self.level else { return }
    handler.log(LogEntry(level: level, message: message()))
  }
}

/// An entry in the log.
public struct LogEntry: Sendable, Hashable {
  /// The importance of the event.
  public var level: LogLevel
  /// The message, without private values.
  public var message: LogMessage

  /// Creates an entry.
  public init(level: LogLevel, message: LogMessage) {
    self.level = level
    self.message = message
  }
}

/// A handler of log entries, for a file, the system's journal, or another logging library.
///
/// It is called on the task of the event, and must return quickly.
///
/// ```swift
/// struct JournalLogHandler: LogHandler {
///   func log(_ entry: LogEntry) { journal.write(entry.message.text, isError: entry.level == .error) }
/// }
/// ```
public protocol LogHandler: Sendable {
  /// Receives an entry.
  func log(_ entry: LogEntry)
}
