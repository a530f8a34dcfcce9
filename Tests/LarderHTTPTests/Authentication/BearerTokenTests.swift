import Foundation
import LarderHTTP
import LarderTesting
import Testing

/// What a server or a file may say of a token's end.
@Suite struct BearerTokenTests {
  private let now = Date(timeIntervalSince1970: 1_000)

  @Test(
    arguments: [
      (600, .seconds(600)), (0.5, .milliseconds(500)), (0, .zero), (-1, .zero), (-1e300, .zero), (-.infinity, .zero),
      (1e300, BearerToken.maximumLifetime), (.infinity, BearerToken.maximumLifetime),
      (.greatestFiniteMagnitude, BearerToken.maximumLifetime), (.nan, nil), (nil, nil),
    ] as [(Double?, Duration?)]) func anyNumber(_ seconds: Double?, _ lifetime: Duration?)
  {
    let token = BearerToken("t", expiresIn: seconds, now: now)
    #expect(token.lifetime == lifetime)
    let end = lifetime.map {
      now.addingTimeInterval(Double($0.components.seconds) + ($0 == .milliseconds(500) ? 0.5 : 0))
    }
    #expect(token.expiry == end)
    // As it is stored, and read later.
    let later = BearerToken("t", expiry: token.expiry, now: now.addingTimeInterval(100))
    #expect(later.lifetime == lifetime.map { max(.zero, $0 - .seconds(100)) })
    // The date stays what it was, also where it has passed.
    #expect(later.expiry == end)
  }

  @Test(
    arguments: [
      (.seconds(Int64.max), BearerToken.maximumLifetime), (.seconds(Int64.min), .zero), (.seconds(5), .seconds(5)),
    ] as [(Duration, Duration)]) func anyLifetime(_ given: Duration, _ lifetime: Duration)
  {
    #expect(BearerToken("t", lifetime: given, now: now).lifetime == lifetime)
    #expect(BearerToken("t").lifetime == nil && BearerToken("t").expiry == nil)
  }

  /// When two were made does not tell them apart.
  @Test func equality() {
    let one = BearerToken("t", lifetime: .seconds(5), now: now)
    #expect(one == BearerToken("t", lifetime: .seconds(5), now: now.addingTimeInterval(1)))
    #expect(one == BearerToken("t") && one != BearerToken("u", lifetime: .seconds(5), now: now))
    #expect(Set([one, BearerToken("t"), BearerToken("u")]).count == 2)
  }

  /// Dates that no calendar has are read, too.
  @Test func anyDate() {
    for interval in [Double.infinity, 1e300, .greatestFiniteMagnitude] {
      #expect(
        BearerToken("t", expiry: Date(timeIntervalSinceReferenceDate: interval)).lifetime == BearerToken.maximumLifetime
      )
      #expect(BearerToken("t", expiry: Date(timeIntervalSinceReferenceDate: -interval)).lifetime == .zero)
    }
    #expect(BearerToken("t", expiry: Date(timeIntervalSinceReferenceDate: .nan)).lifetime == nil)
  }

  /// The longest is waited for by a clock that has run for long.
  @Test func aLongLifeIsUsed() async throws {
    let clock = TestClock()
    clock.advance(by: .seconds(1_000_000_000))
    let source = CountingSource(stored: BearerToken("t0", expiresIn: 1e300))
    let stub = TransportStub { _ in .json("[]") }
    let client = HTTPClient.authenticated(.bearer(BearerAuthentication(source, clock: clock)), by: stub, clock: clock)
    _ = try await client.request(Endpoint<[String]>.get("/x"))
    clock.advance(by: BearerToken.maximumLifetime)
    _ = try await client.request(Endpoint<[String]>.get("/x"))
    #expect(stub.tokens == ["Bearer t0", "Bearer t1"])
  }
}
