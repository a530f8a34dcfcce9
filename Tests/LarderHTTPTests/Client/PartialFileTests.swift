import Foundation
import LarderHTTP
import Synchronization
import Testing

/// What a file is written as until it is whole.
@Suite struct PartialFileTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "partial-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
  }

  /// A client whose answers are `abcdef`; something is done when the first half of one is in the file.
  private func client(halfway: @escaping @Sendable () -> Void) -> HTTPClient {
    HTTPClient(baseURL: URL(string: "https://h")!, transport: HalvesTransport(halfway: halfway))
  }

  /// Where locks do not hold among all who write there, a name may become another's.
  @Test(arguments: [true, false]) func aNameThatIsTakenAwayIsLeftAlone(isAnothers: Bool) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "export.json")
    let part = folder.appending(path: ".export.json.0.part")
    try Data("former".utf8).write(to: file)
    let client = self.client {
      try? FileManager.default.removeItem(at: part)
      if isAnothers { try? Data("another's".utf8).write(to: part) }
    }
    let error = await failure { () async throws(HTTPError) in try await client.download(.get("/x"), to: file) }
    #expect(error?.kind == .file(errno: ESTALE) && error?.delivery == .responded)
    #expect(try Data(contentsOf: file) == Data("former".utf8))
    #expect(try names() == (isAnothers ? [".export.json.0.part", "export.json"] : ["export.json"]))
    if isAnothers { #expect(try Data(contentsOf: part) == Data("another's".utf8)) }
  }

  /// The name of the file leaves no room for anything beside it.
  @Test func theLongestNames() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let beginning = String(repeating: "\u{FC}", count: 127)
    let place = self.folder
    let seen = Mutex<[String]>([])
    let client = self.client {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path())) ?? []
      seen.withLock { $0 += names.filter { $0.hasSuffix(".part") } }
    }
    for last in ["x", "y", "x"] {
      let file = folder.appending(path: beginning + last)
      #expect(file.lastPathComponent.utf8.count == 255)
      try await client.download(.get("/x"), to: file)
      #expect(try Data(contentsOf: file) == Data("abcdef".utf8))
    }
    #expect(try names() == [beginning + "x", beginning + "y"])
    // The same each time, and another one for another file.
    let parts = seen.withLock { $0 }
    #expect(parts.count == 3 && parts.first == parts.last && Set(parts).count == 2)
    #expect(parts.allSatisfy { $0.hasPrefix(".\u{FC}\u{FC}") && $0.hasSuffix(".0.part") && $0.utf8.count <= 255 })
  }

  /// One that no file can have is an error before anything is read.
  @Test func aNameThatIsTooLong() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let isHalfway = Mutex(false)
    let client = self.client { isHalfway.withLock { $0 = true } }
    let file = folder.appending(path: String(repeating: "x", count: 256))
    let error = await failure { () async throws(HTTPError) in try await client.download(.get("/x"), to: file) }
    #expect(error?.kind == .file(errno: ENAMETOOLONG))
    let wasHalfway = isHalfway.withLock { $0 }
    #expect(!wasHalfway)
    #expect(try names().isEmpty)
  }
}

/// Answers by two pieces. The second one is asked for when the first one was written.
private struct HalvesTransport: HTTPTransport {
  let halfway: @Sendable () -> Void

  func send(_ request: HTTPRequest) async throws(HTTPError) -> StreamedResponse {
    StreamedResponse(head: ResponseHead(status: 200, url: request.url), body: ResponseBody(Halves(halfway)))
  }
}

private final class Halves: ResponseBodySource {
  let metrics = HTTPMetrics()
  private let count = Mutex(0)
  private let halfway: @Sendable () -> Void

  init(_ halfway: @escaping @Sendable () -> Void) { self.halfway = halfway }

  func next() async throws(HTTPError) -> Data? {
    let number = count.withLock { count in
      defer { count += 1 }
      return count
    }
    switch number {
    case 0: return Data("abc".utf8)
    case 1:
      halfway()
      return Data("def".utf8)
    default: return nil
    }
  }

  func cancel() {}
}
