/// How a date is written in JSON, which has no dates of its own.
public enum JSONDateFormat: Sendable, Equatable {
  /// A string such as `2018-02-07T01:26:13.840Z`: ISO 8601 as RFC 3339 has it.
  case iso8601
  /// A number of seconds since 1970 began.
  case secondsSince1970
  /// A number of milliseconds since 1970 began.
  case millisecondsSince1970
  /// A number of seconds since 2001 began, which is how `Date` itself is coded.
  case secondsSinceReferenceDate
}
