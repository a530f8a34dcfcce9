import ExampleSupport
import Foundation

/// `make trips`: the page and the trips' server, until somebody stops it.
struct Demo {
  /// How long the server may take to answer before a sync gives up, in seconds.
  static let patience = 5

  let settings: Options

  @MainActor func run() async throws {
    let store = settings.store ?? StorePlaces.usual(of: "trips")
    let api = TripsAPI(trips: try BundledTrips.read())
    try api.start()
    defer { api.stop() }
    guard let tripsURL = api.url else { return }
    let dependencies = try Dependencies(
      store: .disk(store), httpClient: Dependencies.httpClient(patience: Self.patience), tripsURL: tripsURL)
    let screen = TripScreen(dependencies: dependencies, server: api)
    await screen.load()
    let page = try PageServer(port: settings.port, screen: screen, api: api)

    Terminal.say("Store:  \(store.path), \(screen.list.trips.count) trips")
    Terminal.say("API:    \(tripsURL)")
    Terminal.say("Page:   \(page.url)")
    Terminal.say("Stop:   Ctrl-C")
    await withTaskGroup(of: Void.self) { tasks in
      tasks.addTask { await screen.run() }
      await StopSignals.wait()
      Terminal.say("Stopping")
      tasks.cancelAll()
    }
    await page.stop()
  }
}
