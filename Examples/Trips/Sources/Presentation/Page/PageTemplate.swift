import ExampleSupport

/// The page as a pure function of its view models, and of what its window shows.
enum PageTemplate {
  /// The parts of the page that change, by the names under which the page's script finds them.
  static func parts(_ list: TripListViewModel, _ server: ServerViewModel, _ view: PageView = PageView())
    -> [String: HTML]
  {
    [
      "summary": summary(list.trips),
      "busy": server.isAsked ? "Asking the trips’ server …" : "",
      "error": error(list.syncError),
      "problem": view.editing == nil ? error(view.problem) : "",
      "trips": trips(list.trips, view),
      "server": ServerTemplate.panel(server),
    ]
  }

  private static func summary(_ trips: [Trip]) -> HTML {
    let people = Set(trips.flatMap(\.people)).count
    let legs = trips.reduce(0) { $0 + $1.legs.count }
    return """
      <b id="count">\(trips.count)</b> \(trips.count == 1 ? "trip" : "trips"), <b>\(legs)</b> \
      \(legs == 1 ? "leg" : "legs"), <b>\(people)</b> \(people == 1 ? "person" : "people")
      """
  }

  private static func error(_ words: String?) -> HTML {
    words.map { words -> HTML in "<p class=\"problem\">\(words)</p>" } ?? ""
  }

  private static func trips(_ trips: [Trip], _ view: PageView) -> HTML {
    guard !trips.isEmpty else { return "<p class=\"empty\">No trips yet: the first sync brings them.</p>" }
    return trips.map { trip in
      trip.id == view.editing ? TripFormTemplate.card(trip, view) : TripTemplate.card(trip)
    }.joined()
  }

  /// The whole page.
  static func page(_ parts: [String: HTML], drawnAfter events: Int) -> HTML {
    func part(_ name: String) -> HTML { parts[name] ?? "" }
    return .document(
      title: "Trips", drawnAfter: events,
      body: """
        <a class="skip" href="#trips">Skip to the trips</a>
        <header>
        <h1>Trips</h1>
        <p data-part="summary">\(part("summary"))</p>
        <p class="quiet" data-part="busy" role="status">\(part("busy"))</p>
        <form method="post" action="/sync" data-form="sync"><button id="sync" class="main">Sync</button></form>
        </header>
        <div data-part="error" id="error" role="alert">\(part("error"))</div>
        <div data-part="problem" role="alert">\(part("problem"))</div>
        <p id="said" class="hidden" role="status"></p>
        <p id="lost" class="problem" role="alert" hidden>Trips itself has stopped: this is what it showed last. Start it \
        again, and the page goes on.</p>
        <main>
        <section id="trips" data-part="trips" aria-label="Trips" tabindex="-1">\(part("trips"))</section>
        <aside data-part="server" aria-labelledby="server-title">\(part("server"))</aside>
        </main>
        <footer>The page is drawn from a local store, and follows it.</footer>
        """)
  }
}
