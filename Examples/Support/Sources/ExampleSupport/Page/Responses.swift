internal import Foundation
public import LarderTesting

extension LoopbackServer.Response {
  /// Nothing from elsewhere, no inline script or style, no frame around the page.
  public static let pageHeaders = [
    "Content-Security-Policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
      + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    // To nobody else; without any, a browser would not say either that a form is the page's own.
    "Referrer-Policy": "same-origin",
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
