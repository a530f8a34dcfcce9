import LarderHTTP
import Testing

@testable import quakes

/// What no origin of the other tests does: the words for it all the same.
@Suite struct NetworkErrorTests {
  private func error(_ kind: HTTPError.Kind, _ delivery: HTTPError.Delivery = .responded, _ status: Int? = nil)
    -> NetworkError
  {
    let patience = Deadlines(connect: .seconds(1), firstByte: .seconds(2), idle: .seconds(3), total: .seconds(300))
    return NetworkError(HTTPError(kind, delivery: delivery, status: status), deadlines: patience)
  }

  @Test func eachFailureHasASentence() {
    #expect(error(.rateLimited(until: nil), .responded, 429) == .status(429))
    #expect(error(.unauthorized, .responded, 401) == .status(401))
    #expect(error(.notJSON(mediaType: nil)) == .notTheFeed(type: "of no declared type"))
    #expect(error(.deadline(.connect), .notSent) == .timedOut(seconds: 1))
    #expect(error(.deadline(.firstByte), .maybeSent) == .timedOut(seconds: 2))
    #expect(error(.deadline(.idle)) == .timedOut(seconds: 3))
    #expect(error(.deadline(.total)) == .timedOut(seconds: 300))
    #expect(error(.notSent(.nameNotResolved), .notSent) == .unreachable)
    #expect(error(.notSent(.unreachable), .notSent) == .unreachable)
    #expect(error(.maybeSent(.closed), .maybeSent) == .brokeOff)
    #expect(error(.maybeSent(.malformed)) == .brokeOff)
    #expect(error(.interrupted(.compression)) == .brokeOff)
    #expect(error(.tooLarge(.body(limit: 1))) == .invalidResponse)
    #expect(error(.redirect(.tooMany(limit: 10))) == .invalidResponse)
    #expect(error(.notSent(.tls), .notSent) == .connection("not sent: TLS failed"))
  }
}
