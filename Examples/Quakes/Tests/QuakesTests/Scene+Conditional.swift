import Foundation
import LarderHTTP
import LarderTesting

@testable import quakes

extension Scene {
  /// Serves features under a tag from now on; 304 to whoever has it.
  func serve(_ quakes: [(code: String, magnitude: Double)], tag: String) {
    Self.serve(quakes, tag: tag, by: origin)
  }

  func serve(_ feed: Data, tag: String) {
    Self.serve(feed, tag: tag, by: origin, at: Self.feedPath)
  }

  static func serve(
    _ quakes: [(code: String, magnitude: Double)], tag: String, by origin: LoopbackServer, at path: String = feedPath
  ) {
    serve(feed(quakes), tag: tag, by: origin, at: path)
  }

  private static func serve(_ feed: Data, tag: String, by origin: LoopbackServer, at path: String) {
    origin.route(path) { request in
      guard let tag = EntityTag("\"\(tag)\"") else { return .text("no tag", status: 500) }
      return .bytes(feed, type: "application/json", tag: tag, to: request)
    }
  }

  /// The `If-None-Match` of the last request.
  var lastCondition: String? { origin.requests.last?.headers["if-none-match"] }
}
