import Foundation
import Larder
import Synchronization

// snippet: file log
/// Writes a line for each event to a file.
final class FileLog: LogHandler {
  private let file: Mutex<FileHandle>

  init(_ url: URL) throws {
    if !FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) { try Data().write(to: url) }
    let handle = try FileHandle(forWritingTo: url)
    try handle.seekToEnd()
    file = Mutex(handle)
  }

  func log(_ entry: LogEntry) {
    let line = "\(Date.now.formatted(.iso8601)) \(entry.level): \(entry.message.text)\n"
    // A full disk costs the line, and not the request.
    file.withLock { try? $0.write(contentsOf: Data(line.utf8)) }
  }
}
// snippet end

// snippet: header interceptor
/// Says which version of the app asks.
struct AppVersion: HTTPInterceptor {
  let version: String

  func intercept(_ request: HTTPRequest, next: Next) async throws(HTTPError) -> StreamedResponse {
    var request = request
    request.headers["X-App-Version"] = version
    return try await next(request)
  }
}
// snippet end

// snippet: measuring interceptor
/// Tells how long each attempt took until its head was there.
struct AttemptTimes: HTTPInterceptor {
  let told: @Sendable (_ name: String, _ status: Int?, _ time: Duration) -> Void

  func intercept(_ request: HTTPRequest, next: Next) async throws(HTTPError) -> StreamedResponse {
    let start = ContinuousClock.now
    do throws(HTTPError) {
      let response = try await next(request)
      told(request.name, response.status, .now - start)
      return response
    } catch {
      told(request.name, error.status, .now - start)
      throw error
    }
  }
}
// snippet end
