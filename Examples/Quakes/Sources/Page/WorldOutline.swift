import ExampleSupport
import Foundation

/// The map that lies beneath the earthquakes: computed once, as it never changes.
struct WorldOutline: Sendable {
  /// The paths, in the map's units.
  let markup: HTML

  private struct Countries: Decodable {
    let features: [Feature]
    struct Feature: Decodable { let geometry: Geometry }
    struct Geometry: Decodable { let coordinates: [[[Double]]] }
  }

  /// - Parameter countries: GeoJSON with a polygon for each country.
  init(countries: Data) throws {
    let rings = try JSONDecoder().decode(Countries.self, from: countries).features.flatMap(\.geometry.coordinates)
    let land = rings.map { Self.path($0.filter { $0.count >= 2 }.map { ($0[0], $0[1]) }, closed: true) }.joined()
    let graticule = Self.meridians.map { Self.path($0) }.joined() + Self.parallels.map { Self.path($0) }.joined()
    let sphere = Self.path(Self.edge, closed: true)
    markup = HTML(
      trusted: """
        <path class="sea" d="\(sphere)"/><path class="graticule" d="\(graticule)"/><path class="land" d="\(land)"/>\
        <path class="edge" d="\(sphere)"/>
        """)
  }

  static func bundled() throws -> WorldOutline {
    try WorldOutline(countries: Resources.data("countries-110m.geojson"))
  }

  /// Steps that make a curve of a meridian.
  private static let latitudes = stride(from: -90.0, through: 90, by: 3)

  private static let meridians = stride(from: -150.0, through: 150, by: 30).map { longitude in
    latitudes.map { (longitude, $0) }
  }

  private static let parallels = stride(from: -60.0, through: 60, by: 30).map { latitude in
    [(-180.0, latitude), (180.0, latitude)]
  }

  private static let edge = latitudes.map { (-180.0, $0) } + latitudes.reversed().map { (180.0, $0) }

  /// A path through places, each point relative to the one before, which halves its length. Nothing, if at the map's
  /// scale it is no more than a point: a path needs two.
  private static func path(_ places: [(Double, Double)], closed: Bool = false) -> String {
    var start = ""
    var steps = ""
    var last: Projection.Point?
    for (longitude, latitude) in places {
      let point = Projection.point(longitude: longitude, latitude: latitude)
      if let last {
        if last == point { continue }
        let y = point.y - last.y
        steps += "\(point.x - last.x)\(y < 0 ? "" : ",")\(y) "
      } else {
        start = "M\(point.x),\(point.y)l"
      }
      last = point
    }
    return steps.isEmpty ? "" : start + steps + (closed ? "z" : "")
  }
}
