import Foundation
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

/// Each of the ready-made faults, as the client of this package sees it.
@Suite struct FaultServerTests {
  /// A fault, and what a GET without another attempt comes to: an error's kind, or what is read.
  private enum Outcome: Sendable {
    case error(HTTPError.Kind)
    case value([Int])
  }

  /// The clock of the server, which stands.
  private let stopped: @Sendable () -> Date = { Fault.now }

  private static let page = "[1,2,3]"

  private static let outcomes: [String: Outcome] = [
    "closeBeforeCommit": .error(.maybeSent(.closed)), "closeAfterCommit": .error(.maybeSent(.closed)),
    "closeWithinHead": .error(.maybeSent(.closed)), "closeBeforeBody": .error(.interrupted(.truncated)),
    "reset": .error(.maybeSent(.closed)), "stall": .error(.deadline(.firstByte)),
    "stallWithinBody": .error(.deadline(.idle)), "slowDrip": .value([1, 2, 3]),
    "truncatedBody": .error(.interrupted(.truncated)), "wrongContentLength": .error(.interrupted(.truncated)),
    "truncatedCompression": .error(.interrupted(.compression)),
    "compressedBomb": .error(.tooLarge(.decompressedBody(limit: 50_000))), "noHTTP": .error(.maybeSent(.malformed)),
    "noJSON": .error(.notJSON(mediaType: "application/json")),
    "captivePortal": .error(.notJSON(mediaType: "text/html")),
    "captivePortalRedirect": .error(.notJSON(mediaType: "text/html")),
    "redirectLoop": .error(.redirect(.tooMany(limit: 10))), "redirect": .value([1, 2, 3]),
    "status": .error(.unacceptableStatus(503)), "alwaysUnchanged": .error(.unacceptableStatus(304)),
    "staleReplay": .value([1, 2, 3]),
    "duplicatePage": .value([1, 2, 3]), "reorderedPage": .value([3, 2, 1]), "nextLinkLoop": .value([1, 2, 3]),
    "dateSkew": .value([1, 2, 3]), "expiredCursor": .error(.unacceptableStatus(410)),
  ]

  private func client(_ server: FaultServer, isImpatient: Bool = false) -> HTTPClient {
    HTTPClient.ofFaults(server.url(), clock: TestClock(advancesAutomatically: true)) { configuration in
      configuration.retry = .never
      guard isImpatient else { return }
      configuration.deadlines.firstByte = .milliseconds(300)
      configuration.deadlines.idle = .milliseconds(300)
    }
  }

  @Test(arguments: ServerFault.all) func eachByItsName(_ fault: ServerFault) async throws {
    #expect(ServerFault.named(fault.name) == fault && fault.description == fault.name)
    let expected = try #require(Self.outcomes[fault.name])
    let count = Mutex(0)
    let server = try FaultServer(faults: .script([fault])) { _ in
      count.withLock { $0 += 1 }
      return .json(Self.page)
    }
    defer { server.stop() }
    switch expected {
    case .value(let items): #expect(try await client(server).request(Endpoint<[Int]>.get("/items")) == items)
    case .error(let kind):
      let error = await failure { () async throws(HTTPError) in
        try await client(server, isImpatient: fault == .stall || fault == .stallWithinBody)
          .request(Endpoint<[Int]>.get("/items"))
      }
      #expect(error?.kind == kind)
    }
    let first = try #require(server.log.first)
    #expect(first.fault == fault)
    // What has acted has been asked for an answer, and is said to have been.
    #expect(server.log.count { $0.wasHandled } == count.withLock { $0 })
    let isReplay = fault == .staleReplay || fault == .duplicatePage
    #expect(first.wasHandled == (fault.reachesHandler || isReplay))
    // The next request goes well.
    #expect(try await client(server).request(Endpoint<[Int]>.get("/items")) == [1, 2, 3])
  }

  @Test func thereIsOneOfEach() {
    #expect(Set(ServerFault.all.map(\.name)).count == ServerFault.all.count)
    #expect(Set(ServerFault.all.map(\.name)) == Set(Self.outcomes.keys))
    #expect(ServerFault.named("none") == nil)
  }

  /// The server acted and was not heard: with a key a payment is made once, and without one nobody asks again.
  @Test func aPaymentIsMadeOnce() async throws {
    let keys = Mutex<[String?]>([])
    let server = try FaultServer(faults: .script([.closeAfterCommit, .reset])) { request in
      keys.withLock { $0.append(request.headers["idempotency-key"]) }
      return .json("[]", status: 201)
    }
    defer { server.stop() }
    let client = HTTPClient.ofFaults(server.url(), clock: TestClock(advancesAutomatically: true))
    _ = try await client.request(Fault.Request.keyedPost.endpoint)
    #expect(keys.withLock { $0 } == ["key-1", "key-1", "key-1"])
    server.setPlan(.script([.closeAfterCommit]))
    let error = await failure { () async throws(HTTPError) in try await client.request(Fault.Request.post.endpoint) }
    #expect(error?.delivery == .maybeSent)
    #expect(server.log.count == 4 && server.log.allSatisfy(\.wasHandled))
  }

  @Test func pages() async throws {
    let version = Mutex(0)
    let server = try FaultServer(
      faults: .script([nil, nil, .staleReplay, .duplicatePage, .nextLinkLoop(member: "next"), .reorderedPage])
    ) { request in
      let number = version.withLock { version in
        version += 1
        return version
      }
      return .json(
        #"{"items":[\#(number),0],"next":"/items?page=9"}"#, headers: ["Link": "</items?page=9>; rel=\"next\""])
    }
    defer { server.stop() }
    struct Page: Decodable {
      var items: [Int]
      var next: String
    }
    func ask(_ path: String) async throws -> (Page, URL?) {
      let response = try await client(server).response(
        to: HTTPRequest(.get, server.url(path)))
      return (try JSONDecoder().decode(Page.self, from: response.body), response.head.links["next"]?.target)
    }
    #expect(try await ask("/items?page=1").0.items == [1, 0])
    #expect(try await ask("/items?page=1").0.items == [2, 0])
    // The first of this request; then the last of this path.
    #expect(try await ask("/items?page=1").0.items == [1, 0])
    #expect(try await ask("/items?page=2").0.items == [2, 0])
    let (page, next) = try await ask("/items?page=3")
    #expect(page.next == "/items?page=3" && next == server.url("/items?page=3"))
    #expect(try await ask("/items?page=4").0.items == [0, 4])
    let last = try await ask("/items?page=5")
    #expect(last.0.items == [5, 0] && last.1 == server.url("/items?page=9"))
  }

  @Test func whatARefusalAsksFor() async throws {
    let waits: [ServerFault.RetryAfter] = [.seconds(7), .date(.seconds(5)), .date(.seconds(-60)), .nonsense("soon")]
    let server = try FaultServer(
      faults: .script(waits.map { .status(429, retryAfter: $0) } + [.expiredCursor()]), now: stopped
    ) { _ in .json("[]") }
    defer { server.stop() }
    var dates: [Date?] = []
    for _ in waits {
      let error = await failure { () async throws(HTTPError) in
        try await client(server).request(Endpoint<[Int]>.get("/"))
      }
      guard case .rateLimited(let until)? = error?.kind else {
        Issue.record("\(String(describing: error))")
        continue
      }
      dates.append(until)
    }
    #expect(dates == [Fault.now + 7, Fault.now + 5, Fault.now, nil])
    let error = await failure { () async throws(HTTPError) in
      try await client(server).request(Endpoint<[Int]>.get("/"))
    }
    #expect(error?.problem?.type == "cursor-expired" && error?.problem?.status == 410)
  }

  @Test func theClockOfTheServer() async throws {
    let server = try FaultServer(faults: .script([nil, .dateSkew(.seconds(-86_400))]), now: stopped) { _ in
      .status(204)
    }
    defer { server.stop() }
    let request = HTTPRequest(.get, server.url())
    #expect(try await client(server).response(to: request).headers["Date"] == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(try await client(server).response(to: request).headers["Date"] == "Sat, 05 Nov 1994 08:49:37 GMT")
  }

  /// The same seed is the same faults, and all of them pass.
  @Test func faultsBySeed() async throws {
    func faults(_ seed: UInt64) async throws -> [ServerFault?] {
      let server = try FaultServer(faults: .seeded(seed, share: 0.5)) { _ in .json("[]") }
      defer { server.stop() }
      for _ in 0..<40 {
        _ = try? await client(server).request(Endpoint<[Int]>.get("/items"))
      }
      return server.log.map(\.fault)
    }
    let first = try await faults(7)
    #expect(try await faults(7) == first)
    #expect(try await faults(8) != first)
    #expect((10...30).contains(first.count { $0 != nil }))
  }

  @Test func overTLS() async throws {
    let authority = try TestCertificateAuthority()
    let server = try FaultServer(identity: authority.identity(), faults: .script([.truncatedBody(keeping: 2)])) { _ in
      .json("[1]")
    }
    defer { server.stop() }
    let pem = authority.certificate
    let client = HTTPClient.ofFaults(
      server.url(), clock: TestClock(advancesAutomatically: true),
      transport: .direct { $0.trustRoots = .only(pem: pem) })
    #expect(try await client.request(Endpoint<[Int]>.get("/")) == [1])
    #expect(server.log.count == 2)
  }
}
