/// The recorded requests of a server: the last ones, within the limits.
struct RecordedRequests {
  static let limit = 1_000
  /// 64 MiB: four of the longest bodies.
  static let byteLimit = 64 << 20

  private(set) var all: [LoopbackServer.Request] = []
  private var byteCount = 0

  mutating func add(_ request: LoopbackServer.Request) {
    all.append(request)
    byteCount += Self.size(request)
    while all.count > Self.limit || byteCount > Self.byteLimit { byteCount -= Self.size(all.removeFirst()) }
  }

  /// Returns the size of a request. Its target is stored three times: as sent, decoded, and in parts.
  private static func size(_ request: LoopbackServer.Request) -> Int {
    request.headers.reduce(request.body.count + 3 * request.target.utf8.count) { sum, field in
      sum + field.key.utf8.count + field.value.utf8.count
    }
  }
}
