import ExampleSupport
import SwiftData

/// Tells the open pages of what is saved, whoever saves it.
///
/// A live query says what is another than before; saves that come while the pages are being told are told together.
@ModelActor
actor QuakeFollower {
  /// What became of the earthquakes.
  struct Change: Codable, Hashable, Sendable {
    var inserted: Int
    var updated: Int
    var deleted: Int
  }

  /// Follows the store until the task is cancelled.
  ///
  /// - Parameter begun: Called when everything that is saved from then on is told.
  func follow(_ events: EventHub, begun: @Sendable () -> Void = {}) async {
    do {
      var isFirst = true
      for try await change in modelContext.liveChanges(FetchDescriptor<Quake>()) {
        // The first is what there is.
        if isFirst { begun() } else { events.send(Change(change)) }
        isFirst = false
      }
    } catch {
      Terminal.say("The pages are not told of changes any more: \(error)")
    }
  }
}

extension QuakeFollower.Change {
  fileprivate init(_ change: ResultsChange<Quake>) {
    self.init(
      inserted: change.difference.insertions.count, updated: change.updated.count,
      deleted: change.difference.removals.count)
  }
}

extension EventHub {
  /// Tells that the store is another.
  func send(_ change: QuakeFollower.Change) {
    send(
      "change",
      data: #"{"inserted":\#(change.inserted),"updated":\#(change.updated),"deleted":\#(change.deleted)}"#)
  }

  /// Tells that the status is another.
  func sendStatus() {
    send("status")
  }
}
