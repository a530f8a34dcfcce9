import DurabilityWork
import Foundation
import Testing

@testable import LarderHTTP

@Suite struct ServerWaitTests {
  private func wait(_ fields: (String, String)...) -> Duration? {
    var headers = HTTPHeaders()
    for (name, value) in fields { headers.add(value, for: name) }
    return RetryAfter(headers: headers, now: HeaderTime.now)?.duration
  }

  @Test(
    arguments: [
      ("0", .zero), ("120", .seconds(120)), (" 7\t", .seconds(7)), ("007", .seconds(7)),
      ("99999999999999999999999999", .seconds(366 * 86_400)), ("999999999999", .seconds(366 * 86_400)),
      ("Sun, 06 Nov 1994 08:50:37 GMT", .seconds(60)), ("Sunday, 06-Nov-94 08:50:37 GMT", .seconds(60)),
      ("Sun Nov  6 08:50:37 1994", .seconds(60)), ("sun, 06 nov 1994 08:50:37 gmt", .seconds(60)),
      ("Sun, 06 Nov 1994 08:49:00 GMT", .zero), ("Mon, 01 Jan 1001 00:00:00 GMT", .zero),
      ("Fri, 31 Dec 9999 23:59:59 GMT", .seconds(366 * 86_400)),
      ("2.0", .seconds(2)), ("1.5", .milliseconds(1_500)), ("299.997", .milliseconds(299_997)),
      ("0.0001", .milliseconds(1)), ("64.57", .milliseconds(64_570)),
      ("Sun, 6 Nov 1994 08:50:37 GMT", .seconds(60)), ("Sun, 06 Nov 1994 08:50:37 +0000", .seconds(60)),
      ("Sun, 06 Nov 1994 10:50:37 +0200", .seconds(60)), ("Sun, 06 Nov 1994 07:50:37 -0100", .seconds(60)),
      ("06 Nov 1994 08:50:37 GMT", .seconds(60)), ("1994-11-06T08:50:37Z", .seconds(60)),
      ("1994-11-06T09:50:37.5+01:00", .milliseconds(60_500)),
      ("", nil), ("soon", nil), ("-1", nil), ("1.", nil), (".5", nil), ("1.5.0", nil), ("1.x", nil), ("+1", nil),
      ("1e3", nil), ("0x10", nil), ("٣", nil),
      ("1 2", nil),
      ("1,2", nil), ("Sun, 31 Feb 2026 00:00:00 GMT", nil), ("Sun, 06 Nov 1994 24:00:00 GMT", nil),
      ("Sun, 06 Nov 1994 08:50 GMT", nil), ("Sun, 06 Foo 1994 08:50:37 GMT", nil), ("1994-13-06T08:50:37Z", nil),
      ("1994-11-06 08:50:37", nil),
      ("Sun, 06 Nov 1994 08:50:37 +9900", nil),
      ("Sun, 06 Nov 1994 08:50:37 CET", nil), (String(repeating: "9", count: 100_000), .seconds(366 * 86_400)),
      (String(repeating: "Sun, ", count: 50_000), nil),
    ] as [(String, Duration?)]) func retryAfter(_ field: String, _ expected: Duration?)
  {
    #expect(wait(("Retry-After", field)) == expected)
  }

  @Test func rateLimits() {
    #expect(wait(("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "30")) == .seconds(30))
    #expect(wait(("X-RateLimit-Remaining", "5"), ("X-RateLimit-Reset", "30")) == nil)
    #expect(wait(("X-RateLimit-Reset", "30")) == nil)
    #expect(wait(("RateLimit-Remaining", "0"), ("RateLimit-Reset", "50")) == .seconds(50))
    #expect(wait(("RateLimit", "\"default\";r=0;t=12")) == .seconds(12))
    #expect(wait(("RateLimit", "\"burst\";r=3;t=1, \"daily\";r=0;t=600, \"hour\";r=0;t=60")) == .seconds(600))
    #expect(wait(("RateLimit", "limit=10, remaining=0, reset=4")) == .seconds(4))
    #expect(wait(("RateLimit", "limit=10, remaining=1, reset=4")) == nil)
    #expect(wait(("RateLimit", "limit=10;w=60,remaining=0,reset=4.5")) == .milliseconds(4_500))
    #expect(wait(("RateLimit", "limit=10, remaining=3, reset=4, limit=99, remaining=0, reset=40")) == .seconds(40))
    #expect(wait(("RateLimit", "\"100-in-1min\"; r=0; t=50")) == .seconds(50))
    #expect(wait(("RateLimit", "default;r=0;t=8, \"other\";r=0")) == .seconds(8))
    #expect(wait(("RateLimit", "\"a\";r=0, \"b\";t=9;r=5")) == nil)
    // As Reddit, Discord, Twitter, Linear and GitLab send them.
    #expect(wait(("X-Ratelimit-Remaining", "0.0"), ("X-Ratelimit-Reset", "64")) == .seconds(64))
    #expect(wait(("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "64.57")) == .milliseconds(64_570))
    #expect(wait(("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset-After", "1.25")) == .milliseconds(1_250))
    let seconds = Int(HeaderTime.now.timeIntervalSince1970) + 90
    for field in [
      "\(seconds)", "\(seconds).0", "\(seconds)000", "Sun, 06 Nov 1994 08:51:07 GMT", "1994-11-06T08:51:07Z",
    ] {
      for prefix in ["RateLimit-", "X-RateLimit-", "X-Rate-Limit-"] {
        #expect(wait((prefix + "Remaining", "0"), (prefix + "Reset", field)) == .seconds(90), "\(prefix) \(field)")
      }
    }
    #expect(wait(("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "\(seconds).25")) == .milliseconds(90_250))
    #expect(wait(("Retry-After-Ms", "250"), ("Retry-After", "1")) == .milliseconds(250))
    #expect(wait(("x-ms-retry-after-ms", "1500.5")) == .microseconds(1_500_500))
    #expect(wait(("RateLimit", ";;;=,=;r=;t=x")) == nil)
    #expect(wait(("RateLimit", String(repeating: ",;=", count: 30_000))) == nil)
    // What is asked for outright comes first.
    #expect(wait(("Retry-After", "3"), ("RateLimit", "\"default\";r=0;t=12")) == .seconds(3))
    #expect(wait(("Retry-After", "nonsense"), ("RateLimit", "\"default\";r=0;t=12")) == .seconds(12))
    let instant = String(Int(HeaderTime.now.timeIntervalSince1970) + 90)
    #expect(wait(("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", instant)) == .seconds(90))
    #expect(wait(("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "999999999999999999")) == .seconds(366 * 86_400))
  }

  @Test func datesAreWrittenAsTheyAreRead() {
    #expect(HTTPDate.text(HeaderTime.now) == "Sun, 06 Nov 1994 08:49:37 GMT")
    var generator = SeededGenerator(seed: Share.seed)
    for _ in 0..<2_000 {
      let seconds = Int64.random(in: -30_000_000_000...250_000_000_000, using: &generator)
      let date = Date(timeIntervalSince1970: Double(seconds))
      let text = HTTPDate.text(date)
      #expect(HTTPDate.date(text) == date, "\(text)")
    }
  }

  @Test func datesOfFoundation() {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    var random = Share.generator
    for _ in 0..<200 {
      let date = Date(timeIntervalSince1970: Double(Int64.random(in: 0...4_000_000_000, using: &random)))
      #expect(HTTPDate.text(date) == formatter.string(from: date), "LARDER_SEED=\(random.seed)")
    }
  }
}
