import Foundation
import LarderData

/// The pages of the browser. A page contains only data that was read from the store.
struct BrowserPage {
  let title: String
  /// The class whose rows can be filtered, and the filter.
  var filtering: (entity: String, filter: String)?
  let content: Markup

  func markup(store: String) -> Markup {
    let form: Markup =
      filtering.map { entity, filter in
        """
        <form action="rows" role="search"><input type="hidden" name="entity" value="\(entity)">\
        <label>Filter <input type="search" name="filter" value="\(filter)" maxlength="200"></label>\
        <button>Show</button></form>
        """
      } ?? ""
    return """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><title>\(title)</title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <link rel="stylesheet" href="style.css"><script src="live.js" defer></script></head>
      <body><a class="skip" href="#rows">To the content</a>
      <header><p><a href="./">\(store)</a></p>\(form)<p id="state" role="status"></p></header>
      <main id="rows" tabindex="-1"><h1>\(title)</h1>\(content)</main></body></html>
      """
  }

  // MARK: Pages

  static func overview(_ rows: StoreRows, store: String) throws -> BrowserPage {
    let lines = try rows.outline.entities.map { entity -> Markup in
      let above: Markup = entity.superclass.map { " <small>inherits from \($0)</small>" } ?? ""
      return """
        <tr><th scope="row"><a href="\(address(entity.name))">\(entity.name)</a>\(above)</th>\
        <td class="number">\(try rows.count(entity))</td><td>\(entity.attributes.map(\.name).joined(separator: ", "))</td></tr>
        """
    }
    return BrowserPage(
      title: store,
      content: table(["Model", "Rows", "Columns"], lines, empty: "The store has no models."))
  }

  static func rows(
    _ entity: SchemaSummary.Entity, _ rows: StoreRows, filter: String, after: Int64?
  ) throws -> BrowserPage {
    let found = try rows.rows(entity, matching: filter, after: after ?? .min)
    let shown = found.prefix(StoreRows.pageSize)
    let attributes = entity.attributes.prefix(StoreRows.maximumColumnCount)
    let lines = shown.map { row -> Markup in
      let cells = zip(attributes, row.values).map { attribute, value -> Markup in cell(value, attribute) }
      return """
        <tr><th scope="row"><a href="\(address(entity.name, row.id))">\(row.id)</a></th>\(.joined(cells))</tr>
        """
    }
    var parts: [Markup] = [
      table(
        ["Row"] + attributes.map(\.name), lines,
        empty: filter.isEmpty ? "There are no rows." : "No row has that in one of its columns.")
    ]
    if attributes.count < entity.attributes.count {
      parts.append("<p>A row has \(entity.attributes.count - attributes.count) columns more.</p>")
    }
    var ways: [Markup] = []
    if after != nil { ways.append("<a href=\"\(address(entity.name, filter: filter))\">First rows</a>") }
    if found.count > StoreRows.pageSize, let last = shown.last {
      ways.append("<a rel=\"next\" href=\"\(address(entity.name, filter: filter, after: last.id))\">Next rows</a>")
    }
    parts.append("<nav aria-label=\"Pages\">\(.joined(ways))</nav>")
    return BrowserPage(title: entity.name, filtering: (entity.name, filter), content: .joined(parts))
  }

  static func row(_ entity: SchemaSummary.Entity, _ row: StoreRows.Row, _ rows: StoreRows) throws -> BrowserPage {
    var lines = try zip(entity.attributes, row.values).map { attribute, value -> Markup in
      var shown = value.markup(attribute.valueType)
      if case .integer(let number) = value, let destination = attribute.destination {
        shown = link(destination, number, try rows.label(of: number, destination))
      }
      return line(attribute.name, attribute.destination ?? attribute.valueType, shown)
    }
    lines += try entity.externals.map { external in
      line(external.property, external.valueType, try rows.value(of: external, row.id).markup(external.valueType))
    }
    lines += try entity.relationships.map { relationship in
      let related = try rows.related(relationship, to: row.id)
      let items = related.prefix(StoreRows.pageSize).map { one -> Markup in
        "<li>\(link(relationship.destination, one.id, one.label))</li>"
      }
      let more: Markup = related.count > StoreRows.pageSize ? "<p>and more</p>" : ""
      let list: Markup = items.isEmpty ? "<i>none</i>" : "<ol>\(.joined(items))</ol>\(more)"
      return line(relationship.name, "\(relationship.isToMany ? "many " : "")\(relationship.destination)", list)
    }
    return BrowserPage(
      title: "\(entity.name) \(row.id)", filtering: (entity.name, ""),
      content: "<p><a href=\"\(address(entity.name))\">All of \(entity.name)</a></p><dl>\(.joined(lines))</dl>")
  }

  static func message(_ title: String, _ text: String) -> BrowserPage {
    BrowserPage(title: title, content: "<p>\(text)</p>")
  }

  // MARK: Components

  private static func address(_ entity: String, filter: String = "", after: Int64? = nil) -> String {
    "rows?entity=\(Markup.query(entity))" + (filter.isEmpty ? "" : "&filter=\(Markup.query(filter))")
      + (after.map { "&after=\($0)" } ?? "")
  }

  private static func address(_ entity: String, _ row: Int64) -> String {
    "row?entity=\(Markup.query(entity))&id=\(row)"
  }

  private static func link(_ entity: String, _ row: Int64, _ label: String) -> Markup {
    "<a href=\"\(address(entity, row))\">\(label)</a>"
  }

  private static func table(_ heads: [String], _ lines: [Markup], empty: String) -> Markup {
    if lines.isEmpty { return "<p>\(empty)</p>" }
    let head = heads.map { name -> Markup in "<th scope=\"col\">\(name)</th>" }
    return """
      <div class="wide" tabindex="0" role="region" aria-label="Table"><table><thead><tr>\(.joined(head))</tr></thead>\
      <tbody>\(.joined(lines))</tbody></table></div>
      """
  }

  private static func cell(_ value: StoreRows.DisplayValue, _ attribute: SchemaSummary.Attribute) -> Markup {
    if case .integer(let number) = value, let destination = attribute.destination {
      return "<td class=\"number\">\(link(destination, number, String(number)))</td>"
    }
    return value.isNumber
      ? "<td class=\"number\">\(value.markup(attribute.valueType))</td>"
      : "<td>\(value.markup(attribute.valueType))</td>"
  }

  private static func line(_ name: String, _ type: String, _ value: Markup) -> Markup {
    "<dt>\(name) <small>\(type)</small></dt><dd>\(value)</dd>"
  }
}

extension StoreRows.DisplayValue {
  var isNumber: Bool {
    switch self {
    case .integer, .real: true
    default: false
    }
  }

  /// Returns the value as markup.
  ///
  /// - Parameter type: The property's type in Swift.
  func markup(_ type: String) -> Markup {
    let bare = type.prefix { $0 != "?" }
    switch self {
    case .null: return "<i>nil</i>"
    case .integer(let number): return bare == "Bool" ? "\(number == 0 ? "false" : "true")" : "\(number)"
    case .real(let number):
      // Only dates within these years can be formatted.
      guard bare == "Date", abs(number) < 2e11 else { return "\(String(number))" }
      let date = Date(timeIntervalSinceReferenceDate: number).formatted(.iso8601)
      return "<time datetime=\"\(date)\" title=\"\(String(number))\">\(date)</time>"
    case .text(let text, let isTruncated): return isTruncated ? "<span>\(text)…</span>" : "<span>\(text)</span>"
    case .bytes(let count): return "<i>\(count) bytes</i>"
    }
  }
}
