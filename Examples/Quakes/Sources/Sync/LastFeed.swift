import Foundation
import SwiftData

/// The last feed's ``FeedState``, in a small file beside the store, so that a restart need not fetch what the store has.
///
/// The file may be damaged, or older than the store, or the store may be another one, or one that lost its last commit
/// with the power. In each of these cases there is no state, and everything is fetched. So it must be written after the
/// rows: what is written before them would claim rows that a crash has taken.
struct LastFeed: Sendable {
  let file: URL

  init(besideStoreAt store: URL) {
    file = store.deletingLastPathComponent().appending(path: store.lastPathComponent + ".feed.json")
  }

  /// The state of the feed that a store has; nil if that is not known for sure.
  func read(for container: ModelContainer) -> FeedState? {
    guard let data = try? Data(contentsOf: file) else { return nil }
    if let state = try? JSONDecoder().decode(FeedState.self, from: data),
      let end = try? ModelContext(container).currentHistoryToken(), state.stored == end
    {
      return state
    }
    // A history that lost its end counts on from there, and must not come to meet it by chance.
    remove()
    return nil
  }

  func write(_ state: FeedState) throws {
    try JSONEncoder().encode(state).write(to: file, options: .atomic)
  }

  func remove() {
    try? FileManager.default.removeItem(at: file)
  }
}
