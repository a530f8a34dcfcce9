import SwiftData

extension EventHub {
  /// Sends an event for each save that changed something in a container; none for one that did not.
  ///
  /// - Returns: The observation, to be removed from the notification centre when it is over.
  func observe(_ container: ModelContainer) -> any NSObjectProtocol {
    NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: nil, queue: nil) { notification in
      guard (notification.object as? ModelContext)?.container === container else { return }
      func count(_ key: ModelContext.NotificationKey) -> Int {
        (notification.userInfo?[key.rawValue] as? [PersistentIdentifier])?.count ?? 0
      }
      let change = Change(
        inserted: count(.insertedIdentifiers), updated: count(.updatedIdentifiers),
        deleted: count(.deletedIdentifiers))
      if !change.isEmpty { self.send(change) }
    }
  }
}
