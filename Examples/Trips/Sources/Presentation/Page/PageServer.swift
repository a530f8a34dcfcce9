import ExampleSupport
import Foundation
import LarderTesting

/// Serves the page on loopback.
final class PageServer: Sendable {
  /// What the page's script puts in place.
  private struct Drawing: Encodable {
    var parts: [String: String]
    /// The address that shows the same.
    var address: String
  }

  private let server: LoopbackServer
  private let screen: TripScreen

  var url: URL { server.url("/") }

  /// Starts to serve.
  ///
  /// - Throws: `LoopbackServerError`, above all if the port is in use.
  init(port: UInt16, screen: TripScreen, api: TripsServerProtocol) throws {
    server = try LoopbackServer(port: port, recordsRequests: false)
    self.screen = screen
    try server.routeAssets(["page.js", "icon.svg"]) { try Assets.data($0, in: ["Assets"], of: .module) }
    try server.routeAssets(["page.css"]) { try Assets.baseStyle + Assets.data($0, in: ["Assets"], of: .module) }
    try server.routeAssets(["live.js"]) { _ in try Assets.liveScript }
    server.routeEvents(of: screen.events)
    addPage()
    addForms(api)
  }

  /// Ends every open connection. Not on the main actor, for which handlers may be waiting.
  @concurrent func stop() async {
    server.stop()
  }

  private func addPage() {
    server.routePage("/") { [screen] request in
      try Self.page(PageView(request.query), screen)
    }
    server.routePage("/view") { [screen] request in
      try Self.drawing(PageView(request.query), screen)
    }
  }

  private func addForms(_ api: TripsServerProtocol) {
    addForm("/sync") { [screen] _ in
      try MainActor.whileBlocked { await screen.sync() }
      return PageView()
    }
    addForm("/trip") { [screen] fields in
      guard let form = TripForm(fields), let action = TripForm.Action(fields["do"]) else { return nil }
      return try MainActor.whileBlocked { await screen.submit(form, action) }
    }
    addForm("/server/behaviour") { [screen] fields in
      guard let behaviour = fields["behaviour"].flatMap(ServerBehaviour.init) else { return nil }
      // On this thread: a server that is stopped waits for its last answers.
      try api.behave(behaviour)
      try MainActor.whileBlocked { screen.server.load() }
      return PageView()
    }
    addForm("/server/trip") { [screen] fields in
      guard let id = fields["id"], let name = fields["name"] else { return nil }
      let form = TripForm(
        id: id.isEmpty ? UUID().uuidString : id, name: name, firstDay: fields["first-day"] ?? "",
        lastDay: fields["last-day"] ?? "", people: "", tags: "", legs: [], seen: TripVersion(rawValue: ""))
      return try MainActor.whileBlocked {
        do throws(TripProblem) {
          try screen.server.offer(form.trip())
          return PageView()
        } catch {
          return PageView(problem: error.description)
        }
      }
    }
  }

  /// Answers a form: the script with the parts that it asked for, a plain browser with a page.
  ///
  /// - Parameter handler: Does what the form asks for, and says what its window shows then; nil for no form of ours.
  private func addForm(_ path: String, handler: @escaping @Sendable (FormFields) throws -> PageView?) {
    server.routeForm(path) { [screen] request in
      guard let view = try handler(FormFields(request.body)) else {
        return .refusal("This is no form of this program's page.", status: 400)
      }
      if request.headers["accept", default: ""].contains("application/json") {
        return try Self.drawing(view, screen)
      }
      guard view.draft != nil || view.problem != nil else { return .seeOther(view.address) }
      return try Self.page(view, screen)
    }
  }

  private static func page(_ view: PageView, _ screen: TripScreen) throws -> LoopbackServer.Response {
    // Counted first: what changes while it is drawn is told to it again.
    let events = screen.events.sent
    return .page(PageTemplate.page(try MainActor.whileBlocked { screen.parts(view) }, drawnAfter: events))
  }

  private static func drawing(_ view: PageView, _ screen: TripScreen) throws -> LoopbackServer.Response {
    let parts = try MainActor.whileBlocked { screen.parts(view) }
    let drawing = Drawing(parts: parts.mapValues(\.text), address: view.address)
    return .bytes(
      try JSONEncoder().encode(drawing), type: "application/json", headers: LoopbackServer.Response.pageHeaders)
  }
}
