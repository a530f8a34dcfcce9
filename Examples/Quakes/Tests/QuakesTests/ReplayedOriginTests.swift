import FoundationNetworking
import LarderHTTP
import Testing

@testable import quakes

@Suite struct ReplayedOriginTests {
  private let origin: ReplayedOrigin
  private let session = QuakeNetworkService.session()

  init() throws {
    let week = try ReplayedWeek.bundled()
    origin = ReplayedOrigin(week: week, now: week.beginning)
    try origin.start()
  }

  /// The status, the tag and how many bytes came.
  private func ask(_ condition: String? = nil) async throws -> (status: Int, tag: String, count: Int) {
    var request = URLRequest(url: try #require(origin.url))
    request.setValue(condition, forHTTPHeaderField: "If-None-Match")
    let (data, response) = try await session.data(for: request)
    let http = try #require(response as? HTTPURLResponse)
    return (http.statusCode, try #require(http.value(forHTTPHeaderField: "ETag")), data.count)
  }

  @Test func aFeedHasAStrongTagUntilItIsAnother() async throws {
    defer { origin.stop() }
    let first = try await ask()
    #expect(first.status == 200 && first.count > 100_000)
    #expect(try #require(EntityTag(first.tag)).isWeak == false)
    #expect(try await ask().tag == first.tag)

    for condition in [first.tag, "W/\(first.tag)", "\"a,b\", \(first.tag)", "*"] {
      let answer = try await ask(condition)
      #expect(answer == (304, first.tag, 0), "\(condition)")
    }
    for condition in ["\"other\"", "\"\(first.tag)\"", "\"a,b\"", String(first.tag.dropLast()), ""] {
      #expect(try await ask(condition).status == 200, "\(condition)")
    }

    origin.advance(to: origin.now + 60_000)
    let second = try await ask(first.tag)
    #expect(second.status == 200 && second.tag != first.tag)
    origin.stop()
    try origin.start()
    #expect(try await ask(second.tag).status == 304)
  }
}
