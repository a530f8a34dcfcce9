public import Foundation
public import LarderTesting

extension LoopbackServer.Response {
  /// Nothing from elsewhere, no inline script or style, no frame around the page.
  public static let pageHeaders = [
    "Content-Security-Policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
      + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
  ]

  /// A page of markup.
  public static func page(_ markup: HTML, status: Int = 200) -> Self {
    .text(markup.text, type: "text/html; charset=utf-8", status: status, headers: pageHeaders)
  }

  /// The parts of a page by their names, for its script to put in place.
  public static func parts(_ parts: [String: HTML], status: Int = 200) throws -> Self {
    .bytes(
      try JSONEncoder().encode(parts.mapValues(\.text)), type: "application/json", status: status, headers: pageHeaders)
  }

  /// Sends the browser to another page of ours, as the answer to a form.
  public static func seeOther(_ path: String) -> Self {
    .text("", status: 303, headers: pageHeaders.merging(["Location": path]) { $1 })
  }

  /// A refusal, in words.
  public static func refusal(_ words: String, status: Int) -> Self {
    .text(words + "\n", status: status, headers: pageHeaders)
  }
}

extension LoopbackServer {
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
      route("/" + name) { _ in .bytes(bytes, type: type, headers: Response.pageHeaders) }
    }
  }

  /// Serves the events of a hub.
  public func routeEvents(of hub: EventHub) {
    route("/events") { _ in .events(headers: Response.pageHeaders) { hub.add($0) } }
  }

  /// Answers forms that our own page sends; another site's page may not do what they do.
  public func routeForm(_ path: String, handler: @escaping Handler) {
    route(path, method: .post) { request in
      guard request.headers["sec-fetch-site", default: "same-origin"] == "same-origin" else {
        return .refusal("Only this program's own page may do that.", status: 403)
      }
      return try handler(request)
    }
  }
}
