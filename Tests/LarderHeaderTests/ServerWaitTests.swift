import DurabilityWork
import Foundation
import Testing

@testable import LarderHTTP

@Suite struct ServerWaitTests {
  private func wait(_ fields: (String, String)...) -> Duration? {
    var headers = HTTPHeaders()
    for (name, value) in fields { headers.add(value, for: name) }
    return ServerWait(headers: headers, now: HeaderTime.now)?.duration
  }

  @Test(
    arguments: [
      ("0", .zero), ("120", .seconds(120)), (" 7\t", .seconds(7)), ("007", .seconds(7)),
      ("99999999999999999999999999", .seconds(366 * 86_400)), ("999999999999", .seconds(366 * 86_400)),
      ("Sun, 06 Nov 1994 08:50:37 GMT", .seconds(60)), ("Sunday, 06-Nov-94 08:50:37 GMT", .seconds(60)),
      ("Sun Nov  6 08:50:37 1994", .seconds(60)), ("sun, 06 nov 1994 08:50:37 gmt", .seconds(60)),
      ("Sun, 06 Nov 1994 08:49:00 GMT", .zero), ("Mon, 01 Jan 1001 00:00:00 GMT", .zero),
      ("Fri, 31 Dec 9999 23:59:59 GMT", .seconds(366 * 86_400)),
      ("", nil), ("soon", nil), ("-1", nil), ("1.5", nil), ("+1", nil), ("1e3", nil), ("0x10", nil), ("٣", nil),
      ("1 2", nil),
      ("1,2", nil), ("Sun, 31 Feb 2026 00:00:00 GMT", nil), ("Sun, 06 Nov 1994 24:00:00 GMT", nil),
      ("Sun, 06 Nov 1994 08:50 GMT", nil), ("Sun, 06 Foo 1994 08:50:37 GMT", nil), ("06 Nov 1994 08:50:37 GMT", nil),
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
    #expect(wait(("RateLimit", "limit=10, remaining=0, reset=4")) == nil)
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
