import ExampleSupport

/// The page as a pure function of its view models, and of what its window shows.
@MainActor
enum PageTemplate {
  /// The parts of the page that change by themselves, by the names under which the page's script finds them.
  static func parts(_ list: PaymentListViewModel, _ sync: SyncManager, _ signIn: SignInViewModel, _ demo: DemoViewModel)
    -> [String: HTML]
  {
    [
      "link": StatusTemplate.link(sync),
      "synced": StatusTemplate.synced(sync),
      "session": SignInTemplate.form(signIn),
      "trouble": StatusTemplate.trouble(sync, list, needsSignIn: signIn.isNeeded),
      "way": WayTemplate.lists(list.onTheirWay, refused: list.refused),
      "payments": PaymentTemplate.list(list.payments),
      "demo": DemoTemplate.panel(demo, needsSignIn: signIn.isNeeded),
    ]
  }

  /// The parts that are one window's own.
  static func ownParts(_ view: PageView) -> [String: HTML] {
    var parts: [String: HTML] = ["problem": view.problem.map { "<p class=\"problem\">\($0)</p>" } ?? ""]
    if let form = view.form { parts["form"] = FormTemplate.fields(form.form, mistakes: form.mistakes) }
    return parts
  }

  /// The whole page.
  static func page(_ parts: [String: HTML], drawnAfter events: Int) -> HTML {
    func part(_ name: String) -> HTML { parts[name] ?? "" }
    return .document(
      title: "Payments", drawnAfter: events,
      body: """
        <a class="skip" href="#payments">Skip to the payments</a>
        <header>
        <h1>Payments</h1>
        <p data-part="link" role="status">\(part("link"))</p>
        <p class="quiet" data-part="synced">\(part("synced"))</p>
        <form method="post" action="/sync" data-form="sync"><button id="sync">Sync now</button></form>
        </header>
        <div data-part="session" id="session" role="status">\(part("session"))</div>
        <div data-part="trouble" id="trouble" role="status">\(part("trouble"))</div>
        <div data-part="problem" id="problem" role="alert">\(part("problem"))</div>
        <p id="said" class="hidden" role="status"></p>
        <p id="lost" class="problem" role="alert" hidden>Payments itself has stopped: this is what it showed last. Start \
        it again, and the page goes on.</p>
        <main>
        <section id="pay" class="card" aria-labelledby="pay-title"><h2 id="pay-title">Pay somebody</h2>
        <form method="post" action="/pay" data-form="pay" class="fields" data-part="form" autocomplete="off" \
        novalidate>\(part("form"))</form></section>
        <div id="lists">
        <div data-part="way" id="way">\(part("way"))</div>
        <section id="payments" class="card" aria-labelledby="payments-title" tabindex="-1">
        <h2 id="payments-title">Payments</h2><div data-part="payments">\(part("payments"))</div></section>
        </div>
        <aside data-part="demo" id="demo" class="card" aria-labelledby="demo-title">\(part("demo"))</aside>
        </main>
        <footer>The page is drawn from a local store, and follows it. Times are this machine’s.</footer>
        """)
  }
}
