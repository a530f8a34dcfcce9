import ExampleSupport
import Foundation
import SwiftData
import Testing

@testable import quakes

/// `ONCE=1`, checked by scripts that share nothing with the program.
@Suite struct RoundTripTests {
  /// The package's own folder.
  private static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Runs one of the scripts, and returns what it said if it fails.
  private func failure(of script: String, _ arguments: [String], input: String = "") throws -> String? {
    let (stdin, output) = (Pipe(), Pipe())
    let process = try ChildProgram(
      URL(filePath: "/usr/bin/env"),
      ["python3", "-B", Self.package.appending(path: "Scripts/\(script)").path] + arguments, input: .pipe(stdin),
      output: .pipe(output), error: .pipe(output))
    stdin.fileHandleForWriting.write(Data(input.utf8))
    try stdin.fileHandleForWriting.close()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    return process.wait() == .exit(0) ? nil : said
  }

  @Test(arguments: FeedRoute.allCases)
  func threeRoundsAndTheStoreEqualTheFeed(client: FeedRoute) async throws {
    let folder = try TemporaryFolder()
    let store = folder.url.appending(path: "quakes.store")
    let outcome = try await RoundTrip(store: store, week: .bundled(), client: client).run()
    #expect(outcome.second.inserted == 0 && outcome.second.updated == 0)
    #expect(outcome.third.inserted > 0 && outcome.third.updated > 0)
    #expect(try failure(of: "compare_states.py", [], input: outcome.line) == nil)
    #expect(try failure(of: "compare_store.py", [store.path]) == nil)

    // The scripts do see a difference.
    var wrong = outcome
    wrong.third.updated += 1
    #expect(try failure(of: "compare_states.py", [], input: wrong.line)?.contains("the feed's states say") == true)
    let context = ModelContext(try QuakeStore.open(at: store))
    let quake = try #require(try context.fetch(FetchDescriptor<Quake>()).first)
    quake.location.longitude = quake.location.longitude.nextUp
    try context.save()
    #expect(try failure(of: "compare_store.py", [store.path])?.contains("in the feed") == true)
  }

  @Test func theLineIsOneLineOfJSONInTheOrderPromised() throws {
    let outcome = RoundTrip.Outcome(
      fetched: 3, first: SyncCounts(inserted: 1, updated: 2, unchanged: 3), second: SyncCounts(), third: SyncCounts(),
      offline: RoundTrip.Offline(count: 3, largest: 6.4), store: "/a \"b\"/c\n.store")
    let zero = #"{"inserted":0,"updated":0,"unchanged":0}"#
    #expect(
      try outcome.line
        == #"{"fetched":3,"first":{"inserted":1,"updated":2,"unchanged":3},"second":\#(zero),"third":\#(zero),"#
        + #""offline":{"count":3,"largest":6.4},"store":"/a \"b\"/c\n.store"}"#)
  }

  @Test func theRevisionsAreThoseOfTheirScript() throws {
    #expect(try failure(of: "revise.py", ["--check"]) == nil)
  }
}
