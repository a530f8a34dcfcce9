import ExampleSupport
import Testing

@testable import quakes

@Suite struct ProjectionTests {
  @Test func theMiddleAndTheEdges() {
    let middle = Projection.point(longitude: 0, latitude: 0)
    #expect(middle == Projection.Point(x: Projection.width / 2, y: Projection.height / 2))
    let east = Projection.point(longitude: 180, latitude: 0)
    let west = Projection.point(longitude: -180, latitude: 0)
    #expect(east.x + west.x == Projection.width)
    #expect(east.x <= Projection.width && west.x >= 0)
    let north = Projection.point(longitude: 0, latitude: 90)
    let south = Projection.point(longitude: 0, latitude: -90)
    #expect(north.y >= 0 && south.y <= Projection.height)
    #expect(abs(north.y + south.y - Projection.height) <= 1)
  }

  @Test func longitudesBeyondTheDateLineComeBack() {
    #expect(Projection.point(longitude: 190, latitude: 10) == Projection.point(longitude: -170, latitude: 10))
    #expect(Projection.point(longitude: -181, latitude: 10) == Projection.point(longitude: 179, latitude: 10))
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300])
  func nonsenseDoesNotTrap(value: Double) {
    let point = Projection.point(longitude: value, latitude: value)
    #expect((0...Projection.width).contains(point.x))
    #expect((0...Projection.height).contains(point.y))
  }

  @Test func everyPathOfTheWorldCanBeDrawn() throws {
    let world = try WorldOutline.bundled().markup.text
    let paths = world.matches(of: /d="([^"]*)"/).map { $0.output.1 }
    #expect(paths.count == 4)
    for path in paths {
      #expect(path.wholeMatch(of: /(M\d+,\d+l(-?\d+[,-]\d+ )+z?)+/) != nil)
    }
  }
}
