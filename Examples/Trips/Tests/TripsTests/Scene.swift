import ExampleSupport
import FoundationNetworking
import LarderTesting
import SwiftData
import Testing

@testable import trips

/// Everything but the terminal: a trips' server, a store, a screen that runs, and a page.
@MainActor
final class Scene {
  let api: TripsAPI
  let screen: TripScreen
  let page: PageServer
  let dependencies: Dependencies
  private let running: Task<Void, Never>

  /// - Parameters:
  ///   - trips: What the server offers.
  ///   - store: Where they are kept.
  init(_ trips: [TripDTO] = [Made.lisbon(), Made.oslo()], store: TripStore = .memory) async throws {
    api = TripsAPI(trips: trips, delay: 0.3)
    try api.start()
    dependencies = try Dependencies(
      // A second is the shortest patience that URLSession knows here.
      store: store, httpClient: Dependencies.httpClient(patience: 1), tripsURL: try #require(api.url))
    let screen = TripScreen(dependencies: dependencies, server: api)
    self.screen = screen
    page = try PageServer(port: 0, screen: screen, api: api)
    running = Task { await screen.run() }
    try await until("the first sync") { screen.list.trips.count == trips.count && !screen.server.isAsked }
  }

  /// Ends all of it.
  func end() async {
    running.cancel()
    screen.events.close()
    await page.stop()
    let api = api
    await Task.detached { api.stop() }.value
  }

  /// Waits for a condition.
  func until(_ what: String, _ condition: () -> Bool) async throws {
    for _ in 0..<2000 {
      if condition() { return }
      try await Task.sleep(for: .milliseconds(5))
    }
    Issue.record("Waited in vain for \(what).")
  }

  /// The page, or what else is at an address.
  func get(_ path: String = "/") async throws -> String {
    let (data, response) = try await URLSession.shared.data(from: try address(path))
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    return String(decoding: data, as: UTF8.self)
  }

  /// Sends a form, as a plain browser or as the page's script does.
  func post(
    _ path: String, _ fields: [(String, String)], asScript: Bool = false, headers: [String: String] = [:]
  ) async throws -> (status: Int, text: String) {
    var request = URLRequest(url: try address(path))
    request.httpMethod = "POST"
    func escaped(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }
    request.httpBody = Data(fields.map { "\(escaped($0))=\(escaped($1))" }.joined(separator: "&").utf8)
    if asScript { request.setValue("application/json", forHTTPHeaderField: "Accept") }
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let (data, response) = try await URLSession.shared.data(for: request)
    return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
  }

  private func address(_ path: String) throws -> URL {
    try #require(URL(string: path, relativeTo: page.url))
  }

  /// The fields that the form of a trip sends.
  func fields(of id: String, _ change: (inout TripForm) -> Void = { _ in }, do action: String = "save") throws
    -> [(String, String)]
  {
    var form = TripForm(try #require(screen.list.trips.first { $0.id == id }))
    change(&form)
    return [
      ("id", form.id), ("seen", form.seen.rawValue), ("name", form.name), ("first-day", form.firstDay),
      ("last-day", form.lastDay), ("people", form.people), ("tags", form.tags),
    ]
      + form.legs.flatMap {
        [
          ("leg-id", $0.id.uuidString), ("leg-from", $0.origin), ("leg-to", $0.destination),
          ("leg-by", $0.means.rawValue),
        ]
      } + [("do", action)]
  }
}
