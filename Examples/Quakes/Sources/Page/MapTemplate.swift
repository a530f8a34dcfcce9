import ExampleSupport
import Foundation

/// The world with a circle for each earthquake.
enum MapTemplate {
  /// The radius of a magnitude of 0, and what each step of one multiplies it by: energy grows far faster, but a map
  /// that showed it would show nothing else.
  private static let radiusAtZero = 13.0
  private static let growth = 1.5
  /// Magnitudes beyond these are drawn as these.
  private static let drawn = -1.0...9.5

  static func map(_ world: WorldOutline, circles: HTML) -> HTML {
    """
    <svg id="map" viewBox="0 0 \(Projection.width) \(Projection.height)" role="img" tabindex="0" \
    aria-labelledby="map-label" aria-describedby="map-keys"><g id="world">\(world.markup)</g>\
    <g id="quakes" data-part="map">\(circles)</g>\
    <circle id="ring" r="0"/></svg>
    """
  }

  /// The circles, the largest first, so that none hides a smaller one.
  static func circles(_ model: PageModel) -> HTML {
    model.content.matching
      .sorted { ($1.magnitude, $1.time, $0.code) < ($0.magnitude, $0.time, $1.code) }
      .map { circle($0, age: model.age(of: $0.time)) }
      .joined()
  }

  static func radius(of magnitude: Double) -> Int {
    let magnitude = magnitude.isFinite ? min(max(magnitude, drawn.lowerBound), drawn.upperBound) : 0
    return Int((radiusAtZero * pow(growth, magnitude)).rounded())
  }

  private static func circle(_ quake: QuakeRow, age: PageModel.Age) -> HTML {
    let point = Projection.point(longitude: quake.longitude, latitude: quake.latitude)
    return """
      <circle data-key="\(quake.code)" class="quake \(age.rawValue)" cx="\(point.x)" cy="\(point.y)" \
      r="\(radius(of: quake.magnitude))" data-magnitude="\(Formats.magnitude(quake.magnitude))" \
      data-place="\(quake.place)" data-time="\(seconds(quake.time))" \
      data-moment="\(Formats.moment(quake.time))" data-position="\(position(quake))"/>
      """
  }

  /// For ordering; a date that is beyond all sense is put at the beginning.
  private static func seconds(_ date: Date) -> Int {
    Int(exactly: date.timeIntervalSince1970.rounded()) ?? 0
  }

  private static func position(_ quake: QuakeRow) -> String {
    Formats.position(longitude: quake.longitude, latitude: quake.latitude)
  }

  static var legend: HTML {
    let ages = PageModel.Age.allCases.map { age -> HTML in
      "<span class=\"key\"><i class=\"dot \(age.rawValue)\"></i>\(age.words)</span>"
    }
    let sizes = [2, 4, 6].map { magnitude -> HTML in
      let radius = Self.radius(of: Double(magnitude)) / 10
      return """
        <span class="key"><svg class="size" width="\(2 * radius + 2)" height="\(2 * radius + 2)" aria-hidden="true">\
        <circle cx="\(radius + 1)" cy="\(radius + 1)" r="\(radius)"/></svg>M \(magnitude)</span>
        """
    }
    return """
      <div class="legend" aria-hidden="true"><span class="keys">\(ages.joined())</span>\
      <span class="keys">\(sizes.joined())</span></div>
      """
  }
}
