import Foundation
import LarderHTTP
import SwiftData

/// One round after another: fetch, import, note what came of it.
actor SyncService {
  private let network: any QuakeFeed
  private let importer: QuakeImporter
  private let way: QuakeImporter.Way
  private let board: SyncBoard
  private let lastSync: LastSync
  private let lastFeed: LastFeed
  /// What the store has of the feed: compared with the store at the start, so that a round need not ask it.
  private var known: FeedState?
  private let statusChanged: @Sendable () -> Void

  /// - Parameters:
  ///   - route: Which service fetches the feed, and how it is stored.
  ///   - url: The feed's address.
  ///   - seconds: How long the origin may be silent.
  ///   - container: The open store.
  ///   - store: Where it is; two small files lie beside it.
  ///   - board: Learns the status.
  ///   - statusChanged: Called when a page shows something else than before, but for what the store itself tells.
  init(
    _ route: FeedRoute, url: URL, patience seconds: Int = QuakeNetworkService.patience, container: ModelContainer,
    store: URL, board: SyncBoard, statusChanged: @escaping @Sendable () -> Void = {}
  ) {
    network = route.feed(at: url, patience: seconds)
    way = route.way
    importer = QuakeImporter(modelContainer: container)
    self.board = board
    lastSync = LastSync(besideStoreAt: store)
    lastFeed = LastFeed(besideStoreAt: store)
    known = lastFeed.read(for: container)
    self.statusChanged = statusChanged
  }

  /// One round. It never throws: what went wrong is in the report, and the store keeps what it had.
  func sync() async -> SyncReport {
    let report = await round()
    let now = Date.now
    if board.note(report, at: now) { statusChanged() }
    switch report {
    // The board still has the time if the disk has no room for it.
    case .synced, .notModified: try? lastSync.write(now)
    case .failed, .notStored: break
    }
    return report
  }

  private func round() async -> SyncReport {
    do {
      switch try await network.refresh(since: known?.validators) {
      case .unchanged(let validators): return notModified(validators)
      case .changed(let reading, let validators): return await store(reading, validators)
      }
    } catch {
      return .failed(error)
    }
  }

  private func store(_ reading: FeedReading, _ validators: Validators?) async -> SyncReport {
    do {
      let features = reading.collection.features.count
      let counts = try await importer.importQuakes(from: reading.collection, by: way)
      await remember(validators, features, reading.rejected)
      return .synced(counts, fetched: features + reading.rejected.count, rejected: reading.rejected)
    } catch {
      // Part of it may be stored, which is neither this feed nor the one before.
      known = nil
      return .notStored("\(error.localizedDescription)")
    }
  }

  /// Only now that the rows are stored.
  private func remember(_ validators: Validators?, _ features: Int, _ rejected: [RejectedFeature]) async {
    if let validators, let stored = await importer.historyToken {
      let state = FeedState(validators: validators, stored: stored, features: features, rejected: rejected)
      known = state
      try? lastFeed.write(state)
    } else if known != nil {
      known = nil
      lastFeed.remove()
    }
  }

  private func notModified(_ validators: Validators) -> SyncReport {
    guard var state = known else { return .failed(.invalidResponse) }
    if state.validators != validators {
      state.validators = validators
      known = state
      try? lastFeed.write(state)
    }
    return .notModified(features: state.features, rejected: state.rejected)
  }
}
