import Foundation
import LarderTesting

/// Serves the page on loopback.
final class PageServer: Sendable {
  /// Nothing from elsewhere, no inline script or style, no frame around the page.
  static let security = [
    "Content-Security-Policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
      + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
  ]

  /// What the page needs from the rest of the program.
  struct Sources: Sendable {
    var reader: any QuakeReading
    var board: SyncBoard
    var events: EventHub
    var isReplayed: Bool
    /// Stops (false) or starts (true) the origin; nil where that is not ours to do.
    var controlOrigin: (@Sendable (Bool) throws -> Void)?
  }

  private let server: LoopbackServer

  var url: URL { server.url("/") }

  /// Starts to serve.
  ///
  /// - Throws: `LoopbackServerError`, above all if the port is in use.
  init(port: UInt16, sources: Sources) throws {
    let world = try WorldOutline.bundled()
    server = try LoopbackServer(port: port)
    try addAssets()
    addPage(sources, world: world)
    addControl(sources)
    server.route("/events") { _ in .events(headers: Self.security) { sources.events.add($0) } }
  }

  /// Ends every open connection.
  func stop() {
    server.stop()
  }

  private func addAssets() throws {
    for (name, type) in [
      ("page.css", "text/css; charset=utf-8"), ("page.js", "text/javascript; charset=utf-8"),
      ("icon.svg", "image/svg+xml"),
    ] {
      let bytes = try Resources.data(name)
      server.route("/" + name) { _ in .bytes(bytes, type: type, headers: Self.security) }
    }
  }

  private func addPage(_ sources: Sources, world: WorldOutline) {
    server.route("/") { request in
      let model = try Self.model(PageQuery(request.query), sources)
      return .text(
        PageTemplate.page(model, world: world).text, type: "text/html; charset=utf-8", headers: Self.security)
    }
    // The parts that change, for the page's script.
    server.route("/view") { request in
      let parts = PageTemplate.parts(try Self.model(PageQuery(request.query), sources))
      return try Self.json(parts.mapValues(\.text))
    }
    server.route("/status") { _ in
      // Asked for every few seconds, and told by a count.
      let content = QuakeContent(matching: [], total: try sources.reader.count())
      let model = Self.model(PageQuery(), content, sources)
      return try Self.json(StatusTemplate.parts(model).mapValues(\.text))
    }
  }

  private func addControl(_ sources: Sources) {
    guard let control = sources.controlOrigin else { return }
    for (action, starts) in [("stop", false), ("start", true)] {
      server.route("/origin/" + action, method: .post) { request in
        // Another site's page may not do it.
        guard request.headers["sec-fetch-site", default: "same-origin"] == "same-origin" else {
          return .text("Only this page may control the origin.\n", status: 403, headers: Self.security)
        }
        try control(starts)
        return .text("", status: 303, headers: Self.security.merging(["Location": "/"]) { $1 })
      }
    }
  }

  private static func model(_ query: PageQuery, _ sources: Sources) throws -> PageModel {
    model(query, try sources.reader.content(for: query), sources)
  }

  private static func model(_ query: PageQuery, _ content: QuakeContent, _ sources: Sources) -> PageModel {
    PageModel(
      query: query, content: content, status: sources.board.current, isReplayed: sources.isReplayed,
      canControlOrigin: sources.controlOrigin != nil, now: .now)
  }

  private static func json(_ value: [String: String]) throws -> LoopbackServer.Response {
    .bytes(try JSONEncoder().encode(value), type: "application/json", headers: security)
  }
}
