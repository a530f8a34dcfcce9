/// Where events of a client go, and which.
///
/// ```swift
/// configuration.logger = HTTPLogger(level: .info, handler: StandardErrorLogHandler())
/// ```
///
/// What is told of a request is its method, its path without values, its host, and a hash by which the attempts at one
/// address can be told from others. Of a header, only which fields there are; of a query and a body, nothing but sizes.
public struct HTTPLogger: Sendable {
  /// What matters less is not told.
  public var level: LogLevel
  public var handler: any LogHandler

  public init(level: LogLevel = .info, handler: any LogHandler) {
    self.level = level
    self.handler = handler
  }

  /// Tells of an event. The message is not made where its level is not told.
  public func log(_ level: LogLevel, _ message: @autoclosure () -> LogMessage) {
    guard level >= self.level else { return }
    handler.log(LogEntry(level: level, message: message()))
  }
}

/// Something that happened.
public struct LogEntry: Sendable, Hashable {
  public var level: LogLevel
  public var message: LogMessage

  public init(level: LogLevel, message: LogMessage) {
    self.level = level
    self.message = message
  }
}

/// Takes events: a file, the system's journal, another logging library.
///
/// It is called on whatever task the event happened, and is to be brief.
public protocol LogHandler: Sendable {
  func log(_ entry: LogEntry)
}
