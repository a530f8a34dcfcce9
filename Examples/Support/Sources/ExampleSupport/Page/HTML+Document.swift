extension HTML {
  /// A whole document around what its body says.
  ///
  /// Its style is `page.css`, its scripts `live.js` and `page.js`, its picture `icon.svg`: nothing comes from elsewhere.
  ///
  /// - Parameters:
  ///   - title: What the window is called.
  ///   - events: How many events the hub had sent before it was drawn, by which its script knows whether it is out of
  ///     date when it begins to listen.
  ///   - body: What it says.
  public static func document(title: String, drawnAfter events: Int, body: HTML) -> HTML {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(title)</title>
    <link rel="icon" href="/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/page.css">
    <script src="/live.js" defer></script>
    <script src="/page.js" defer></script>
    </head>
    <body data-events="\(events)">
    \(body)
    </body>
    </html>

    """
  }
}
