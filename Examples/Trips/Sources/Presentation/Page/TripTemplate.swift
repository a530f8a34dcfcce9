import ExampleSupport
import Foundation

/// A trip in the list.
enum TripTemplate {
  static func card(_ trip: Trip) -> HTML {
    article(
      trip,
      """
      <h2 id="name-\(trip.id)">\(trip.name)</h2>\(days(trip))\(legs(trip))\
      <div class="words">\(list("people", "With", trip.people))\(list("tags", "Tags", trip.tags))</div>\
      <a class="button" id="edit-\(trip.id)" data-go href="\(PageView.address(editing: trip.id))" \
      aria-label="Edit \(trip.name)">Edit</a>
      """)
  }

  /// What stands around a trip, be it shown or edited.
  static func article(_ trip: Trip, _ content: HTML) -> HTML {
    "<article data-key=\"\(trip.id)\" aria-labelledby=\"name-\(trip.id)\">\(content)</article>"
  }

  private static func days(_ trip: Trip) -> HTML {
    let first = time(trip.startDate)
    return trip.startDate == trip.endDate
      ? "<p class=\"days\">\(first)</p>" : "<p class=\"days\">\(first) – \(time(trip.endDate))</p>"
  }

  private static func time(_ date: Date) -> HTML {
    "<time datetime=\"\(Days.machine(date))\">\(Days.words(date))</time>"
  }

  private static func legs(_ trip: Trip) -> HTML {
    guard !trip.legs.isEmpty else { return "<p class=\"quiet\">No legs: one stays where one is.</p>" }
    let legs = trip.legs.map { leg -> HTML in
      """
      <li data-key="\(leg.id.uuidString)"><span class="means \(leg.means.rawValue)">\(leg.means.rawValue)</span> \
      \(leg.origin) <span aria-hidden="true">→</span><span class="hidden">to</span> \(leg.destination)</li>
      """
    }
    return "<ol class=\"legs\" aria-label=\"Legs\">\(legs.joined())</ol>"
  }

  private static func list(_ kind: HTML, _ title: HTML, _ names: [String]) -> HTML {
    guard !names.isEmpty else { return "" }
    let items = names.map { name -> HTML in "<li>\(name)</li>" }
    return "<ul class=\"\(kind)\" aria-label=\"\(title)\">\(items.joined())</ul>"
  }
}
