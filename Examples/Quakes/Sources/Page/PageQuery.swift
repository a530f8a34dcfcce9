import Foundation

/// What a reader of the page asks for, as its address says it.
struct PageQuery: Hashable, Sendable {
  enum Sort: String, CaseIterable, Sendable {
    case time, magnitude, place
  }

  enum Order: String, Sendable {
    case ascending = "asc"
    case descending = "desc"

    var reversed: Order { self == .ascending ? .descending : .ascending }
  }

  /// How many rows the table has at first: two screens, drawn in an instant.
  static let rowsAtFirst = 100
  /// No week of the feed has more.
  static let mostRows = 20_000
  /// Longer than any place's name.
  static let longestText = 200

  var sort = Sort.time
  var order = Order.descending
  /// The smallest magnitude to show; nil for all.
  var minimum: Double?
  /// What the place's name has to contain; empty for all.
  var text = ""
  var rows = PageQuery.rowsAtFirst
}

extension PageQuery {
  /// Reads a query's parameters; what makes no sense is left at its default.
  init(_ parameters: [String: String]) {
    sort = parameters["sort"].flatMap(Sort.init) ?? .time
    order = parameters["order"].flatMap(Order.init) ?? Self.firstOrder(of: sort)
    minimum = parameters["min"].flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
    text = String((parameters["text"] ?? "").trimmingCharacters(in: .whitespaces).prefix(Self.longestText))
    rows = min(max(parameters["rows"].flatMap { Int($0) } ?? Self.rowsAtFirst, 1), Self.mostRows)
  }

  /// The order that one wants first: the newest, the largest, the alphabet.
  static func firstOrder(of sort: Sort) -> Order {
    sort == .place ? .ascending : .descending
  }

  /// The address of the page that shows this.
  var address: String {
    var items = [URLQueryItem(name: "sort", value: sort.rawValue), URLQueryItem(name: "order", value: order.rawValue)]
    if let minimum { items.append(URLQueryItem(name: "min", value: "\(minimum)")) }
    if !text.isEmpty { items.append(URLQueryItem(name: "text", value: text)) }
    if rows != Self.rowsAtFirst { items.append(URLQueryItem(name: "rows", value: "\(rows)")) }
    var components = URLComponents()
    components.path = "/"
    components.queryItems = items
    // A plus sign means a space to forms, and is left alone by URLComponents.
    let encoded = components.percentEncodedQuery?.replacing("+", with: "%2B") ?? ""
    return "/?" + encoded
  }

  /// The same, sorted by another column, or by the same one the other way round.
  func sorted(by column: Sort) -> PageQuery {
    var query = self
    query.order = column == sort ? order.reversed : Self.firstOrder(of: column)
    query.sort = column
    return query
  }
}
