import Foundation
import Larder
import Testing

// snippet: ingest record
@JSONReadable(dates: .millisecondsSince1970)
struct Tremor {
  let code: String
  let mag: Double
  let time: Date
  var place = ""
}
// snippet end

/// The steps of LarderIngest.md, each run.
@Suite struct IngestArticleTests {
  @Test func responsesBecomeRows() async throws {
    let container = try ModelContainer(
      for: Quake.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let (response, continuation) = AsyncStream.makeStream(of: Data.self)
    continuation.yield(Data(#"{"features":[{"code":"a","time":1000,"mag":1.5,"felt":null},{"code":"b","#.utf8))
    continuation.yield(Data(#""time":2000,"mag":2.5,"place":"Alaska"}],"count":2}"#.utf8))
    continuation.finish()
    // snippet: ingest
    let tremors = JSONElements(of: Tremor.self, at: "features[*]", in: response)
    let report = try await container.ingest(tremors, into: Quake.self, by: \.code, author: "feed") { quake in
      quake.set(\.code) { $0.code }
      quake.set(\.magnitude) { $0.mag }
      quake.set(\.time) { $0.time }
      quake.set(\.location) { Location(name: $0.place, longitude: 0, latitude: 0) }
    }
    print("\(report.inserted) new, \(report.updated) changed, \(report.unchanged) as they were")
    // snippet end
    #expect(report.inserted == 2 && report.failed == 0)
    let quakes = try ModelContext(container).fetch(FetchDescriptor<Quake>(sortBy: [SortDescriptor(\.code)]))
    #expect(quakes.map(\.location.name) == ["", "Alaska"])
    #expect(quakes.map(\.time) == [Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2)])
  }
}
