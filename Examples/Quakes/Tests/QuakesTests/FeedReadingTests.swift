import Foundation
import Testing

@testable import quakes

@Suite struct FeedReadingTests {
  private func read(_ data: Data) throws -> FeedReading {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    return try decoder.decode(FeedReading.self, from: data)
  }

  @Test func theRecordedWeekIsGoodThroughout() throws {
    let reading = try read(Resources.data("usgs-all-week-2018-02-07.geojson"))
    #expect(reading.collection.features.count == 1707)
    #expect(reading.rejected.isEmpty)
  }

  @Test func badFeaturesAreNamedAndTheOthersKept() throws {
    let reading = try read(Fixture.data("missing-coordinates.json"))
    #expect(reading.collection.features.map(\.properties.code) == ["good1", "good2"])
    #expect(
      reading.rejected == [
        RejectedFeature(name: "bad1", reason: "the coordinates are missing"),
        RejectedFeature(name: "bad2", reason: "the geometry is null"),
        RejectedFeature(name: "bad3", reason: "the coordinates are missing"),
        RejectedFeature(name: "bad4", reason: "a coordinate is null"),
        RejectedFeature(name: "bad5", reason: "the latitude 97.0 is not on Earth"),
        RejectedFeature(name: "feature 7", reason: "the record is of the wrong kind"),
      ])
  }

  @Test(arguments: [
    (#"{"mag":null,"place":"p","time":1,"code":"c"}"#, "c", "the magnitude is null"),
    (#"{"mag":"2","place":"p","time":1,"code":"c"}"#, "c", "the magnitude is of the wrong kind"),
    (#"{"mag":2,"time":1,"code":"c"}"#, "c", "the place is missing"),
    (#"{"mag":2,"place":"p","time":"x","code":"c"}"#, "c", "the time is of the wrong kind"),
    (#"{"mag":2,"place":"p","time":1}"#, "feature 1", "the code is missing"),
    (#"{"mag":2,"place":"p","time":1,"code":""}"#, "feature 1", "the code is empty"),
    ("null", "feature 1", "its list of properties is null"),
  ])
  func eachMistakeHasItsWords(properties: String, name: String, reason: String) throws {
    let text = #"{"features":[{"properties":\#(properties),"geometry":{"coordinates":[1,2]}}]}"#
    let reading = try read(Data(text.utf8))
    #expect(reading.collection.features.isEmpty)
    #expect(reading.rejected.map(\.name) == [name])
    #expect(reading.rejected.map(\.reason) == [reason])
  }

  @Test(arguments: ["", "[]", "{}", #"{"features":null}"#, #"{"features":{}}"#, #"{"features":["#, "<html>"])
  func whatIsNoFeedIsAnError(text: String) {
    #expect(throws: (any Error).self) { try read(Data(text.utf8)) }
  }

  @Test func thePrintedTypeRefusesTheWholeFeedForOneBadFeature() throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    let data = try Fixture.data("null-magnitude.json")
    #expect(throws: DecodingError.self) { try decoder.decode(GeoFeatureCollection.self, from: data) }
  }

  @Test func aSentenceNamesAFewAndCountsTheRest() {
    let bad = (1...5).map { RejectedFeature(name: "n\($0)", reason: "it is bad") }
    let report = SyncReport.synced(SyncCounts(), fetched: 1000, rejected: bad)
    #expect(
      report.trouble
        == "5 of 1,000 records were left out: n1 (it is bad), n2 (it is bad), n3 (it is bad) and 2 more.")
  }
}
