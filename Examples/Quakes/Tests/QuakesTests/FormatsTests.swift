import Foundation
import Testing

@testable import quakes

@Suite struct FormatsTests {
  @Test(arguments: [(6.4, "6.4"), (-0.5, "−0.5"), (1.45, "1.5"), (0, "0.0"), (.nan, "?"), (1e300, "?")])
  func magnitudes(value: Double, text: String) {
    #expect(Formats.magnitude(value) == text)
  }

  @Test func positions() {
    #expect(Formats.position(longitude: -118.667, latitude: 34.0) == "34.00° N, 118.67° W")
    #expect(Formats.position(longitude: 0.05, latitude: -0.999) == "1.00° S, 0.05° E")
  }

  @Test func times() {
    let date = Date(timeIntervalSince1970: 1_517_966_773)
    #expect(Formats.moment(date) == "7 Feb, 01:26:13")
    #expect(Formats.minute(date) == "7 Feb, 01:26")
    #expect(Formats.machine(date) == "2018-02-07T01:26:13Z")
  }

  @Test(arguments: [
    (0.0, "just now"), (12, "12 s ago"), (600, "10 min ago"), (7200, "2 h ago"), (200_000, "2 days ago"),
  ])
  func ages(seconds: Double, text: String) {
    #expect(Formats.ago(seconds) == text)
  }

  @Test(arguments: [(0, "0"), (999, "999"), (1707, "1,707"), (-1_234_567, "-1,234,567")])
  func counts(value: Int, text: String) {
    #expect(value.formattedForPeople == text)
  }
}
