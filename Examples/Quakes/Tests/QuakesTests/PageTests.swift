import ExampleSupport
import FoundationNetworking
import LarderTesting
import SwiftData
import Testing

@testable import quakes

@Suite struct PageTests {
  /// A page on the whole week.
  private func scene() async throws -> Scene {
    let scene = try Scene()
    let week = try ReplayedWeek.bundled()
    scene.serve(.bytes(week.feed(at: week.end), type: "application/json"))
    _ = await scene.sync.sync()
    return scene
  }

  @Test func showsACircleForEachEarthquakeAndARowForTheFirst() async throws {
    let html = try await scene().html()
    #expect(html.ranges(of: "<circle data-key=").count == 1707)
    #expect(html.ranges(of: "<tr data-key=").count == PageQuery.rowsAtFirst)
    #expect(html.contains("<b id=\"count\">1,707</b> earthquakes"))
    #expect(html.contains("replayed"))
    #expect(html.contains("Origin reachable"))
  }

  @Test(arguments: PageQuery.Sort.allCases, [PageQuery.Order.ascending, .descending])
  func theStoreSorts(sort: PageQuery.Sort, order: PageQuery.Order) async throws {
    let scene = try await scene()
    defer { withExtendedLifetime(scene) {} }
    let reader = StoreReader(container: scene.container)
    let rows = try reader.content(for: PageQuery(sort: sort, order: order)).matching
    #expect(rows.count == 1707)
    let pairs = zip(rows, rows.dropFirst())
    switch (sort, order) {
    case (.time, .ascending): #expect(pairs.allSatisfy { $0.time <= $1.time })
    case (.time, .descending): #expect(pairs.allSatisfy { $0.time >= $1.time })
    case (.magnitude, .ascending): #expect(pairs.allSatisfy { $0.magnitude <= $1.magnitude })
    case (.magnitude, .descending): #expect(pairs.allSatisfy { $0.magnitude >= $1.magnitude })
    case (.place, .ascending):
      #expect(pairs.allSatisfy { $0.place.localizedStandardCompare($1.place) != .orderedDescending })
    case (.place, .descending):
      #expect(pairs.allSatisfy { $0.place.localizedStandardCompare($1.place) != .orderedAscending })
    }
  }

  @Test func theStoreFilters() async throws {
    let scene = try await scene()
    defer { withExtendedLifetime(scene) {} }
    let reader = StoreReader(container: scene.container)
    let all = try reader.content(for: PageQuery()).matching
    func codes(_ query: PageQuery) throws -> Set<String> {
      let content = try reader.content(for: query)
      #expect(content.total == 1707)
      return Set(content.matching.map(\.code))
    }
    func wanted(_ isWanted: (QuakeRow) -> Bool) -> Set<String> { Set(all.filter(isWanted).map(\.code)) }

    #expect(try codes(PageQuery(minimum: 4.5)) == wanted { $0.magnitude >= 4.5 })
    #expect(try codes(PageQuery(text: "aLASka")) == wanted { $0.place.localizedStandardContains("aLASka") })
    #expect(
      try codes(PageQuery(minimum: 2, text: "hawaii"))
        == wanted { $0.magnitude >= 2 && $0.place.localizedStandardContains("hawaii") })
    #expect(try codes(PageQuery(text: "%_<nothing>")).isEmpty)
  }

  @Test func opensAtOnceOnWhatTheStoreHas() async throws {
    let folder = try TemporaryFolder()
    do {
      let first = try Scene(in: folder)
      first.serve([("a", 1), ("b", 6.5)])
      _ = await first.sync.sync()
    }
    let second = try Scene(in: folder)
    let html = try await second.html()
    #expect(html.ranges(of: "<circle data-key=").count == 2)
    #expect(html.contains("Origin not asked yet"))
    #expect(html.contains("Synced <time"))
  }

  @Test func anEmptyStoreSaysSo() async throws {
    let html = try await Scene().html()
    #expect(html.contains("The store is empty"))
    #expect(html.contains("Never synced"))
  }

  @Test func eventsTellWhatASaveChanged() async throws {
    let scene = try Scene()
    let page = scene.page
    // The event that is sent for the save comes over the socket.
    let events = Task {
      var text = ""
      let (data, _) = try await URLSession.shared.data(from: page.url.appending(path: "events"))
      text += String(decoding: data, as: UTF8.self)
      return text
    }
    while scene.events.listeners == 0 { try await Task.sleep(for: .milliseconds(5)) }
    try await scene.begin()
    scene.serve([("a", 1), ("b", 2)])
    _ = await scene.sync.sync()
    try await scene.expectEvents(2)
    scene.serve([("a", 1.5), ("b", 2)])
    _ = await scene.sync.sync()
    try await scene.expectEvents(3)
    scene.events.close()
    let text = try await events.value
    #expect(text.contains("event: change\ndata: {\"inserted\":2,\"updated\":0,\"deleted\":0}\n\n"))
    #expect(text.contains("event: status\n"))
    #expect(text.contains("event: change\ndata: {\"inserted\":0,\"updated\":1,\"deleted\":0}\n\n"))
  }

  @Test(arguments: ["", "view", "status", "page.css", "page.js", "icon.svg"])
  func nothingFromElsewhereIsAllowed(path: String) async throws {
    let scene = try Scene()
    let (_, response) = try await URLSession.shared.data(from: scene.page.url.appending(path: path))
    let http = try #require(response as? HTTPURLResponse)
    #expect(http.statusCode == 200)
    #expect(http.value(forHTTPHeaderField: "Content-Security-Policy")?.hasPrefix("default-src 'none'") == true)
  }

  @Test func aPortInUseIsTold() throws {
    let scene = try Scene()
    let port = try #require(scene.page.url.port)
    #expect(throws: LoopbackServerError.portInUse(UInt16(port))) {
      try PageServer(
        port: UInt16(port),
        sources: PageServer.Sources(
          reader: StoreReader(container: scene.container), board: scene.board, events: scene.events,
          isReplayed: false))
    }
  }

  @Test func onlyThePageItselfControlsTheOrigin() async throws {
    let scene = try Scene()
    let page = try PageServer(
      port: 0,
      sources: PageServer.Sources(
        reader: StoreReader(container: scene.container), board: scene.board, events: scene.events, isReplayed: true,
        controlOrigin: { starts in if !starts { scene.origin.stop() } }))
    defer { page.stop() }
    func status(_ method: String, _ path: String, _ name: String, _ value: String) async throws -> Int? {
      var request = URLRequest(url: page.url.appending(path: path))
      request.httpMethod = method
      request.setValue(value, forHTTPHeaderField: name)
      return (try await URLSession.shared.data(for: request).1 as? HTTPURLResponse)?.statusCode
    }
    #expect(try await status("POST", "origin/stop", "Sec-Fetch-Site", "cross-site") == 403)
    #expect(try await status("POST", "origin/stop", "Origin", "http://quakes.example") == 403)
    // A name that another site has led to this machine.
    let other = "quakes.example:\(page.url.port ?? 0)"
    #expect(try await status("POST", "origin/stop", "Host", other) == 403)
    for path in ["", "view", "status", "page.js"] { #expect(try await status("GET", path, "Host", other) == 403) }
    // Followed to the page.
    #expect(try await status("POST", "origin/stop", "Sec-Fetch-Site", "same-origin") == 200)
  }
}
