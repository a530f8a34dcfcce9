import Foundation
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

@Suite struct ConnectivityTests {
  private let clock = TestClock()
  private let links = HeardConnectivity(.down)
  private let endpoint = Endpoint<Void>.get("/x")

  private func client(_ stub: TransportStub) -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    configuration.dependencies = HTTPDependencies(clock: clock, now: { Fault.now }, random: { 0.5 })
    configuration.connectivity = links
    configuration.deadlines.total = nil
    configuration.retry = RetryPolicy(attempts: 4, base: .seconds(10), maximumRetryAfter: .seconds(60))
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
    await clock.waitForSleepers(2)
    // More flaps than anybody should hear of: one attempt in a second.
    for _ in 0..<100 {
      await links.set(.up)
      await links.set(.down)
    }
    await links.set(.up)
    #expect(stub.requests.count == 1)
    await clock.waitForSleepers(3)
    clock.advance(by: .seconds(1))
    while stub.requests.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
    // Time ends a wait as well.
    for attempt in 2...3 {
      await clock.waitForSleepers(2)
      #expect(stub.requests.count == attempt)
      clock.advance(by: .seconds(40))
      while stub.requests.count <= attempt { try await Task.sleep(for: .milliseconds(1)) }
    }
    #expect(await task.value?.attempts == 4)
  }

  /// Though nothing follows it.
  @Test func whatCameTooSoonIsToldWhenItsTimeHasCome() async throws {
    let stub = TransportStub { (_) async throws(HTTPError) in
      throw HTTPError(.notSent(.unreachable), delivery: .notSent)
    }
    let client = client(stub)
    await links.set(.up)
    let task = Task { await failure { () async throws(HTTPError) in try await client.request(endpoint) } }
    await clock.waitForSleepers(2)
    await links.set(.up)
    await clock.waitForSleepers(3)
    #expect(stub.requests.count == 1)
    clock.advance(by: .seconds(1))
    while stub.requests.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
    task.cancel()
    #expect(await task.value?.kind == .cancelled)
  }

  @Test func whatTheServerAsksForIsWaited() async throws {
    let stub = TransportStub { _ in .status(429, headers: ["Retry-After": "30"]) }
    let client = client(stub)
    let task = Task { await failure { () async throws(HTTPError) in try await client.request(endpoint) } }
    await clock.waitForSleepers(1)
    await links.set(.up)
    #expect(stub.requests.count == 1)
    clock.advance(by: .seconds(30))
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(2))
    await links.set(.up)
    while stub.requests.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
    task.cancel()
    #expect(await task.value?.kind == .cancelled)
  }

  @Test func theMachinesLinks() async throws {
    let monitor = NetworkInterfaceMonitor()
    for await state in monitor.states() {
      #expect(state == monitor.state)
      break
    }
  }
}

/// Is told by a test, which waits until it has been heard.
private final class HeardConnectivity: ConnectivityMonitor {
  private let told: AsyncStream<ConnectivityState>
  private let tell: AsyncStream<ConnectivityState>.Continuation
  private let counts = Mutex((told: 1, asked: 0))

  init(_ state: ConnectivityState) {
    (told, tell) = AsyncStream.makeStream()
    tell.yield(state)
  }

  func set(_ state: ConnectivityState) async {
    let number = counts.withLock { counts in
      counts.told += 1
      return counts.told
    }
    tell.yield(state)
    // Who asks for the next one has done with this one.
    while counts.withLock({ $0.asked <= number }) { await Task.yield() }
  }

  func states() -> AsyncStream<ConnectivityState> {
    AsyncStream {
      self.counts.withLock { $0.asked += 1 }
      for await state in self.told { return state }
      return nil
    }
  }
}
