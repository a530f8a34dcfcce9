import Foundation

/// What this process has of the machine at a moment.
struct ProcessUse {
  /// Resident, in bytes.
  var memory: Int
  var descriptors: Int

  static func now() throws -> ProcessUse {
    // Pages of the program itself come and go.
    let status = try String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    return ProcessUse(
      memory: kibibytes << 10, descriptors: try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count)
  }
}
