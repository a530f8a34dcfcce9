import Foundation
import Testing

@testable import quakes

@Suite struct ReplayedWeekTests {
  private func features(_ data: Data) throws -> [GeoFeatureCollection.Feature] {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    return try decoder.decode(GeoFeatureCollection.self, from: data).features
  }

  @Test func timeOnlyAddsAndRevises() throws {
    let week = try ReplayedWeek.bundled()
    let early = try features(week.feed(at: week.beginning))
    let late = try features(week.feed(at: week.end))
    #expect(early.count < late.count)
    #expect(late.count == 1707)
    #expect(early.allSatisfy { $0.properties.time.timeIntervalSince1970 * 1000 <= Double(week.beginning) + 1 })
    let before = Dictionary(uniqueKeysWithValues: early.map { ($0.properties.code, $0.properties.mag) })
    let revised = late.filter { feature in before[feature.properties.code].map { $0 != feature.properties.mag } ?? false
    }
    #expect(!revised.isEmpty)
    // Newest first, as in the feed.
    #expect(late.map(\.properties.time) == late.map(\.properties.time).sorted(by: >))
  }

  @Test func unrevisedRecordsAreServedAsTheyWereRecorded() throws {
    let recorded = try Resources.data("usgs-all-week-2018-02-07.geojson")
    let week = try ReplayedWeek(feed: recorded, revisions: Data(#"{"revisions":[]}"#.utf8))
    let served = FeatureSlices.cut(week.feed(at: week.end))
    #expect(served == FeatureSlices.cut(recorded))
  }

  @Test func whatIsOlderThanTheWindowLeavesTheFeed() throws {
    let day: Int64 = 24 * 3600 * 1000
    let week = try ReplayedWeek(
      feed: Resources.data("usgs-all-week-2018-02-07.geojson"), revisions: Data(#"{"revisions":[]}"#.utf8), window: day)
    let early = Set(try features(week.feed(at: week.beginning)).map(\.properties.code))
    let late = Set(try features(week.feed(at: week.end)).map(\.properties.code))
    #expect(!early.isEmpty && !late.isEmpty)
    #expect(early.isDisjoint(with: late))
  }

  @Test func slicesKnowStringsFromStructure() {
    let text = #"{"a":{},"features":[{"p":"}]\"{","q":{"r":[1,{}]}} , {"s":1}],"bbox":[{}]}"#
    let slices = FeatureSlices.cut(Data(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    #expect(slices == [#"{"p":"}]\"{","q":{"r":[1,{}]}}"#, #"{"s":1}"#])
    #expect(FeatureSlices.cut(Data("{}".utf8)).isEmpty)
  }

  @Test func aDamagedRecordingIsAnError() {
    #expect(throws: (any Error).self) { try ReplayedWeek(feed: Data("{}".utf8), revisions: Data("{}".utf8)) }
    let empty = Data(#"{"features":[]}"#.utf8)
    #expect(throws: ReplayedWeek.Unusable.self) {
      try ReplayedWeek(feed: empty, revisions: Data(#"{"revisions":[]}"#.utf8))
    }
  }

  @Test func theOriginsClockOnlyGoesForward() throws {
    let week = try ReplayedWeek.bundled()
    let origin = ReplayedOrigin(week: week, now: 0)
    #expect(origin.now == week.beginning)
    origin.advance(to: week.beginning + 1000)
    origin.advance(to: week.beginning)
    #expect(origin.now == week.beginning + 1000)
    origin.advance(to: .max)
    #expect(origin.isAtEnd && origin.now == week.end)
  }
}
