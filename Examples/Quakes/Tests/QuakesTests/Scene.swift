import ExampleSupport
import FoundationNetworking
import LarderTesting
import SwiftData
import Synchronization
import Testing

@testable import quakes

/// Everything but the terminal: an origin that the test scripts, a store on disk, a sync, and a page.
final class Scene: Sendable {
  static let feedPath = "/feed"

  let folder: TemporaryFolder
  let store: URL
  let container: ModelContainer
  let origin: LoopbackServer
  let page: PageServer
  let sync: SyncService
  let board: SyncBoard
  let events = EventHub()
  private let following: Task<Void, Never>
  private let begun = Flag()

  /// - Parameters:
  ///   - folder: Where the store is; a new place if not given.
  ///   - route: Which service fetches.
  ///   - origin: One that is there already, and stays at its address.
  init(in folder: TemporaryFolder? = nil, route: FeedRoute = .urlsession, origin: LoopbackServer? = nil) throws {
    self.folder = try folder ?? TemporaryFolder()
    store = self.folder.url.appending(path: "quakes.store")
    container = try QuakeStore.open(at: store)
    self.origin = try origin ?? LoopbackServer()
    board = SyncBoard(lastSync: LastSync(besideStoreAt: store).read())
    page = try PageServer(
      port: 0,
      sources: PageServer.Sources(
        reader: StoreReader(container: container), board: board, events: events, isReplayed: true))
    sync = SyncService(
      // A second is the shortest patience that URLSession knows here.
      route, url: self.origin.url(Self.feedPath), patience: 1, container: container, store: store, board: board,
      statusChanged: { [events] in events.sendStatus() })
    let follower = QuakeFollower(modelContainer: container)
    following = Task { [events, begun] in await follower.follow(events) { begun.set() } }
  }

  /// Waits until whatever is saved is told to the pages.
  func begin() async throws {
    while !begun.value { try await Task.sleep(for: .milliseconds(2)) }
  }

  /// Waits for events, of which there must be no more.
  func expectEvents(_ count: Int, location: SourceLocation = #_sourceLocation) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while events.sent < count, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(2)) }
    try await Task.sleep(for: .milliseconds(50))
    #expect(events.sent == count, sourceLocation: location)
  }

  deinit {
    following.cancel()
    page.stop()
  }

  /// Serves a response from now on.
  func serve(_ response: LoopbackServer.Response) {
    origin.route(Self.feedPath) { _ in response }
  }

  func serve(fixture: String) throws {
    serve(.bytes(try Fixture.data(fixture), type: "application/json"))
  }

  /// Serves features made of a code and a magnitude each.
  func serve(_ quakes: [(code: String, magnitude: Double)]) {
    serve(.bytes(Self.feed(quakes), type: "application/json"))
  }

  static func feed(_ quakes: [(code: String, magnitude: Double)]) -> Data {
    let features = quakes.map { code, magnitude in
      #"{"properties":{"mag":\#(magnitude),"place":"p","time":1517966773840,"code":"\#(code)"},"#
        + #""geometry":{"coordinates":[1,2]}}"#
    }
    return Data(#"{"features":[\#(features.joined(separator: ","))]}"#.utf8)
  }

  /// The store's codes and magnitudes, read anew.
  func stored() throws -> [String: Double] {
    let quakes = try ModelContext(container).fetch(FetchDescriptor<Quake>())
    return Dictionary(quakes.map { ($0.code, $0.magnitude) }) { first, _ in first }
  }

  /// The page as a browser gets it.
  func html(_ address: String = "") async throws -> String {
    let url = try #require(URL(string: page.url.absoluteString + address))
    let (data, response) = try await URLSession.shared.data(from: url)
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    return String(decoding: data, as: UTF8.self)
  }

  /// The sentence on the page about what went wrong, without its markup.
  func sentence() async throws -> String? {
    let page = try await html()
    guard let banner = page.firstMatch(of: /<p class="banner[^>]*>(.*?)<\/p>/)?.output.1 else { return nil }
    return String(banner).replacing(/<[^>]*>/, with: "").replacing("&#39;", with: "'")
  }

  /// The bytes of the store, in each of its files.
  func bytes() throws -> [Data?] {
    ["", "-wal"].map { try? Data(contentsOf: URL(filePath: store.path + $0)) }
  }
}

/// Raised once, by anybody.
private final class Flag: Sendable {
  private let state = Mutex(false)
  var value: Bool { state.withLock { $0 } }
  func set() { state.withLock { $0 = true } }
}
