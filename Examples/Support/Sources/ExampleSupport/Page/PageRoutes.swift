public import Foundation
public import LarderTesting

/// Routes of pages for the one person at this machine. They answer only who asks by an address of this machine: a name
/// that another site has led here (DNS rebinding) would make a browser take the page for that site's own.
extension LoopbackServer {
  /// Serves a page, or parts of one.
  public func routePage(_ path: String, handler: @escaping Handler) {
    route(path, handler: atHome(handler))
  }

  /// Serves files that come with the program: a style, a script, a picture.
  ///
  /// - Parameters:
  ///   - names: Their names, by which they are found and served.
  ///   - read: Reads one of them.
  public func routeAssets(_ names: [String], read: (String) throws -> Data) rethrows {
    for name in names {
      let bytes = try read(name)
      let type =
        switch name.split(separator: ".").last {
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
      routePage("/" + name) { _ in .bytes(bytes, type: type, headers: Response.pageHeaders) }
    }
  }

  /// Serves the events of a hub.
  public func routeEvents(of hub: EventHub) {
    routePage("/events") { _ in .events(headers: Response.pageHeaders) { hub.add($0) } }
  }

  /// Answers forms that our own page sends; another site's page may not do what they do.
  public func routeForm(_ path: String, handler: @escaping Handler) {
    route(
      path, method: .post,
      handler: atHome { request in
        // Every browser says the one or the other of a form of another site; whoever says neither is none.
        guard request.headers["sec-fetch-site", default: "same-origin"] == "same-origin",
          request.headers["origin"].map({ $0 == "http://\(request.headers["host"] ?? "")" }) ?? true
        else {
          return .refusal("Only this program's own page may do that.", status: 403)
        }
        return try handler(request)
      })
  }

  private func atHome(_ handler: @escaping Handler) -> Handler {
    let names = ["127.0.0.1", "[::1]", "localhost"]
    // HTTP's own port is not said.
    let hosts = Set(names.map { "\($0):\(port)" } + (port == 80 ? names : []))
    let address = url("/").absoluteString
    return { request in
      guard let host = request.headers["host"], hosts.contains(host.lowercased()) else {
        return .refusal("This is not the page's address: open \(address)", status: 403)
      }
      return try handler(request)
    }
  }
}
