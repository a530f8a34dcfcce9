import Foundation

/// The time of the last sync, in a small file beside the store: a sync that finds nothing new then writes no page of it.
struct LastSync: Sendable {
  private struct Content: Codable {
    var synced: Date
  }

  let file: URL

  init(besideStoreAt store: URL) {
    file = store.deletingLastPathComponent().appending(path: store.lastPathComponent + ".synced.json")
  }

  /// When the store was last in step with the feed; nil if never, or if the file cannot be read.
  func read() -> Date? {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    guard let data = try? Data(contentsOf: file) else { return nil }
    return try? decoder.decode(Content.self, from: data).synced
  }

  func write(_ date: Date) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    try encoder.encode(Content(synced: date)).write(to: file, options: .atomic)
  }
}
