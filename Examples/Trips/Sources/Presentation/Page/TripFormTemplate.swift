import ExampleSupport
import Foundation

/// A trip in the list while it is edited: one plain form, each of whose buttons sends all of it.
enum TripFormTemplate {
  static func card(_ trip: Trip, _ view: PageView) -> HTML {
    let form = view.draft ?? TripForm(trip)
    return TripTemplate.article(
      trip,
      """
      <form method="post" action="/trip" class="edit" data-form="trip" autocomplete="off">\
      <h2 id="name-\(trip.id)">Edit \(trip.name)</h2>\(first)\(problem(view))\
      <p id="elsewhere" class="note" role="status" hidden>This trip has just been changed elsewhere. To save replaces \
      that, to cancel shows it.</p>\
      <input type="hidden" name="id" value="\(form.id)">\
      <input type="hidden" name="seen" value="\(form.seen.rawValue)">\
      \(field("Name", "name", form.name, atMost: Trip.longestText, "required"))\
      <div class="pair">\(day("First day", "first-day", form.firstDay))\(day("Last day", "last-day", form.lastDay))\
      </div>\(field("People, with commas between them", "people", form.people, atMost: longestList))\
      \(field("Tags, with commas between them", "tags", form.tags, atMost: longestList))\
      <fieldset><legend>Legs</legend>\(legs(form.legs))\
      <button id="add" name="do" value="add">Add a leg</button></fieldset>\
      <div class="row"><button id="save" class="main" name="do" value="save">Save</button>\
      <a class="button" id="cancel" data-go href="/">Cancel</a></div></form>
      """)
  }

  /// Enter in a field presses the form's first button, which therefore saves. Nobody sees it or comes to it by Tab.
  private static let first: HTML = """
    <button name="do" value="save" class="hidden" tabindex="-1" aria-hidden="true">Save</button>
    """

  private static func problem(_ view: PageView) -> HTML {
    guard let problem = view.problem else { return "" }
    return "<p id=\"problem\" class=\"problem\" role=\"alert\">\(problem)</p>"
  }

  /// As many names as there may be, with a comma and a space behind each.
  private static let longestList = (Trip.longestText + 2) * Trip.mostNames

  private static func field(
    _ title: HTML, _ name: HTML, _ value: String, atMost length: Int, _ more: HTML = ""
  ) -> HTML {
    """
    <label>\(title)<input id="field-\(name)" name="\(name)" value="\(value)" maxlength="\(length)" \(more)></label>
    """
  }

  private static func day(_ title: HTML, _ name: HTML, _ value: String) -> HTML {
    "<label>\(title)<input id=\"field-\(name)\" type=\"date\" name=\"\(name)\" value=\"\(value)\" required></label>"
  }

  private static func legs(_ legs: [TripForm.LegFields]) -> HTML {
    let items = legs.enumerated().map { index, leg in item(leg, number: index + 1, of: legs.count) }
    return "<ol class=\"fields\">\(items.joined())</ol>"
  }

  private static func item(_ leg: TripForm.LegFields, number: Int, of count: Int) -> HTML {
    let id = leg.id.uuidString
    let means = TravelMeans.allCases.map { means -> HTML in
      let selected: HTML = means == leg.means ? " selected" : ""
      return "<option\(selected)>\(means.rawValue)</option>"
    }
    func button(_ action: HTML, _ sign: HTML, _ words: HTML) -> HTML {
      """
      <button id="\(action)-\(id)" name="do" value="\(action):\(id)" aria-label="\(words) leg \(number)">\(sign)</button>
      """
    }
    return """
      <li data-key="\(id)"><input type="hidden" name="leg-id" value="\(id)">\
      <input id="from-\(id)" name="leg-from" value="\(leg.origin)" maxlength="\(Trip.longestText)" \
      aria-label="Leg \(number) from" placeholder="From">\
      <input id="to-\(id)" name="leg-to" value="\(leg.destination)" maxlength="\(Trip.longestText)" \
      aria-label="Leg \(number) to" placeholder="To">\
      <select id="by-\(id)" name="leg-by" aria-label="Leg \(number) by">\(means.joined())</select>\
      <span class="tools">\(number > 1 ? button("up", "↑", "Move up") : "")\
      \(number < count ? button("down", "↓", "Move down") : "")\(button("remove", "✕", "Remove"))</span></li>
      """
  }
}
