import Foundation
import LarderHTTP
import LarderTesting
import Testing

@Suite struct ConnectivityTests {
  private let clock = VirtualClock()
  private let links = ManualConnectivity(.down)
  private let endpoint = Endpoint<Void>.get("/x")

  private func client(_ stub: TransportStub) -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    configuration.environment = HTTPEnvironment(clock: clock, now: { Fault.now }, random: { 0.5 })
    configuration.connectivity = links
    configuration.deadlines.total = nil
    configuration.retry = RetryPolicy(attempts: 4, base: .seconds(10), longestServerWait: .seconds(60))
    return HTTPClient(baseURL: URL(string: "https://h")!, configuration: configuration, transport: stub)
  }

  @Test func whatSaysDownKeepsNobodyFromAsking() async throws {
    let stub = TransportStub { _ in .status(204) }
    try await client(stub).request(endpoint)
    #expect(stub.requests.count == 1)
  }

  @Test func aNetworkThatComesBackEndsAWait() async throws {
    let stub = TransportStub { (_) async throws(HTTPError) in
      throw HTTPError(.notSent(.unreachable), delivery: .notSent)
    }
    let client = client(stub)
    let task = Task { await failure { () async throws(HTTPError) in try await client.request(endpoint) } }
    // The wait, and the second that lies between two attempts at least.
    await clock.sleepers(2)
    links.set(.down)
    // More flaps than anybody should hear of: one attempt in a second.
    for _ in 0..<100 {
      links.set(.up)
      links.set(.down)
      await Task.yield()
    }
    links.set(.up)
    try await Task.sleep(for: .milliseconds(30))
    #expect(stub.requests.count == 1)
    clock.advance(by: .seconds(1))
    while stub.requests.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
    await clock.sleepers(2)
    for _ in 0..<100 { links.set(.up) }
    try await Task.sleep(for: .milliseconds(30))
    #expect(stub.requests.count == 2)
    // What came too soon is told when its time has come, though nothing follows.
    clock.advance(by: .seconds(1))
    while stub.requests.count < 3 { try await Task.sleep(for: .milliseconds(1)) }
    // And time ends a wait as well.
    await clock.sleepers(2)
    clock.advance(by: .seconds(20))
    #expect(await task.value?.attempts == 4)
  }

  @Test func whatTheServerAsksForIsWaited() async throws {
    let stub = TransportStub { _ in .status(429, headers: ["Retry-After": "30"]) }
    let client = client(stub)
    let task = Task { await failure { () async throws(HTTPError) in try await client.request(endpoint) } }
    await clock.sleepers(1)
    links.set(.up)
    try await Task.sleep(for: .milliseconds(30))
    #expect(stub.requests.count == 1)
    clock.advance(by: .seconds(30))
    await clock.sleepers(1)
    clock.advance(by: .seconds(2))
    links.set(.up)
    while stub.requests.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
    task.cancel()
    #expect(await task.value?.kind == .cancelled)
  }

  @Test func theMachinesLinks() async throws {
    let monitor = LinkMonitor()
    for await state in monitor.states() {
      #expect(state == monitor.state)
      break
    }
  }
}
