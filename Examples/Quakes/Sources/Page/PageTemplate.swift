import ExampleSupport
import Foundation

/// The page as a pure function of its view model.
enum PageTemplate {
  /// The parts of the page that change, by the names under which the page's script finds them.
  static func parts(_ model: PageModel) -> [String: HTML] {
    StatusTemplate.parts(model).merging(store(model)) { first, _ in first }
  }

  private static func store(_ model: PageModel) -> [String: HTML] {
    [
      "summary": StatusTemplate.summary(model),
      "map": MapTemplate.circles(model),
      "activity": ActivityTemplate.chart(model),
      "head": TableTemplate.head(model.query),
      "rows": TableTemplate.rows(model),
      "more": TableTemplate.more(model),
    ]
  }

  /// The whole page.
  static func page(_ model: PageModel, world: WorldOutline, drawnAfter events: Int) -> HTML {
    let parts = parts(model)
    func part(_ name: String) -> HTML { parts[name] ?? "" }
    return .document(
      title: "Quakes", drawnAfter: events,
      body: """
        <a class="skip" href="#table">Skip to the table</a>
        <header>
        <h1>Quakes</h1>
        <p data-part="summary">\(part("summary"))</p>
        <div class="chips"><div data-part="status">\(part("status"))</div>\
        <div data-part="synced">\(part("synced"))</div></div>
        <div data-part="banner" aria-live="polite">\(part("banner"))</div>
        </header>
        <p id="lost" role="alert" hidden>Quakes itself has stopped: this is what it showed last. Start it again, and the \
        page goes on.</p>
        <main>
        <section class="world" aria-label="Map">
        <div class="stage">
        \(MapTemplate.map(world, circles: part("map")))
        <div class="zoom" role="group" aria-label="Zoom"><button type="button" data-zoom="in" aria-label="Zoom in">+\
        </button><button type="button" data-zoom="out" aria-label="Zoom out">−</button><button type="button" \
        data-zoom="all" aria-label="The whole world">⤢</button></div>
        <div id="detail" role="status" hidden></div>
        </div>
        \(MapTemplate.legend)
        <p id="map-label" class="hidden">World map of the earthquakes, each a circle by its magnitude</p>
        <p id="map-keys" class="hint">Scroll or press + and − to zoom, drag to move. With the map in focus the arrow keys \
        go from earthquake to earthquake.</p>
        <div class="rhythm" data-part="activity">\(part("activity"))</div>
        </section>
        <section class="list" id="table" aria-label="Table" tabindex="-1">
        \(TableTemplate.form(model.query))
        <div class="scroll" tabindex="0" role="region" aria-label="Earthquakes">
        <table><thead><tr data-part="head">\(part("head"))</tr></thead>
        <tbody data-part="rows">\(part("rows"))</tbody></table>
        <div data-part="more">\(part("more"))</div>
        </div>
        </section>
        </main>
        <footer>Earthquakes: U.S. Geological Survey. Outlines: Natural Earth. Both public domain. \
        The page is drawn from a local store.</footer>
        """)
  }
}
