/// The requests that a server keeps to be looked at: the last of them, and no more than fit.
struct RecordedRequests {
  static let limit = 1_000
  /// 64 MiB: four of the longest bodies.
  static let byteLimit = 64 << 20

  private(set) var all: [LoopbackServer.Request] = []
  private var byteCount = 0

  mutating func add(_ request: LoopbackServer.Request) {
    all.append(request)
    byteCount += request.body.count
    while all.count > Self.limit || byteCount > Self.byteLimit { byteCount -= all.removeFirst().body.count }
  }
}
