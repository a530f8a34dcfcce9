import ExampleSupport
import SwiftData

/// `make demo`: the page, the origin or the real feed, and a sync every few seconds, until somebody stops it.
struct Demo {
  /// How much of the week passes in each step of the replay: two days in about ten minutes.
  static let stepOfReplay: Int64 = 15 * 60 * 1000
  /// The real feed is made anew each minute.
  static let liveInterval = 60.0
  static let liveAddress = "https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/all_week.geojson"

  let settings: Options

  func run() async throws {
    let store = settings.store ?? StorePlaces.usual(of: "quakes")
    let container = try QuakeStore.open(at: store)
    let board = SyncBoard(lastSync: LastSync(besideStoreAt: store).read())
    let events = EventHub()
    let reader = StoreReader(container: container)

    // The page comes first: what the store has is there at once, whatever becomes of the sync.
    let origin = settings.isLive ? nil : try replay(from: reader)
    var sources = PageServer.Sources(reader: reader, board: board, events: events, isReplayed: origin != nil)
    if let origin {
      sources.controlOrigin = { starts in if starts { try origin.start() } else { origin.stop() } }
    }
    let page = try PageServer(port: settings.port, sources: sources)
    defer { page.stop() }
    try origin?.start()
    defer { origin?.stop() }
    guard let url = origin == nil ? URL(string: Self.liveAddress) : origin?.url else { return }

    Terminal.say("Store:  \(store.path), \(try reader.count().formattedForPeople) earthquakes")
    Terminal.say("Feed:   \(url)\(origin == nil ? "" : " (the recorded week, replayed)")")
    Terminal.say("Client: \(settings.client.rawValue)")
    Terminal.say("Page:   \(page.url)")
    Terminal.say("Stop:   Ctrl-C")

    let sync = SyncService(
      settings.client, url: url, container: container, store: store, board: board,
      statusChanged: { events.sendStatus() })
    await withTaskGroup(of: Void.self) { tasks in
      tasks.addTask { await QuakeFollower(modelContainer: container).follow(events) }
      tasks.addTask { await synchronise(sync, origin) }
      await StopSignals.wait()
      Terminal.say("Stopping")
      tasks.cancelAll()
    }
  }

  /// The origin goes on where the store left off, so that a restart takes nothing back.
  private func replay(from reader: StoreReader) throws -> ReplayedOrigin {
    let week = try ReplayedWeek.bundled()
    let newest = try reader.content(for: PageQuery()).newest
    let origin = ReplayedOrigin(week: week, now: Int64(clamping: newest))
    if origin.isAtEnd {
      Terminal.say("This store has seen the replay to its end; STORE=another.store shows it again.")
    }
    return origin
  }

  private func synchronise(_ sync: SyncService, _ origin: ReplayedOrigin?) async {
    var last = ""
    while !Task.isCancelled {
      let report = await sync.sync()
      if Task.isCancelled { break }
      let words = report.words
      // One line for each thing that happens, none for a round that is as the one before.
      if words != last { Terminal.say("Sync: \(words)") }
      last = words
      try? await Task.sleep(for: .seconds(origin == nil ? Self.liveInterval : settings.step))
      if let origin, origin.isRunning { origin.advance(to: origin.now + Self.stepOfReplay) }
    }
  }
}

extension Int64 {
  /// A date in the feed's milliseconds; 0 for none, or one beyond all sense.
  fileprivate init(clamping date: Date?) {
    self = date.flatMap { Int64(exactly: ($0.timeIntervalSince1970 * 1000).rounded()) } ?? 0
  }
}
