import ExampleSupport
import Foundation

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

  /// How often to look. What another process has saved is in a read at most 50 ms later, so to look more often tells
  /// nothing earlier.
  static let interval = Duration.milliseconds(50)

  let store: URL

  func run() async throws {
    let repository = SwiftDataTripRepository(modelContainer: try TripStore.disk(store).open())
    let looking = Task {
      var known: [String: TripVersion]?
      while !Task.isCancelled {
        let trips = try await repository.fetchAll()
        if known == nil { Terminal.put(try Line.trips(trips.count).text) }
        for trip in trips where known != nil && known?[trip.id] != trip.version {
          Terminal.put(try Line.changed(id: trip.id, name: trip.name).text)
        }
        known = Dictionary(trips.map { ($0.id, $0.version) }) { first, _ in first }
        try await Task.sleep(for: Self.interval)
      }
    }
    await Self.endOfInput()
    looking.cancel()
    do { try await looking.value } catch is CancellationError {}
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
