import Foundation
import SwiftData

/// How much memory a feed takes on its way into rows, at its most and above what the program has before it: each way in a
/// process of its own, from a file.
struct PeakMemory {
  let name: String
  let records: Int
  let bytes: Int
  /// nil where that is told, and not judged.
  let budget: Int?

  var isWithinBudget: Bool { budget.map { bytes <= $0 } ?? true }

  enum Way: String, CaseIterable {
    case direct
    case codable
    case usual
    case limit

    var name: String {
      switch self {
      case .direct: "memory of JSON to rows, direct reader"
      case .codable: "memory of JSON to rows, plain Codable"
      case .usual: "memory of JSON to rows, JSONDecoder and the loop"
      case .limit: "memory of JSON to rows, simdjson and SQLite"
      }
    }

    var budget: Int? { self == .direct || self == .codable ? Budget.ingestMemory : nil }
  }

  /// Each way with the usual number of records, and with very many those that are to take no more for them.
  static func measure(_ suite: Suite, _ options: Options, _ stores: Stores) throws -> [PeakMemory] {
    var result: [PeakMemory] = []
    for (count, ways) in [(options.records, Way.allCases), (options.most ?? 0, [.direct, .codable])] where count > 0 {
      let file = stores.file("feed-\(count).geojson")
      defer { try? FileManager.default.removeItem(at: file) }
      try suite.feedText(count).data.write(to: file)
      for way in ways {
        let folder = stores.file("memory-\(way.rawValue)-\(count)")
        result.append(
          PeakMemory(
            name: "\(way.name), \(count)", records: count, bytes: try ask(way, file, folder), budget: way.budget))
      }
    }
    return result
  }

  private static func ask(_ way: Way, _ feed: URL, _ folder: URL) throws -> Int {
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    process.arguments = ["--memory", way.rawValue, "--feed", feed.path, "--stores", folder.path]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let printed = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0, let bytes = Int(printed.trimmingCharacters(in: .whitespacesAndNewlines))
    else {
      throw LimitError(description: "The memory of \(way.rawValue) could not be measured: \(printed)")
    }
    return bytes
  }
}

extension PeakMemory.Way {
  /// Goes this way, and prints how many bytes it took.
  func run(_ feed: URL, _ folder: URL) async throws {
    let stores = try Stores(folder: folder)
    defer { try? stores.remove() }
    let limit = try stores.limit(.flat)
    let container = try stores.container()
    let before = try ResidentMemory.start()
    switch self {
    case .direct, .codable:
      let reader: FeedReader = self == .direct ? .direct : .codable
      _ = try await container.ingestQuakes(reader.elements(in: FileChunks(file: feed)))
    case .usual: try await QuakeSyncService(modelContainer: container).sync(UsualFeed.decode(Data(contentsOf: feed)))
    case .limit: _ = try FeedText(contentsOf: feed).limit(limit)
    }
    print(max(0, try ResidentMemory.peak() - before))
  }
}

/// A file as a network would bring it.
struct FileChunks: AsyncSequence, Sendable {
  let file: URL

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let file: URL
    private var handle: FileHandle?

    fileprivate init(file: URL) { self.file = file }

    mutating func next() async throws -> Data? {
      let handle = try handle ?? FileHandle(forReadingFrom: file)
      self.handle = handle
      return try handle.read(upToCount: FeedText.Chunks.size)
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(file: file) }
}

/// What Linux tells of a process's memory.
private enum ResidentMemory {
  /// Forgets the peak so far.
  ///
  /// - Returns: The bytes that are there now.
  static func start() throws -> Int {
    try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    return try bytes("VmRSS:")
  }

  static func peak() throws -> Int { try bytes("VmHWM:") }

  private static func bytes(_ key: String) throws -> Int {
    let status = try String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix(key) }
    guard let kibibytes = line?.split(separator: "\t").last?.split(separator: " ").first.flatMap({ Int($0) }) else {
      throw LimitError(description: "The system does not tell \(key)")
    }
    return kibibytes << 10
  }
}
