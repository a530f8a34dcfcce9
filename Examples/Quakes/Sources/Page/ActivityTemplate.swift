import ExampleSupport
import Foundation

/// How many earthquakes there were, hour by hour: a bar for each few hours of the week.
enum ActivityTemplate {
  private static let hoursPerBar = 3
  private static let bars = 7 * 24 / hoursPerBar
  /// From here on an earthquake is felt widely, and worth a colour of its own.
  private static let strong = 4.5
  private static let barWidth = 10
  private static let height = 60

  static func chart(_ model: PageModel) -> HTML {
    let span = TimeInterval(hoursPerBar * 3600)
    // Whole hours of the day, so that a new earthquake makes its bar grow and moves none.
    func slot(of date: Date) -> Double { (date.timeIntervalSince1970 / span).rounded(.down) }
    let last = slot(of: model.end)
    var all = [Int](repeating: 0, count: bars)
    var strongOnes = all
    for quake in model.content.matching {
      let distance = last - slot(of: quake.time)
      guard distance.isFinite, distance >= 0, distance < Double(bars) else { continue }
      let bar = bars - 1 - Int(distance)
      all[bar] += 1
      if quake.magnitude >= strong { strongOnes[bar] += 1 }
    }
    let most = max(all.max() ?? 0, 1)
    let drawn = (0..<bars).map { bar -> HTML in
      guard all[bar] > 0 else { return "" }
      let tall = max(1, all[bar] * height / most)
      let end = Date(timeIntervalSince1970: span * (last + 1 - Double(bars - 1 - bar)))
      let title: HTML = """
        \(Formats.moment(end.addingTimeInterval(-span))) to \(Formats.moment(end)): \(all[bar])
        """
      let strong = strongOnes[bar] == 0 ? 0 : max(2, strongOnes[bar] * height / most)
      return "<g><title>\(title)</title>\(rect(bar, tall, ""))\(rect(bar, strong, "strong"))</g>"
    }
    return """
      <p class="caption">Earthquakes for each \(hoursPerBar) hours, <b>magnitude 4.5 and more</b> in red; at most \
      \(most)</p>\
      <svg class="activity" viewBox="0 0 \(bars * barWidth) \(height)" preserveAspectRatio="none" role="img" \
      aria-label="Earthquakes for each \(hoursPerBar) hours of the week, \(most) at most">\(drawn.joined())</svg>\
      <div class="days" aria-hidden="true">\(days(model))</div>
      """
  }

  private static func rect(_ bar: Int, _ tall: Int, _ kind: HTML) -> HTML {
    guard tall > 0 else { return "" }
    return """
      <rect class="\(kind)" x="\(bar * barWidth + 1)" y="\(height - tall)" width="\(barWidth - 2)" height="\(tall)"/>
      """
  }

  private static func days(_ model: PageModel) -> HTML {
    (0..<7).reversed().map { day -> HTML in
      "<span>\(Formats.day(model.end.addingTimeInterval(TimeInterval(-86_400 * day))))</span>"
    }.joined()
  }
}
