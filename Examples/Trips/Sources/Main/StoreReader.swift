import ExampleSupport
import Foundation
import Observation
import SwiftData

/// `--read`: a process that only reads, and says what another does to the store that they share.
struct StoreReader {
  /// What it says of a store, a line of JSON for each: first how many trips there are, then each that has changed.
  enum Line: Codable, Hashable {
    case trips(Int)
    case changed(id: String, name: String)

    init?(_ text: String) {
      guard let line = try? JSONDecoder().decode(Line.self, from: Data(text.utf8)) else { return nil }
      self = line
    }

    var text: String {
      get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }
  }

  let store: URL

  @MainActor
  func run() async throws {
    let trips = try ResultsObserver<TripEntity, Never>(modelContainer: try TripStore.disk(store).open())
    let following = Task {
      var known: [String: TripVersion]?
      // Told by the store, whoever has saved.
      for await trips in Observations({ trips.results.map(Trip.init) }) {
        if known == nil { Terminal.put(try Line.trips(trips.count).text) }
        for trip in trips where known != nil && known?[trip.id] != trip.version {
          Terminal.put(try Line.changed(id: trip.id, name: trip.name).text)
        }
        known = Dictionary(trips.map { ($0.id, $0.version) }) { first, _ in first }
      }
    }
    await Self.endOfInput()
    following.cancel()
    try await following.value
  }

  /// Returns when whoever started the process has closed its input, or has gone.
  private static func endOfInput() async {
    await withCheckedContinuation { continuation in
      // A thread of its own: it waits as long as the process lasts.
      Thread.detachNewThread {
        while let bytes = try? FileHandle.standardInput.read(upToCount: 1024), !bytes.isEmpty {}
        continuation.resume()
      }
    }
  }
}
