import Foundation
import Larder
import LarderTesting
import Testing

/// The steps of EndpointsAndErrors.md and RetriesAndIdempotency.md, each run.
@Suite struct HTTPArticleTests {
  private let api = URL(string: "https://api.example")!

  private func client(_ handler: @escaping TransportStub.Handler) -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    configuration.dependencies.clock = TestClock(advancesAutomatically: true)
    return HTTPClient(baseURL: api, configuration: configuration, transport: TransportStub(handler))
  }

  @Test func endpointsAreAsked() async throws {
    let client = client { request in
      .json(#"[{"id": "1", "amount": "\#(request.url.query() ?? "")"}]"#)
    }
    // snippet: ask
    let payments: [Payment] = try await client.request(PaymentEndpoint.list(limit: 20))
    let same = try await client.request(.payments(limit: 20))
    // snippet end
    #expect(payments == same && payments == [Payment(id: "1", amount: "limit=20")])
  }

  @Test func bodiesAreReadAsTheAPIWritesThem() async throws {
    struct Event: Codable, Sendable, Equatable { var at: Date }
    // snippet: decoder
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    var configuration = HTTPClient.Configuration()
    configuration.decoder = decoder
    // snippet end
    let stub = TransportStub { _ in .json(#"{"at": "1970-01-01T00:00:07Z"}"#) }
    let client = HTTPClient(baseURL: api, configuration: configuration, transport: stub)
    #expect(try await client.request(Endpoint<Event>.get("/event")) == Event(at: Date(timeIntervalSince1970: 7)))
    // Those of LarderJSON, both ways.
    let server = try FaultServer { request in .json(String(decoding: request.body, as: UTF8.self)) }
    defer { server.stop() }
    let strict = localClient(server.url()) { configuration in
      configuration.decoder = StrictJSONDecoder()
      configuration.encoder = StableJSONEncoder()
    }
    let event = Event(at: Date(timeIntervalSinceReferenceDate: 3))
    #expect(try await strict.request(Endpoint<Event>(.post, "/event", body: .json(event))) == event)
  }

  @Test func failuresAreTold() async {
    #expect(await pay(NewPayment(amount: "1"), by: client { _ in .json(#"{"id": "7", "amount": "1"}"#) }) == "Paid: 7")
    let refused = client { _ in
      .text(#"{"detail": "Too little."}"#, type: "application/problem+json", status: 422)
    }
    #expect(await pay(NewPayment(amount: "1"), by: refused) == "Too little.")
    #expect(await pay(NewPayment(amount: "1"), by: client { _ in .status(401) }) == "Sign in again.")
    let lost = client { (_) async throws(HTTPError) in throw HTTPError(.maybeSent(.closed), delivery: .maybeSent) }
    #expect(await pay(NewPayment(amount: "1"), by: lost).hasPrefix("It may have been paid."))
    let offline = client { (_) async throws(HTTPError) in
      throw HTTPError(.notSent(.connectionRefused), delivery: .notSent)
    }
    #expect(await pay(NewPayment(amount: "1"), by: offline).hasPrefix("Nothing was paid"))
  }

  @Test func pagesAreFollowed() async throws {
    let client = client { request in
      guard request.url.query() == nil else { return .json(#"[{"id": "2", "amount": "2"}]"#) }
      return .json(#"[{"id": "1", "amount": "1"}]"#, headers: ["Link": #"<?page=2>; rel="next""#])
    }
    #expect(try await everyPayment(of: client).map(\.id) == ["1", "2"])
  }

  @Test func policies() throws {
    // snippet: policy
    var configuration = HTTPClient.Configuration()
    configuration.retry = RetryPolicy(attempts: 5, cap: .seconds(60))
    configuration.deadlines.total = .seconds(120)
    configuration.connectivity = NetworkInterfaceMonitor()
    // snippet end
    #expect(configuration.retry.attempts == 5)
  }

  @Test func aKeyIsSentWithEachAttempt() async throws {
    let stub = TransportStub { request in
      request.headers["Idempotency-Key"] == nil ? .status(400) : .json(#"{"id": "7", "amount": "1"}"#)
    }
    let client = HTTPClient(baseURL: api, transport: stub)
    // snippet: key
    let draft = PaymentDraft(amount: "12.00")
    let payment = try await client.request(draft.endpoint)
    // snippet end
    #expect(payment.id == "7" && stub.requests[0].idempotencyKey == draft.key)
  }
}
