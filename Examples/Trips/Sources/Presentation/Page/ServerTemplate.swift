import ExampleSupport
import Foundation

/// The trips' server, as one can set it up.
enum ServerTemplate {
  static func panel(_ server: ServerViewModel) -> HTML {
    """
    <h2 id="server-title">The trips’ server</h2>\
    <p class="quiet">A small server within this program plays the part of the API. What it offers comes with the next \
    sync: names and days are the server’s; legs, people and tags come with a new trip and are yours from then on.</p>\
    \(behaviour(server.behaviour))\
    <h3>It offers</h3><ul class="offers">\(server.offers.map(offer).joined())</ul>\(another)
    """
  }

  /// What it does, in words.
  static func words(_ behaviour: ServerBehaviour) -> HTML {
    switch behaviour {
    case .well: "well"
    case .late: "well, but slowly"
    case .error: "with an error (status 500)"
    case .silent: "never"
    case .html: "with a web page"
    case .truncated: "with half of its answer"
    case .nonsense: "with nonsense"
    case .gone: "not at all: it is stopped"
    }
  }

  private static func behaviour(_ chosen: ServerBehaviour) -> HTML {
    let options = ServerBehaviour.allCases.map { behaviour -> HTML in
      let selected: HTML = behaviour == chosen ? " selected" : ""
      return "<option value=\"\(behaviour.rawValue)\"\(selected)>\(words(behaviour))</option>"
    }
    return """
      <form method="post" action="/server/behaviour" class="row" data-form="behaviour">\
      <label>It answers <select id="behaviour" name="behaviour">\(options.joined())</select></label>\
      <button id="behave">Set</button></form>
      """
  }

  private static func offer(_ trip: Trip) -> HTML {
    """
    <li data-key="\(trip.id)"><details id="offer-\(trip.id)"><summary>\(trip.name)</summary>\
    \(fields("offer", trip, "Change the offer"))</details></li>
    """
  }

  private static var another: HTML {
    let empty = Trip(id: "", name: "", startDate: .distantFuture, endDate: .distantFuture)
    return """
      <details id="offer-another"><summary>Another trip</summary>\(fields("another", empty, "Offer it"))</details>
      """
  }

  private static func fields(_ kind: HTML, _ trip: Trip, _ words: HTML) -> HTML {
    let isNew = trip.id.isEmpty
    let (first, last) = isNew ? ("", "") : (Days.machine(trip.startDate), Days.machine(trip.endDate))
    return """
      <form method="post" action="/server/trip" data-form="offer"><input type="hidden" name="id" value="\(trip.id)">\
      <label>Name<input id="\(kind)-name-\(trip.id)" name="name" value="\(trip.name)" maxlength="\(Trip.longestText)" \
      required></label><div class="pair">\
      <label>First day<input id="\(kind)-first-\(trip.id)" type="date" name="first-day" value="\(first)" required>\
      </label><label>Last day<input id="\(kind)-last-\(trip.id)" type="date" name="last-day" value="\(last)" required>\
      </label></div><button id="\(kind)-set-\(trip.id)">\(words)</button></form>
      """
  }
}
