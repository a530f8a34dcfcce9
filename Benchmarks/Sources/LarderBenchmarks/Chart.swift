import Foundation

/// A picture of the table: how many times plain C each row takes, with a mark where its budget is.
struct Chart {
  private let rows: [Measurement]
  private let longest: Double

  private static let width = 960
  private static let labels = 430
  private static let lineHeight = 22
  private static let top = 64
  private static let bottom = 44

  init(_ rows: [Measurement]) {
    self.rows = rows
    longest = max(2, rows.map { max($0.ratio, $0.budget ?? 0) }.filter(\.isFinite).max() ?? 0).rounded(.up)
  }

  private var height: Int { Self.top + rows.count * Self.lineHeight + Self.bottom }
  private func x(_ ratio: Double) -> Int {
    Self.labels + Int(Double(Self.width - Self.labels - 60) * min(max(ratio, 0), longest) / longest)
  }

  var svg: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(height)" role="img" aria-labelledby="title about">
      <title id="title">Time beside plain C</title>
      <desc id="about">How many times as long as plain C each piece of work takes. A line marks its budget.</desc>
      <style>
        svg { color-scheme: light dark; font: 13px system-ui, sans-serif; }
        text { fill: light-dark(#1c1c1e, #f2f2f7); }
        .title { font-size: 17px; font-weight: 600; }
        .bar { fill: light-dark(#3b7dd8, #6aa5f2); }
        .over { fill: light-dark(#c4532d, #f08a63); }
        .told { fill: light-dark(#8e8e93, #a1a1a6); }
        .budget { stroke: light-dark(#1c1c1e, #f2f2f7); stroke-width: 2; }
        .scale { stroke: light-dark(#d1d1d6, #48484a); }
      </style>
      <text class="title" x="16" y="28">Time beside plain C, median of the rounds (1 is as fast)</text>
      <text x="16" y="48">A line marks the budget.</text>
    \(scale)
    \(rows.enumerated().map(line).joined(separator: "\n"))
    </svg>

    """
  }

  private var scale: String {
    (0...Int(longest)).map { number in
      let (x, end) = (x(Double(number)), height - Self.bottom)
      return """
          <line class="scale" x1="\(x)" y1="\(Self.top)" x2="\(x)" y2="\(end)"/>
          <text x="\(x)" y="\(end + 18)" text-anchor="middle">\(number)</text>
        """
    }.joined(separator: "\n")
  }

  private func line(_ index: Int, _ row: Measurement) -> String {
    let y = Self.top + index * Self.lineHeight
    let kind = row.budget == nil ? "told" : row.isWithinBudget ? "bar" : "over"
    let mark = row.budget.map { budget in
      "\n    <line class=\"budget\" x1=\"\(x(budget))\" y1=\"\(y + 2)\" x2=\"\(x(budget))\" y2=\"\(y + 20)\"/>"
    }
    return """
        <text x="\(Self.labels - 10)" y="\(y + 16)" text-anchor="end">\(escaped(row.name))</text>
        <rect class="\(kind)" x="\(x(0))" y="\(y + 4)" width="\(max(1, x(row.ratio) - x(0)))" height="14" rx="2"/>\(mark ?? "")
        <text x="\(Self.width - 8)" y="\(y + 16)" text-anchor="end">\(String(format: "%.2f", row.ratio))</text>
      """
  }

  private func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
