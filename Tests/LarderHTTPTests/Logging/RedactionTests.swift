import Foundation
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

/// Keeps what it is told.
private final class Kept: LogHandler {
  private let entries = Mutex<[LogEntry]>([])
  func log(_ entry: LogEntry) { entries.withLock { $0.append(entry) } }
  var all: [LogEntry] { entries.withLock { $0 } }
  var text: String { all.map(\.message.text).joined(separator: "\n") }
}

@Suite struct RedactionTests {
  private struct Described: CustomStringConvertible {
    let told: @Sendable () -> Void
    var description: String {
      told()
      return "described"
    }
  }

  @Test func valuesAreHiddenUnlessTheyArePublic() {
    let id = "user-7"
    let message: LogMessage = "a \(id) b \(3, privacy: .public) c \(id, privacy: .hashed) d \(id, privacy: .hashed)"
    let words = message.text.split(separator: " ")
    #expect(words[1] == "<private>" && words[3] == "3")
    #expect(words[5] == words[7] && words[5].hasPrefix("#") && words[5].utf8.count == 17)
    let other: LogMessage = "\("user-8", privacy: .hashed)"
    #expect(other.text != words[5])
    #expect(!message.text.contains("user-7"))
  }

  @Test func whatIsPrivateIsNotEvenDescribed() {
    let count = Mutex(0)
    let value = Described { count.withLock { $0 += 1 } }
    let message: LogMessage = "\(value) \(value, privacy: .public)"
    #expect(message.text == "<private> described")
    #expect(count.withLock { $0 } == 1)
    let logger = HTTPLogger(level: .warning, handler: Kept())
    logger.log(.info, "\(value, privacy: .public)")
    #expect(count.withLock { $0 } == 1)
  }

  @Test func aPublicValueForgesNoEntry() {
    let message: LogMessage = "\("a\nerror: b\u{2028}c\u{1B}[31m", privacy: .public)"
    #expect(message.text == "a\u{FFFD}error: b\u{FFFD}c\u{FFFD}[31m")
  }

  /// A value that nobody may see, in each place, through each kind of fault.
  @Test(arguments: Fault.all)
  func nothingPrivateIsTold(_ fault: Fault) async throws {
    let secret = "CANARY"
    let server = try ScriptedServer { number in
      fault.script(number).map { step in
        guard case .send(let text) = step else { return step }
        return .send(
          text.replacing("\r\nContent-Type", with: "\r\nX-Secret: CANARY\r\nSet-Cookie: CANARY\r\nContent-Type"))
      }
    }
    defer { server.stop() }
    let kept = Kept()
    let reports = Mutex<[String]>([])
    let client = HTTPClient.ofFaults(server.url(), clock: TestClock(advancesAutomatically: true)) { configuration in
      configuration.deadlines = fault.deadlines
      configuration.logger = HTTPLogger(level: .trace, handler: kept)
      configuration.metrics = { report in
        reports.withLock { $0.append(report.name + (report.error?.description ?? "")) }
      }
    }
    let endpoint = Endpoint<[String]>.put(
      "/a/\(secret)/\(segments: [secret, secret])", query: [URLQueryItem(name: secret, value: secret)],
      body: .json([secret])
    ).with {
      $0.headers = ["Authorization": secret, "X-Key": secret]
      $0.idempotencyKey = secret
    }
    let error = await failure { () async throws(HTTPError) in try await client.request(endpoint) }
    let told = [kept.text, error?.description ?? "", error?.advice ?? ""] + reports.withLock { $0 }
    #expect(!told.contains { $0.contains(secret) })
    #expect(kept.all.last.map { $0.level >= .warning } == true)
    #expect(kept.text.contains("PUT /a/{}/{}/{}"))
    // Retries and the end; and why it ended, where more attempts were left.
    let reasons = kept.all.count { $0.message.text.contains("not tried again, since ") }
    #expect(reasons <= 1 && kept.all.count - reasons == error?.attempts)
  }
}
