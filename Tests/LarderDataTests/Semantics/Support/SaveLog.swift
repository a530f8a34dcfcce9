import Foundation
import LarderData
import LarderSQLite
import LarderSupport
import SwiftData

/// What a context posts about its saves.
final class SaveLog {
  struct Event: Equatable, Sendable {
    var name: Notification.Name
    var inserted: [PersistentIdentifier]?
    var updated: [PersistentIdentifier]?
    var deleted: [PersistentIdentifier]?
  }

  private let events = Counted<[Event]>([])
  private var tokens: [any NSObjectProtocol] = []

  init(_ context: ModelContext) {
    for name in [ModelContext.willSave, ModelContext.didSave] {
      let events = events
      tokens.append(
        NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { notification in
          func identifiers(_ key: ModelContext.NotificationKey) -> [PersistentIdentifier]? {
            notification.userInfo?[key.rawValue] as? [PersistentIdentifier]
          }
          let event = Event(
            name: name, inserted: identifiers(.insertedIdentifiers), updated: identifiers(.updatedIdentifiers),
            deleted: identifiers(.deletedIdentifiers))
          events.update { $0.append(event) }
        })
    }
  }

  deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }

  var all: [Event] { events.value }
  var names: [Notification.Name] { all.map(\.name) }
  var saves: [Event] { all.filter { $0.name == ModelContext.didSave } }
}

/// A value that closures of any thread change.
final class Counted<Value: Sendable>: Sendable {
  private let box: Locked<Value>

  init(_ value: Value) { box = Locked(value) }

  var value: Value { box.withLock { $0 } }

  func update(_ body: (inout Value) -> Void) { box.withLock { body(&$0) } }
}
