/// The importance of an event.
public enum LogLevel: Int, Sendable, Comparable, CaseIterable {
  /// Each step, for finding a fault.
  case trace
  /// Each exchange.
  case debug
  /// Rare events: retries, and refused credentials that are replaced.
  case info
  /// Failures that may be over later without a change.
  case warning
  /// Failures that need a change by a person.
  case error

  public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}
