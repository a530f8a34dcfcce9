import Foundation
import Larder
import OtherNames
import Synchronization
import Testing

/// The names of EndpointsAndErrors.md beside those of another module, which compiles; what they mean is Larder's.
@Suite struct NamesArticleTests {
  @Test func namesAreLarders() async throws {
    let fields: HTTPHeaders = ["X-Fields": HTTPMethod.get.rawValue]
    let client = Silence.client(of: URL(string: "https://api.example")!, fields: fields)
    #expect(try await status(of: client) == 200)
    #expect(client.configuration.headers["x-fields"] == "GET")
    #expect(type(of: client) != OtherNames.HTTPClient.self as Any.Type)
  }

  @Test func anotherLibraryIsTold() async throws {
    struct Taken: OtherNames.LogHandler {
      let lines = LineLog()
      func log(level: Logger.Level, message: Logger.Message) { lines.add("\(level) \(message.text)") }
    }
    final class LineLog: Sendable {
      private let lines = Mutex<[String]>([])
      var all: [String] { lines.withLock { $0 } }
      func add(_ line: String) { lines.withLock { $0.append(line) } }
    }
    let taken = Taken()
    let log = OtherLog(logger: Logger(handler: taken))
    for level in LogLevel.allCases { log.log(LogEntry(level: level, message: "a \("%@", privacy: .public)")) }
    #expect(taken.lines.all == ["trace a %@", "debug a %@", "info a %@", "warning a %@", "error a %@"])
  }
}
