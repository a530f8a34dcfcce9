import Foundation
import Testing

@testable import LarderHTTP

/// `Retry-After` by the rules of RFC 9110, section 10.2.3: seconds, or a date.
@Suite struct RetryAfterTests {
  /// Digits and nothing else, of any length; what is longer than a year is taken for that.
  static let seconds: [(field: String, seconds: Int64)] = special + squares

  private static let squares: [(field: String, seconds: Int64)] = (2..<30).map { (number: Int64) in
    ("\(number * number)", number * number)
  }

  private static let special: [(field: String, seconds: Int64)] =
    [
      ("0", 0), ("00", 0), ("1", 1), ("01", 1), ("9", 9), ("10", 10), ("59", 59), ("60", 60), ("120", 120),
      ("3600", 3_600), ("86400", 86_400), ("31622400", 31_622_400), ("31622401", 31_622_400),
      ("2147483647", 31_622_400),
      ("2147483648", 31_622_400), ("4294967296", 31_622_400), ("9223372036854775807", 31_622_400),
      ("9223372036854775808", 31_622_400), ("18446744073709551616", 31_622_400), (" 5", 5), ("5 ", 5), ("\t5\t", 5),
      ("  5  ", 5), ("0000000000000000005", 5), (String(repeating: "0", count: 100), 0),
      (String(repeating: "9", count: 1_000), 31_622_400),
    ]

  static let none: [String] = [
    "", " ", "\t", "soon", "never", "-1", "-0", "+1", "1.5s", "1.", ".5", "1.5.1", "1,5", "1 2", "1,2", "1;2", "1s",
    "1 s", "s1", "1e3",
    "0x10", "1_000", "1'000", "½", "٣", "３", "²", "\"5\"", "'5'", "(5)", "=5", "5=", "seconds=5", "PT5S", "5\u{0}",
    "\u{FEFF}5", "5\u{301}", "\u{A0}5", "NaN", "inf", "∞", "null", "true", "[]", "{}", "<5>", "5\r6", "5;q=1",
    "00:00:05", "5 GMT", "Sun", "tomorrow", "Sun, 06 Nov 1994 08:50:37", "1994-11-06T08:50:37", "GMT", "--", "§",
  ]

  @Test(arguments: seconds.map(\.field)) func whatIsANumber(_ field: String) throws {
    let expected = try #require(Self.seconds.first { $0.field == field }?.seconds)
    #expect(RetryAfter.duration(ofField: field, now: HeaderTime.now) == .seconds(expected))
  }

  @Test(arguments: none) func whatIsNone(_ field: String) {
    #expect(RetryAfter.duration(ofField: field, now: HeaderTime.now) == nil)
    #expect(RetryAfter(headers: ["Retry-After": field], now: HeaderTime.now) == nil)
  }

  /// Dates that no field should have, and that a wait is read from all the same.
  private static let asServersSendThem: [String: Int64] = [
    "06 Nov 1994 08:49:37 GMT": 784_111_777, "Sun, 06 Nov 1994 08:49:37 +0000": 784_111_777,
    "Sun, 06 Nov 1994 08:49:37 -0500": 784_129_777, "Sun, 06 Nov 1994 08:49:37 Z": 784_111_777,
    "1994-11-06T08:49:37Z": 784_111_777,
  ]

  /// Of the dates, how long they are from now; those that have passed are no wait.
  @Test(arguments: DateCorpus.all.map(\.field).filter { !$0.utf8.allSatisfy(ASCIIText.isDigit) })
  func whatIsADate(_ field: String) {
    let date = DateCorpus.all.first { $0.field == field }?.seconds ?? Self.asServersSendThem[field]
    let now = Int64(HeaderTime.now.timeIntervalSince1970)
    let expected = date.map { Duration.seconds(min(max(0, $0 - now), 31_622_400)) }
    #expect(RetryAfter.duration(ofField: field, now: HeaderTime.now) == expected)
  }

  @Test func thereAreAHundred() { #expect(Self.seconds.count + Self.none.count >= 100) }
}
