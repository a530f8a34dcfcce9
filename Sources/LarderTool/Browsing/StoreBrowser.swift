package import Foundation
package import LarderData
import LarderSQLite
import LoopbackServer
import Synchronization

/// A page on 127.0.0.1 that looks through a store, and follows what is written to it. It writes nothing.
///
/// Its address has a random part, so that other users of the machine and other pages of the browser cannot read it.
package final class StoreBrowser: Sendable {
  private let store: SQLiteStore
  private let server: LoopbackServer
  private let token: String
  private let state = Mutex(State())

  private struct State {
    var writers: [LoopbackServer.StreamWriter] = []
    var isStopped = false
  }

  /// How often is looked whether somebody has written: soon enough for an eye.
  private static let pollInterval = 0.25
  /// The page is asked, and told nothing.
  private static let maximumBodySize = 1 << 10
  /// Looks between two signs of life to those who wait: 15 s.
  private static let pollsPerHeartbeat = 60

  /// - Parameters:
  ///   - path: The store's file.
  ///   - port: 0 lets the system choose one.
  package init(_ store: SQLiteStore, path: String, port: UInt16 = 0) throws {
    self.store = store
    var random = SystemRandomNumberGenerator()
    token = (0..<2).map { _ in String(UInt64.random(in: .max / 16 ... .max, using: &random), radix: 16) }.joined()
    // Whoever finds the port may ask, for whatever and as often as he likes: nothing is kept of it.
    server = try LoopbackServer(port: port, bodyLimit: Self.maximumBodySize)
    let start = "/\(token)/"
    let name = URL(filePath: path).lastPathComponent
    server.route(start + "*") { [weak self] request in
      guard let self else { return .text("The program has ended.\n", status: 503, headers: Self.headers) }
      return self.respond(to: request, below: start, name)
    }
    let thread = Thread { [weak self] in
      // The store is open, so that this opens, too; else the page is as it was loaded.
      guard let watcher = try? Connection(path: path, access: .readOnly) else { return }
      defer { watcher.close() }
      var version: Int64?
      var looks = 0
      while true {
        Thread.sleep(forTimeInterval: Self.pollInterval)
        guard let self, !self.state.withLock({ $0.isStopped }) else { return }
        // It changes when another connection has committed.
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

  /// Nothing from elsewhere, no script or style in the page, no frame around it, and its address is told to nobody.
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
    // A name that somebody has led to this machine is none of the page's.
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
