// A client in a process of its own: LinkVictim COMMAND ARGUMENT…
//
// `down` and `flaps SECONDS` are of a network whose links come and go, and are started in a network namespace, in which
// they may do as they like; `download FILE` and `stall FILE` are of files. It prints what happened, which the test judges.
import Foundation
import LarderHTTP
import LarderTesting
import Synchronization

/// The `ip` of iproute2, one process for all commands: starting one for each would take longer than a flap lasts.
struct Links: ~Copyable {
  private let commands: UnsafeMutablePointer<FILE>

  init?() {
    guard let commands = popen("exec ip -batch -", "w") else { return nil }
    self.commands = commands
  }

  func run(_ command: String) {
    fputs(command + "\n", commands)
    fflush(commands)
  }

  /// Whether all that was asked for was done.
  consuming func finish() -> Bool { pclose(commands) == 0 }
}

/// A monitor says that there is no network, and a server answers all the same.
func askWhileDown() async throws {
  guard let links = Links() else { return print("error=popen") }
  links.run("link set lo up")
  guard links.finish() else { return print("error=ip") }
  let server = try ScriptedServer { _ in [.receiveRequest, .send("HTTP/1.1 204 No Content\r\n\r\n")] }
  defer { server.stop() }
  let monitor = NetworkInterfaceMonitor()
  var configuration = HTTPClient.Configuration()
  configuration.connectivity = monitor
  let client = HTTPClient(baseURL: server.url(), configuration: configuration)
  let response = try await client.response(to: Endpoint<Void>.get("/"))
  print("state=\(monitor.state) status=\(response.status)")
}

/// A link flaps a hundred times a second beside a request that fails and would wait for an hour.
func askWhileFlapping(for seconds: Int) async throws {
  let flaps = seconds * 100
  guard let links = Links() else { return print("error=popen") }
  for command in [
    "link add v0 type veth peer name v1", "addr add 10.9.0.1/24 dev v0", "link set v1 up", "link set v0 up",
  ] { links.run(command) }
  let clock = ContinuousClock()
  let attempts = Mutex<[ContinuousClock.Instant]>([])
  let stub = TransportStub { (_) async throws(HTTPError) in
    attempts.withLock { $0.append(clock.now) }
    throw HTTPError(.notSent(.unreachable), delivery: .notSent)
  }
  let monitor = NetworkInterfaceMonitor()
  var configuration = HTTPClient.Configuration()
  configuration.connectivity = monitor
  configuration.retry = RetryPolicy(attempts: 1_000, base: .seconds(3_600), cap: .seconds(3_600), budget: 1_000)
  configuration.dependencies.random = { 0.99 }
  guard let address = URL(string: "http://10.9.0.2/") else { return }
  let client = HTTPClient(baseURL: address, configuration: configuration, transport: stub)
  let events = Mutex(0)
  let states = monitor.states()
  let counting = Task { for await _ in states { events.withLock { $0 += 1 } } }
  var request = HTTPRequest(.get, address)
  // Else no wait of an hour would be begun.
  request.deadlines.total = nil
  let asking = Task { [request] in try? await client.response(to: request) }

  let began = clock.now
  for number in 0..<flaps {
    links.run("link set v0 down")
    try await clock.sleep(until: began + .milliseconds(10) * number + .milliseconds(5), tolerance: .zero)
    links.run("link set v0 up")
    try await clock.sleep(until: began + .milliseconds(10) * (number + 1), tolerance: .zero)
  }
  let isDone = links.finish()
  // On a machine that is busy the commands are behind.
  let took = clock.now - began
  // What came last of all was "up", which is told a while later.
  try await Task.sleep(for: .seconds(2))
  asking.cancel()
  counting.cancel()
  let times = attempts.withLock { $0 }
  let closest = zip(times, times.dropFirst()).map { $0.duration(to: $1) }.min() ?? .zero
  let sinceLast = times.last.map { $0.duration(to: began + took) } ?? took
  print(
    "done=\(isDone) flaps=\(flaps) milliseconds=\(took.milliseconds) events=\(events.withLock { $0 })"
      + " attempts=\(times.count) closest=\(closest.milliseconds) last=\(sinceLast.milliseconds) state=\(monitor.state)"
  )
}

extension Duration {
  var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}

let arguments = CommandLine.arguments
switch (arguments.count, arguments.dropFirst().first, arguments.last.flatMap { Int($0) }) {
case (2, "down", _): try await askWhileDown()
case (3, "flaps", let seconds?): try await askWhileFlapping(for: seconds)
case (3, "download", _): try await download(to: arguments[2])
case (3, "stall", _): try await stall(to: arguments[2])
default: fatalError("LinkVictim down | flaps SECONDS | download FILE | stall FILE")
}
