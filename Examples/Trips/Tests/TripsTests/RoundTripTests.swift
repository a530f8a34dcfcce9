import ExampleSupport
import Foundation
import Testing

@testable import trips

/// `ONCE=1`, second process included.
@Suite struct RoundTripTests {
  /// The program, which is built beside the tests.
  private static var program: URL {
    get throws {
      let beside = Bundle.module.bundleURL.deletingLastPathComponent().appending(path: "trips")
      return try #require(FileManager.default.isExecutableFile(atPath: beside.path) ? beside : nil)
    }
  }

  @Test func everyStepDoesWhatItSays() async throws {
    let folder = try TemporaryFolder()
    let store = folder.url.appending(path: "trips.store")
    for _ in 0..<2 {
      // The second time on what the first one left.
      let outcome = try await RoundTrip(store: store, program: Self.program).run()
      #expect(outcome.synced == 6)
      #expect(outcome.again == 0)
      #expect(outcome.edited == "Down the Elbe, the other way round")
      #expect(outcome.readerSaw == outcome.edited)
      #expect(outcome.failures.map(\.kind) == ["late", "error", "silent", "html", "truncated", "nonsense", "gone"])
      #expect(outcome.failures.allSatisfy { $0.words.hasSuffix(" The trips are shown as they were.") })
    }
  }

  @Test func theLineIsOneLineOfJSONInTheOrderPromised() throws {
    let outcome = RoundTripOutcome(
      synced: 6, again: 0, edited: "a \"b\"", failures: [("error", "No.\n"), ("gone", "Not there.")], readerSaw: "c",
      store: "/d/e.store")
    #expect(
      try outcome.line
        == #"{"synced":6,"again":{"written":0},"edited":"a \"b\"","failures":{"error":"No.\n","gone":"Not there."},"#
        + #""shared":{"reader_saw":"c"},"store":"/d/e.store"}"#)
  }
}
