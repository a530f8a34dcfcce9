import LarderSQLite
import LarderSupport

// An edit of a value with `.externalStorage`, and a row that somebody else has written, where the store is to win. The row
// does not say whether that value is another by now.

/// What others say that they have changed of a row.
struct RemoteChange {
  /// The properties.
  var mask: _PropertyMask = 0
  /// How many saves have told of it.
  var saveCount: Int64 = 0
}

extension _ContextCore {
  /// Notes what others say that they have changed, as far as it decides what becomes of edits.
  func recordRemoteChanges(_ mail: RemoteChangeQueue.Batch) {
    guard mergePolicy == .mergeByPropertyStoreTrump, !mail.hasOverflowed else { return }
    for entity in mail.changes.lazy.flatMap(\.entities) {
      guard entity.layout.hasExternalStorage, let tracker = existingTracker(for: entity.layout),
        !tracker.changed.isEmpty
      else {
        continue
      }
      for update in entity.updated {
        tracker.root.remoteChanges[update.row, default: RemoteChange()].mask |= update.mask
        tracker.root.remoteChanges[update.row]?.saveCount += 1
      }
    }
  }

  func clearRemoteChanges() {
    for tracker in trackers where !tracker.remoteChanges.isEmpty { tracker.remoteChanges = [:] }
  }
}

extension _EntityTracker {
  /// Whether others have changed a value beside the row that is edited here. Where nobody can know, they have.
  ///
  /// - Parameter version: The version of the row by now.
  func isChangedOutOfRow<Model: PersistentModel>(_ model: Model, _ bit: _PropertyMask, _ version: Int64) -> Bool {
    layout.outOfRowProperties.contains { $0.bit == bit && isChangedOutOfRow(model, $0, version) }
  }

  /// The same of one property.
  func isChangedOutOfRow(_ model: any PersistentModel, _ property: PropertyLayout, _ version: Int64) -> Bool {
    let header = model._$header
    guard let table = property.placement.external,
      let former = originalRelationships[RelationshipKey(model, property.index)]
    else { return false }
    // Each save raises the version by one: what they say is all that has happened if there are as many of them.
    if let change = root.remoteChanges[header.pointee.rowID], change.saveCount == version &- header.pointee.version,
      change.mask & property.bit == 0
    {
      return false
    }
    guard case .boxed(let value?) = former.value else { return true }
    return !equalsStoredValue(value, header.pointee.rowID, property, table)
  }

  /// Whether the store has a value for a row. Where it cannot be read, it is another one.
  private func equalsStoredValue(
    _ value: AnyObject, _ row: Int64, _ property: PropertyLayout, _ table: ExternalTable
  ) -> Bool {
    var edited: [_StoredValue] = []
    if !property.codec.isNil(boxed: value) {
      guard let values = StoredColumns(layout, { property.codec.write(boxed: value, to: &$0) }).storable else {
        return false
      }
      edited = values
    }
    let stored = try? session.read { connection in
      try connection.withStatement(for: table.select) { statement in
        statement.bind(1, row)
        return try statement.step() ? [_StoredValue(column: 0, of: statement.handle)] : []
      }
    }
    return stored == edited
  }

  /// What is stored has won: values beside the row are read anew with it.
  func dropOutOfRowEdits(of model: any PersistentModel, _ bit: _PropertyMask) {
    for property in layout.outOfRowProperties where property.bit == bit && !property.placement.isEphemeral {
      originalRelationships[RelationshipKey(model, property.index)] = nil
    }
  }
}

extension _ModelLayout {
  fileprivate var hasExternalStorage: Bool { outOfRowProperties.contains { !$0.placement.isEphemeral } }
}
