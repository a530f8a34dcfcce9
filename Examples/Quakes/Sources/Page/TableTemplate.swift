import ExampleSupport
import Foundation

/// The table, and the form that filters it.
enum TableTemplate {
  static func form(_ query: PageQuery) -> HTML {
    let magnitudes: [(String, String)] = [
      ("", "All"), ("1.0", "1 and more"), ("2.5", "2.5 and more"), ("4.5", "4.5 and more"), ("6.0", "6 and more"),
    ]
    let chosen = query.minimum.map { "\($0)" } ?? ""
    var options = magnitudes.map { value, words -> HTML in
      let selected: HTML = value == chosen ? " selected" : ""
      return "<option value=\"\(value)\"\(selected)>\(words)</option>"
    }
    if !magnitudes.contains(where: { $0.0 == chosen }) {
      options.append("<option value=\"\(chosen)\" selected>\(chosen) and more</option>")
    }
    return """
      <form id="filter" method="get" action="/" role="search">\
      <input type="hidden" name="sort" value="\(query.sort.rawValue)">\
      <input type="hidden" name="order" value="\(query.order.rawValue)">\
      <label>Magnitude <select name="min">\(options.joined())</select></label>\
      <label class="grow">Place <input type="search" name="text" value="\(query.text)" \
      maxlength="\(PageQuery.longestText)" placeholder="Alaska, Taiwan …" autocomplete="off"></label>\
      <button type="submit">Show</button></form>
      """
  }

  static func head(_ query: PageQuery) -> HTML {
    let columns: [(PageQuery.Sort, HTML)] = [(.magnitude, "Mag."), (.place, "Place"), (.time, "Time (UTC)")]
    return columns.map { column, title -> HTML in
      let isSorted = column == query.sort
      let direction: HTML = query.order == .ascending ? "ascending" : "descending"
      let state: HTML = isSorted ? " aria-sort=\"\(direction)\"" : ""
      let arrow: HTML = isSorted ? (query.order == .ascending ? "▲" : "▼") : ""
      let link: HTML = """
        <a href="\(query.sorted(by: column).address)" data-sort="\(column.rawValue)">\(title)\
        <span aria-hidden="true" class="arrow">\(arrow)</span></a>
        """
      return "<th scope=\"col\" class=\"\(column.rawValue)\"\(state)>\(link)</th>"
    }.joined() + "<th scope=\"col\" class=\"position\">Position</th>"
  }

  static func rows(_ model: PageModel) -> HTML {
    model.rows.map { quake -> HTML in
      let position = Formats.position(longitude: quake.longitude, latitude: quake.latitude)
      return """
        <tr data-key="\(quake.code)"><td class="magnitude"><span class="badge \(strength(quake.magnitude))">\
        \(Formats.magnitude(quake.magnitude))</span></td><td class="place">\
        <button type="button">\(quake.place)</button></td>\
        <td class="time"><time datetime="\(Formats.machine(quake.time))">\(Formats.minute(quake.time))</time></td>\
        <td class="position">\(position)</td></tr>
        """
    }.joined()
  }

  /// What stands below the rows: nothing, a way to more, or why there is none.
  static func more(_ model: PageModel) -> HTML {
    let count = model.content.matching.count
    if model.content.total == 0 { return "<p class=\"empty\">The store is empty: the first sync fills it.</p>" }
    if count == 0 { return "<p class=\"empty\">No earthquake in the store matches.</p>" }
    guard count > model.rows.count else { return "" }
    var query = model.query
    query.rows = min(PageQuery.mostRows, query.rows * 4)
    return """
      <p><a class="more" href="\(query.address)">Show more (\(model.rows.count.formattedForPeople) of \
      \(count.formattedForPeople) listed)</a></p>
      """
  }

  private static func strength(_ magnitude: Double) -> HTML {
    switch magnitude {
    case ..<2.5: "weak"
    case ..<4.5: "light"
    case ..<6: "strong"
    default: "major"
    }
  }
}
