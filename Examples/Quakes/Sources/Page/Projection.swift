import Foundation

/// The Equal Earth projection: areas are true, and the world keeps a shape that one knows.
///
/// B. Šavrič, T. Patterson, B. Jenny: The Equal Earth map projection (2018).
enum Projection {
  /// A place on the map, in the map's own units; whole ones are fine enough to draw.
  struct Point: Hashable, Sendable {
    var x: Int
    var y: Int
  }

  static let width = 10_000
  static let height = 4_990
  /// Room around the world, for circles at its edge.
  private static let margin = 120

  private static let a1 = 1.340264
  private static let a2 = -0.081106
  private static let a3 = 0.000893
  private static let a4 = 0.003796
  private static let m = 3.0.squareRoot() / 2
  /// The map's units for one of the projection's: half the equator is 2.70663 long.
  private static let scale = Double(width - 2 * margin) / (2 * 2.706_629_97)

  /// Projects a place; longitudes beyond the date line are brought back to the map.
  static func point(longitude: Double, latitude: Double) -> Point {
    var degrees = longitude.isFinite ? longitude.remainder(dividingBy: 360) : 0
    // The outlines end on the date line on either side: each end stays on its own.
    if abs(longitude) <= 180 { degrees = longitude }
    let lambda = degrees * .pi / 180
    let phi = min(max(latitude.isFinite ? latitude : 0, -90), 90) * .pi / 180

    let theta = asin(m * sin(phi))
    let square = theta * theta
    let sixth = square * square * square
    let x = lambda * cos(theta) / (m * (a1 + 3 * a2 * square + sixth * (7 * a3 + 9 * a4 * square)))
    let y = theta * (a1 + a2 * square + sixth * (a3 + a4 * square))
    return Point(
      x: Int((Double(width) / 2 + x * scale).rounded()), y: Int((Double(height) / 2 - y * scale).rounded()))
  }
}
