package import Foundation
package import LarderData
import LarderSQLite
import LoopbackServer
import Synchronization

/// A page on 127.0.0.1 that shows the contents of a store, and updates after each write to the store. It writes nothing.
///
/// The page's URL has a random part, so that other users of the machine and other pages of the browser cannot read it.
package final class StoreBrowser: Sendable {
  private let store: SQLiteStore
  private let server: LoopbackServer
  private let token: String
  private let state = Mutex(State())

  private struct State {
    var writers: [LoopbackServer.StreamWriter] = []
    var isStopped = false
  }

  /// The interval of checks for commits, in seconds: short enough for a human observer.
  private static let pollInterval = 0.25
  /// The length of the longest request body. The page sends no bodies.
  private static let maximumBodySize = 1 << 10
  /// The number of checks between two heartbeats to waiting pages: 15 s.
  private static let pollsPerHeartbeat = 60

  /// Starts a browser.
  ///
  /// - Parameters:
  ///   - path: The store's file.
  ///   - port: The port; 0 lets the system choose one.
  package init(_ store: SQLiteStore, path: String, port: UInt16 = 0) throws {
    self.store = store
    var random = SystemRandomNumberGenerator()
    token = (0..<2).map { _ in String(UInt64.random(in: .max / 16 ... .max, using: &random), radix: 16) }.joined()
    // Any process that finds the port may send any number of requests, so none is recorded.
    server = try LoopbackServer(port: port, bodyLimit: Self.maximumBodySize)
    let start = "/\(token)/"
    let name = URL(filePath: path).lastPathComponent
    server.route(start + "*") { [weak self] request in
      guard let self else { return .text("The program has ended.\n", status: 503, headers: Self.headers) }
      return self.respond(to: request, below: start, name)
    }
    let thread = Thread { [weak self] in
      // The store is open, so this connection opens, too. If it does not, the page is not updated.
      guard let watcher = try? Connection(path: path, access: .readOnly) else { return }
      defer { watcher.close() }
      var version: Int64?
      var looks = 0
      while true {
        Thread.sleep(forTimeInterval: Self.pollInterval)
        guard let self, !self.state.withLock({ $0.isStopped }) else { return }
        // `data_version` changes after another connection has committed.
        let now = try? watcher.int64("PRAGMA data_version")
        looks += 1
        if let now, let version, now != version { self.broadcast { $0.send("", event: "changed") } }
        if looks % Self.pollsPerHeartbeat == 0 { self.broadcast { $0.write(":\n\n") } }
        version = now ?? version
      }
    }
    thread.start()
  }

  package var url: URL { server.url("/\(token)/") }

  package func stop() {
    state.withLock { $0.isStopped = true }
    server.stop()
  }

  private func broadcast(_ send: (LoopbackServer.StreamWriter) -> Bool) {
    state.withLock { state in state.writers.removeAll { $0.isClosed || !send($0) } }
  }

  /// Headers that forbid foreign content, inline scripts and styles, and frames, and that keep the page's URL from other servers.
  private static let headers = [
    "Content-Security-Policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
      + "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
  ]

  private func respond(to request: LoopbackServer.Request, below start: String, _ name: String)
    -> LoopbackServer.Response
  {
    // Rejects other host names, which a DNS rebinding attack resolves to this machine.
    let hosts = ["127.0.0.1:\(server.port)", "localhost:\(server.port)"]
    guard let host = request.headers["host"], hosts.contains(host) else {
      return .text("This is not the address of the page.\n", status: 403, headers: Self.headers)
    }
    switch String(request.path.dropFirst(start.count)) {
    case "style.css": return .text(BrowserAssets.style, type: "text/css; charset=utf-8", headers: Self.headers)
    case "live.js": return .text(BrowserAssets.script, type: "text/javascript; charset=utf-8", headers: Self.headers)
    case "events":
      return .events(headers: Self.headers) { [weak self] writer in
        self?.state.withLock { $0.writers.append(writer) }
      }
    case let path:
      let (page, status) = page(path, request.query, name)
      return .text(
        page.markup(store: name).text, type: "text/html; charset=utf-8", status: status, headers: Self.headers)
    }
  }

  private func page(_ path: String, _ query: [String: String], _ name: String) -> (page: BrowserPage, status: Int) {
    do {
      return try store.database.read { connection in
        let rows = try StoreRows(connection)
        if path.isEmpty { return (try .overview(rows, store: name), 200) }
        let entity = query["entity"].flatMap { rows.entity($0) }
        switch (path, entity) {
        case ("rows", let entity?):
          let after = query["after"].flatMap { Int64($0) }
          return (try .rows(entity, rows, filter: query["filter"] ?? "", after: after), 200)
        case ("row", let entity?):
          if let id = query["id"].flatMap({ Int64($0) }), let row = try rows.row(entity, id) {
            return (try .row(entity, row, rows), 200)
          }
        default: break
        }
        return (.message("Not there", "The store has no such model, or no such row any more."), 404)
      }
    } catch {
      return (.message("The store cannot be read", "\((error as? StoreError)?.explanation ?? "\(error)")"), 500)
    }
  }
}
