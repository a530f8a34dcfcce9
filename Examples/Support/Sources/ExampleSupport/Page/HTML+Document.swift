extension HTML {
  /// A whole document around what its body says.
  ///
  /// Its style is `page.css`, its scripts `live.js` and `page.js`, its picture `icon.svg`: nothing comes from elsewhere.
  public static func document(title: String, body: HTML) -> HTML {
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
    <body>
    \(body)
    </body>
    </html>

    """
  }
}
