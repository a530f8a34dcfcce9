import LarderSQLite
import LarderSupport

// Merging an edit of a value with `.externalStorage` with a row that another context has written, if the store wins. The
// row does not show whether that value has changed.

/// The changes of a row that other contexts have reported.
struct RemoteChange {
  /// The changed properties.
  var mask: _PropertyMask = 0
  /// The number of saves that reported a change.
  var saveCount: Int64 = 0
}

extension _ContextCore {
  /// Records the reported changes of other contexts, as far as the merge of edits depends on them.
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
  /// Whether another context has changed an edited value stored outside the row. Returns `true` if that is unknown.
  ///
  /// - Parameter version: The row's current version.
  func isChangedOutOfRow<Model: PersistentModel>(_ model: Model, _ bit: _PropertyMask, _ version: Int64) -> Bool {
    layout.outOfRowProperties.contains { $0.bit == bit && isChangedOutOfRow(model, $0, version) }
  }

  /// Whether another context has changed one such property.
  func isChangedOutOfRow(_ model: any PersistentModel, _ property: PropertyLayout, _ version: Int64) -> Bool {
    let header = model._$header
    guard let table = property.placement.external,
      let former = originalRelationships[RelationshipKey(model, property.index)]
    else { return false }
    // Each save increments the version: the reports are complete if there are as many of them as increments.
    if let change = root.remoteChanges[header.pointee.rowID], change.saveCount == version &- header.pointee.version,
      change.mask & property.bit == 0
    {
      return false
    }
    guard case .boxed(let value?) = former.value else { return true }
    return !equalsStoredValue(value, header.pointee.rowID, property, table)
  }

  /// Whether the store has the specified value for a row. Returns `false` if the stored value cannot be read.
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

  /// Drops the edits of values stored outside the row, after the store has won: they are read again.
  func dropOutOfRowEdits(of model: any PersistentModel, _ bit: _PropertyMask) {
    for property in layout.outOfRowProperties where property.bit == bit && !property.placement.isEphemeral {
      originalRelationships[RelationshipKey(model, property.index)] = nil
    }
  }
}

extension _ModelLayout {
  fileprivate var hasExternalStorage: Bool { outOfRowProperties.contains { !$0.placement.isEphemeral } }
}
