import ExampleSupport
import Foundation
import LarderTesting

/// Serves the page on loopback.
final class PageServer: Sendable {
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
    server = try LoopbackServer(port: port, recordsRequests: false)
    try addAssets()
    addPage(sources, world: world)
    addControl(sources)
    server.routeEvents(of: sources.events)
  }

  /// Ends every open connection.
  func stop() {
    server.stop()
  }

  private func addAssets() throws {
    try server.routeAssets(["page.css", "page.js", "icon.svg"], read: Resources.data)
    try server.routeAssets(["live.js"]) { _ in try Assets.liveScript }
  }

  private func addPage(_ sources: Sources, world: WorldOutline) {
    server.routePage("/") { request in
      // Counted first: what is saved while it is drawn is told to it again.
      let events = sources.events.sent
      let model = try Self.model(PageQuery(request.query), sources)
      return .page(PageTemplate.page(model, world: world, drawnAfter: events))
    }
    // The parts that change, for the page's script.
    server.routePage("/view") { request in
      try .parts(PageTemplate.parts(try Self.model(PageQuery(request.query), sources)))
    }
    server.routePage("/status") { _ in
      // Asked for every few seconds, and told by a count.
      let content = QuakeContent(matching: [], total: try sources.reader.count())
      let model = Self.model(PageQuery(), content, sources)
      return try .parts(StatusTemplate.parts(model))
    }
  }

  private func addControl(_ sources: Sources) {
    guard let control = sources.controlOrigin else { return }
    for (action, starts) in [("stop", false), ("start", true)] {
      server.routeForm("/origin/" + action) { _ in
        try control(starts)
        return .seeOther("/")
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
}
