/// How much an event matters.
public enum LogLevel: Int, Sendable, Comparable, CaseIterable {
  /// Each step, for whoever looks for a fault.
  case trace
  /// Each exchange.
  case debug
  /// What happens seldom: retries, credentials that were refused and are shown anew.
  case info
  /// What failed, and may go well by itself later.
  case warning
  /// What failed and needs somebody.
  case error

  public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}
