import ExampleSupport
import Foundation

/// Whether the store is in step with the origin, and how old it is if not.
enum StatusTemplate {
  /// The parts by their names: apart, as the time of the last sync is no news, and the others are.
  static func parts(_ model: PageModel) -> [String: HTML] {
    ["status": origin(model) + control(model), "synced": lastSync(model), "banner": banner(model)]
  }

  static func summary(_ model: PageModel) -> HTML {
    let total = model.content.total
    let matching = model.content.matching.count
    let count: HTML =
      matching == total
      ? "<b id=\"count\">\(total.formattedForPeople)</b> earthquakes"
      : "<b id=\"count\">\(matching.formattedForPeople)</b> of \(total.formattedForPeople) earthquakes"
    guard let largest = model.content.largest else { return count }
    return """
      \(count)<span class="sep">·</span>largest <b>M \(Formats.magnitude(largest.magnitude))</b> \(largest.place)
      """
  }

  private static func origin(_ model: PageModel) -> HTML {
    let (state, words): (HTML, HTML) =
      switch model.status.origin {
      case .unknown: ("unknown", "Origin not asked yet")
      case .reachable: ("reachable", "Origin reachable")
      case .unreachable: ("unreachable", "Origin cannot be reached")
      }
    let replayed: HTML =
      model.isReplayed
      ? """
      <span class="chip" title="A real week of 2018, its last two days played again; some magnitudes are revised \
      for show.">replayed</span>
      """ : ""
    return "<span id=\"origin\" class=\"chip \(state)\"><i></i>\(words)</span>\(replayed)"
  }

  private static func lastSync(_ model: PageModel) -> HTML {
    guard let date = model.status.lastSync else { return "<span id=\"synced\" class=\"quiet\">Never synced</span>" }
    return "<span id=\"synced\" class=\"quiet\">Synced \(moment(date, model))</span>"
  }

  private static func moment(_ date: Date, _ model: PageModel) -> HTML {
    let ago = Formats.ago(model.now.timeIntervalSince(date))
    return """
      <time data-ago datetime="\(Formats.machine(date))" title="\(Formats.moment(date)) UTC">\(ago)</time>
      """
  }

  private static func control(_ model: PageModel) -> HTML {
    guard model.canControlOrigin else { return "" }
    let stops = model.status.origin != .unreachable
    let (action, words): (HTML, HTML) = stops ? ("stop", "Stop the origin") : ("start", "Start the origin")
    return """
      <form id="control" method="post" action="/origin/\(action)"><button type="submit">\(words)</button></form>
      """
  }

  private static func banner(_ model: PageModel) -> HTML {
    guard let trouble = model.status.trouble else { return "" }
    guard model.status.origin == .unreachable else { return "<p class=\"banner\">\(trouble)</p>" }
    let count = model.content.total.formattedForPeople
    let age: HTML =
      model.status.lastSync.map { "last in step \(moment($0, model)) (\(Formats.moment($0)) UTC)" }
      ?? "never yet in step with the origin"
    return "<p class=\"banner offline\">\(trouble) Shown are its \(count) earthquakes, \(age).</p>"
  }
}
