import ExampleSupport
import SwiftData

extension EventHub {
  /// What a save did to the store.
  struct Change: Codable, Hashable, Sendable {
    var inserted = 0
    var updated = 0
    var deleted = 0

    var isEmpty: Bool { self == Change() }
  }

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

  /// Tells that a save changed the store.
  private func send(_ change: Change) {
    send(
      "change",
      data: #"{"inserted":\#(change.inserted),"updated":\#(change.updated),"deleted":\#(change.deleted)}"#)
  }

  /// Tells that the status is another.
  func sendStatus() {
    send("status")
  }
}
