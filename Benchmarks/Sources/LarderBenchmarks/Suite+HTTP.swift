import CLimits
import Foundation
import LarderHTTP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// A request of the HTTP client, beside plain C over the same libcurl and beside URLSession.

extension Suite {
  private static let requests = 10_000
  /// URLSession takes so much longer that a share of them says the same.
  private static let sessionRequests = 2_000
  private static let atOnce = 50

  /// 1 kB from nginx over connections that are kept, 50 at once.
  func http() async throws {
    let nginx = try await BenchmarkServer(folder: stores.file("nginx"))
    defer { nginx.stop() }
    guard let limit = limit_http_open(nginx.url.absoluteString, Int32(Self.atOnce)) else {
      throw LimitError(description: "libcurl refuses to begin")
    }
    defer { limit_http_close(limit) }
    var options = CurlTransport.Options()
    options.proxy = .none
    let transport = CurlTransport(options: options)
    defer { transport.shutDown() }
    let client = HTTPClient(baseURL: nginx.url, transport: transport)

    func ours(_ count: Int) async throws {
      try await Self.many(count) {
        let response = try await client.response(to: .get(""))
        return response.body.count
      }
    }
    func plain(_ count: Int) throws {
      let good = limit_http_get(limit, Int32(count), BenchmarkServer.length)
      try require(Int(good) == count, "plain C is answered")
    }
    // Connections are there, on both sides.
    try await ours(1_000)
    try plain(1_000)
    var (oursTime, oursCPU) = (0.0, 0.0)
    if oursFirst { (oursTime, oursCPU) = try await Self.cost { try await ours(Self.requests) } }
    let (limitTime, limitCPU) = try await Self.cost { try plain(Self.requests) }
    if !oursFirst { (oursTime, oursCPU) = try await Self.cost { try await ours(Self.requests) } }
    let what = "GET of 1 kB, \(Self.atOnce) at once"
    measurements.add(what, budget: Budget.request, rows: Self.requests, ours: oursTime, limit: limitTime)
    measurements.add(
      what + ", processors' time", budget: Budget.request, rows: Self.requests, ours: oursCPU, limit: limitCPU)

    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = Self.atOnce
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration)
    defer { session.invalidateAndCancel() }
    let url = nginx.url
    func asked(_ count: Int) async throws {
      try await Self.many(count) { try await session.data(from: url).0.count }
    }
    try await asked(200)
    let (sessionTime, _) = try await Self.cost { try await asked(Self.sessionRequests) }
    let share = Double(Self.requests) / Double(Self.sessionRequests)
    measurements.add(
      what + ", beside URLSession", budget: Budget.requestBesideSession, rows: Self.requests, ours: oursTime,
      limit: sessionTime * share)
  }

  /// Time, and time of the processors, in nanoseconds.
  private static func cost(_ work: () async throws -> Void) async rethrows -> (time: Double, cpu: Double) {
    let before = clock()
    let time = try await nanoseconds(work)
    return (time, Double(clock() - before) * 1e9 / Double(CLOCKS_PER_SEC))
  }

  /// Tasks side by side, each of which asks one time after the other.
  private static func many(_ count: Int, _ ask: @escaping @Sendable () async throws -> Int) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<atOnce {
        group.addTask {
          for _ in 0..<count / atOnce where try await ask() != BenchmarkServer.length {
            throw LimitError(description: "an answer is not whole")
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
