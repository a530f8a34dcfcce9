import Foundation

/// One round after another: fetch, import, note what came of it.
actor SyncService {
  private let network: QuakeNetworkService
  private let importer: QuakeImporter
  private let board: SyncBoard
  private let lastSync: LastSync
  private let statusChanged: @Sendable () -> Void

  /// - Parameters:
  ///   - network: Fetches the feed.
  ///   - importer: Writes to the store.
  ///   - board: Learns the status.
  ///   - lastSync: The file beside the store.
  ///   - statusChanged: Called when a page shows something else than before, but for what the store itself tells.
  init(
    network: sending QuakeNetworkService, importer: QuakeImporter, board: SyncBoard, lastSync: LastSync,
    statusChanged: @escaping @Sendable () -> Void = {}
  ) {
    self.network = network
    self.importer = importer
    self.board = board
    self.lastSync = lastSync
    self.statusChanged = statusChanged
  }

  /// One round. It never throws: what went wrong is in the report, and the store keeps what it had.
  func sync() async -> SyncReport {
    let report = await round()
    let now = Date.now
    if board.note(report, at: now) { statusChanged() }
    // The board still has the time if the disk has no room for it.
    if case .synced = report { try? lastSync.write(now) }
    return report
  }

  private func round() async -> SyncReport {
    let reading: FeedReading
    do {
      reading = try await network.fetchFeed()
    } catch {
      return .failed(error)
    }
    do {
      let counts = try await importer.importQuakes(from: reading.collection)
      let fetched = reading.collection.features.count + reading.rejected.count
      return .synced(counts, fetched: fetched, rejected: reading.rejected)
    } catch {
      return .notStored("\(error.localizedDescription)")
    }
  }
}
