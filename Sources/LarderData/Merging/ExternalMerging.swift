import LarderSQLite
import LarderSupport

// An edit of a value with `.externalStorage`, and a row that somebody else has written, where the store is to win. The row
// does not say whether that value is another by now.

/// What others say that they have changed of a row.
struct OthersChange {
  /// The properties.
  var mask: PropertyMask = 0
  /// How many saves have told of it.
  var saves: Int64 = 0
}

extension ContextCore {
  /// Notes what others say that they have changed, as far as it decides what becomes of edits.
  func noteOthersChanges(_ mail: ContextInbox.Mail) {
    guard mergePolicy == .mergeByPropertyStoreTrump, !mail.isOverfull else { return }
    for entity in mail.changes.lazy.flatMap(\.entities) {
      guard entity.layout.hasExternals, let state = existingState(for: entity.layout), !state.changed.isEmpty else {
        continue
      }
      for update in entity.updated {
        state.root.othersChanges[update.row, default: OthersChange()].mask |= update.mask
        state.root.othersChanges[update.row]?.saves += 1
      }
    }
  }

  func forgetOthersChanges() { for state in known where !state.othersChanges.isEmpty { state.othersChanges = [:] } }
}

extension EntityState {
  /// Whether others have changed a value beside the row that is edited here. Where nobody can know, they have.
  ///
  /// - Parameter version: The version of the row by now.
  func isChangedBesideRow<Model: PersistentModel>(_ model: Model, _ bit: PropertyMask, _ version: Int64) -> Bool {
    layout.propertiesBesideRows.contains { $0.bit == bit && isChangedBesideRow(model, $0, version) }
  }

  /// The same of one property.
  func isChangedBesideRow(_ model: any PersistentModel, _ property: PropertyLayout, _ version: Int64) -> Bool {
    let header = model._$header
    guard let table = property.placement.external,
      let former = formerRelations[RelationPlace(model, property.index)]
    else { return false }
    // Each save raises the version by one: what they say is all that has happened if there are as many of them.
    if let change = root.othersChanges[header.pointee.rowID], change.saves == version &- header.pointee.version,
      change.mask & property.bit == 0
    {
      return false
    }
    guard case .held(let value?) = former.value else { return true }
    return !isStored(value, header.pointee.rowID, property, table)
  }

  /// Whether the store has a value for a row. Where it cannot be read, it is another one.
  private func isStored(
    _ value: AnyObject, _ row: Int64, _ property: PropertyLayout, _ table: ExternalTable
  ) -> Bool {
    var edited: [StoredValue] = []
    if !property.codec.isNil(held: value) {
      guard let values = StoredColumns(layout, { property.codec.write(held: value, to: &$0) }).storable else {
        return false
      }
      edited = values
    }
    let stored = try? session.read { connection in
      try connection.withStatement(for: table.select) { statement in
        statement.bind(1, row)
        return try statement.step() ? [StoredValue(column: 0, of: statement.handle)] : []
      }
    }
    return stored == edited
  }

  /// What is stored has won: values beside the row are read anew with it.
  func forgetEditsBesideRow(of model: any PersistentModel, _ bit: PropertyMask) {
    for property in layout.propertiesBesideRows where property.bit == bit && !property.placement.isEphemeral {
      formerRelations[RelationPlace(model, property.index)] = nil
    }
  }
}

extension ModelLayout {
  fileprivate var hasExternals: Bool { propertiesBesideRows.contains { !$0.placement.isEphemeral } }
}
