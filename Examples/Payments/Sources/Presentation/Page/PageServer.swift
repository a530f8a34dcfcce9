import ExampleSupport
import Foundation
import LarderTesting

/// Serves the page on loopback.
final class PageServer: Sendable {
  /// What the page's script puts in place.
  private struct Drawing: Encodable {
    var parts: [String: String]
    var said: String?
  }

  private typealias Response = LoopbackServer.Response

  private let server: LoopbackServer
  private let screen: PaymentScreen

  var url: URL { server.url("/") }

  /// Starts to serve.
  ///
  /// - Throws: `LoopbackServerError`, above all if the port is in use.
  init(port: UInt16, screen: PaymentScreen) throws {
    server = try LoopbackServer(port: port, recordsRequests: false)
    self.screen = screen
    try server.routeAssets(["page.js", "icon.svg"]) { try Assets.data($0, in: ["Assets"], of: .module) }
    try server.routeAssets(["page.css"]) { try Assets.baseStyle + Assets.data($0, in: ["Assets"], of: .module) }
    try server.routeAssets(["live.js"]) { _ in try Assets.liveScript }
    server.routeEvents(of: screen.events)
    server.routePage("/") { [screen] _ in
      try MainActor.whileBlocked { Self.page(PageView(form: screen.form()), screen) }
    }
    server.routePage("/view") { [screen] _ in
      try MainActor.whileBlocked { try Self.drawing(PageView(), screen, isLive: true) }
    }
    addForms()
  }

  /// Ends every open connection. Not on the main actor, for which handlers may be waiting.
  @concurrent func stop() async {
    server.stop()
  }

  private func addForms() {
    addForm("/pay") { fields, screen in
      guard let form = PaymentForm(fields).map({ screen.form($0) }) else { return nil }
      await form.submit()
      return PageView(form: form, problem: form.problem, said: form.isKept ? "Kept, and on its way." : nil)
    }
    addForm("/cancel") { fields, screen in
      guard let id = fields["id"] else { return nil }
      let problem = await screen.list.cancel(id)
      return PageView(problem: problem, said: problem == nil ? "Cancelled." : nil)
    }
    addForm("/put-away") { fields, screen in
      guard let name = fields["name"] else { return nil }
      let problem = await screen.list.putAway(name)
      return PageView(problem: problem, said: problem == nil ? "Put away." : nil)
    }
    addForm("/sign-in") { fields, screen in
      guard let code = fields["code"] else { return nil }
      if let problem = await screen.signIn.signIn(code) { return PageView(problem: problem) }
      screen.demo.forgetLetter()
      await screen.sync.syncPendingChanges()
      return PageView(said: "Signed in.")
    }
    addForm("/session") { _, screen in
      let problem = await screen.demo.endSession()
      // The bank is asked for something, or nobody would notice for a while.
      if problem == nil { await screen.sync.syncPendingChanges() }
      return PageView(problem: problem, said: problem == nil ? "The bank has ended the session." : nil)
    }
    addForm("/sync") { _, screen in
      await screen.sync.syncPendingChanges()
      return PageView(said: screen.sync.trouble == nil ? "Synced." : nil)
    }
    addForm("/line") { fields, screen in
      guard let action = fields["do"], ["cut", "mend"].contains(action) else { return nil }
      let problem = screen.demo.setLine(cut: action == "cut")
      return PageView(problem: problem, said: action == "cut" ? "The line is cut." : "The line is mended.")
    }
    addForm("/bank") { fields, screen in
      guard let conduct = fields["conduct"].flatMap(BankConduct.init) else { return nil }
      let problem = await screen.demo.behave(conduct)
      return PageView(problem: problem, said: "The bank does so from now on.")
    }
  }

  /// Answers a form: the script with the parts that it puts in place, a plain browser with a page.
  ///
  /// - Parameter handler: Does what the form asks for, and says what its window shows then; nil for no form of ours.
  private func addForm(
    _ path: String, handler: @escaping @MainActor @Sendable (FormFields, PaymentScreen) async throws -> PageView?
  ) {
    server.routeForm(path) { [screen] request in
      try MainActor.whileBlocked {
        guard var view = try await handler(FormFields(request.body), screen) else {
          return .refusal("This is no form of this program's page.", status: 400)
        }
        if request.headers["accept", default: ""].contains("application/json") {
          return try Self.drawing(view, screen, isLive: false)
        }
        // To reload the page that follows asks for nothing a second time.
        guard view.isOwn else { return .seeOther("/") }
        view.form = view.form ?? screen.form()
        return Self.page(view, screen)
      }
    }
  }

  @MainActor private static func page(_ view: PageView, _ screen: PaymentScreen) -> Response {
    // Counted first: what changes while it is drawn is told to it again.
    let events = screen.events.sent
    let parts = screen.parts().merging(PageTemplate.ownParts(view)) { $1 }
    return .page(PageTemplate.page(parts, drawnAfter: events))
  }

  /// - Parameter isLive: Whether the window asked by itself: then what it says of its own stays.
  @MainActor private static func drawing(
    _ view: PageView, _ screen: PaymentScreen, isLive: Bool
  ) throws -> Response {
    let own = isLive ? [:] : PageTemplate.ownParts(view)
    let drawing = Drawing(parts: screen.parts().merging(own) { $1 }.mapValues(\.text), said: view.said)
    return .bytes(try JSONEncoder().encode(drawing), type: "application/json", headers: Response.pageHeaders)
  }
}
