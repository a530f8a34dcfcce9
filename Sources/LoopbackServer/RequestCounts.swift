/// The number of requests for each path, within a limit, since clients may request any number of paths.
struct RequestCounts {
  /// 1 MiB of names: some ten thousand paths, which no test has.
  static let byteLimit = 1 << 20
  /// The memory of a path in addition to its name.
  private static let overhead = 64

  private(set) var byPath: [String: Int] = [:]
  private var byteCount = 0

  mutating func add(_ path: String) {
    if byPath[path] == nil {
      let size = path.utf8.count + Self.overhead
      guard byteCount + size <= Self.byteLimit else { return }
      byteCount += size
    }
    byPath[path, default: 0] += 1
  }
}
