/// Names that other libraries give to their types, and LarderHTTP to its own.

/// As that of swift-log, and its level and handler.
public struct Logger: Sendable {
  public enum Level: String, Sendable {
    case trace, debug, info, notice, warning, error, critical
  }

  public struct Message: Sendable, ExpressibleByStringInterpolation {
    public let text: String
    public init(stringLiteral value: String) { text = value }
  }

  public var handler: any LogHandler

  public init(handler: any LogHandler) { self.handler = handler }

  public func log(level: Level, _ message: @autoclosure () -> Message) {
    handler.log(level: level, message: message())
  }
}

public protocol LogHandler: Sendable {
  func log(level: Logger.Level, message: Logger.Message)
}

/// As AsyncHTTPClient's.
public final class HTTPClient: Sendable {
  public init() {}
}

/// As NIO's.
public struct HTTPHeaders: Sendable {
  public init() {}
}

public struct HTTPMethod: Sendable {
  public init() {}
}

/// As those of swift-http-types.
public struct HTTPRequest: Sendable {
  public init() {}
}

public struct HTTPResponse: Sendable {
  public init() {}
}
