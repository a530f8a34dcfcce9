/// The format of a date in JSON, which has no dates of its own.
public enum JSONDateFormat: Sendable, Equatable {
  /// A string such as `2018-02-07T01:26:13.840Z`: ISO 8601 in the profile of RFC 3339.
  case iso8601
  /// A number of seconds since the beginning of 1970.
  case secondsSince1970
  /// A number of milliseconds since the beginning of 1970.
  case millisecondsSince1970
  /// A number of seconds since the beginning of 2001, which is the coding of `Date` itself.
  case secondsSinceReferenceDate
}
