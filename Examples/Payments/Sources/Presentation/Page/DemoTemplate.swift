import ExampleSupport

/// The bank that comes with the program, and the line to it, as one can set them up.
@MainActor
enum DemoTemplate {
  static func panel(_ demo: DemoViewModel, needsSignIn: Bool) -> HTML {
    """
    <h2 id="demo-title">The bank, and the line to it</h2>\
    <p class="quiet">The bank is a program of its own on this machine. See what becomes of a payment when it fails, or \
    when the line does.</p>\(line(demo.isCut))\(conduct(demo.conduct))\
    \(session(demo.letter, needsSignIn: needsSignIn))
    """
  }

  private static func line(_ isCut: Bool) -> HTML {
    let (action, words, state): (HTML, HTML, HTML) =
      isCut
      ? ("mend", "Mend the line", "The line is cut: no request gets through.")
      : ("cut", "Cut the line", "The line is whole.")
    return """
      <form method="post" action="/line" class="row" data-form="line"><input type="hidden" name="do" value="\(action)">\
      <button id="line">\(words)</button><span class="quiet" id="line-state">\(state)</span></form>
      """
  }

  private static func conduct(_ chosen: BankConduct) -> HTML {
    let options = BankConduct.allCases.map { conduct -> HTML in
      let selected: HTML = conduct == chosen ? " selected" : ""
      return "<option value=\"\(conduct.rawValue)\"\(selected)>\(words(conduct))</option>"
    }
    return """
      <form method="post" action="/bank" class="choice" data-form="bank">\
      <label for="conduct">The bank</label><select id="conduct" name="conduct">\(options.joined())</select>\
      <button id="behave">Set</button></form>
      """
  }

  private static func session(_ letter: String?, needsSignIn: Bool) -> HTML {
    // The letter comes before anybody has noticed that the session is over, and stays until somebody has signed in by it.
    let words: HTML =
      letter.map { "The bank’s letter says: your new code is <code id=\"letter\">\($0)</code>" }
      ?? (needsSignIn ? "You are not signed in." : "You are signed in.")
    return """
      <form method="post" action="/session" class="row" data-form="session"><button id="end-session">End the session\
      </button><span class="quiet">\(words)</span></form>
      """
  }

  /// What it does, in words.
  static func words(_ conduct: BankConduct) -> HTML {
    switch conduct {
    case .well: "works well"
    case .losesAnswers: "loses its answers"
    case .stalls: "never answers"
    case .unavailable: "is out of order (status 503)"
    case .unreliable: "fails every other time"
    }
  }
}
