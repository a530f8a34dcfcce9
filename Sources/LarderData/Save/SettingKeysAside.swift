import CSQLite
import LarderSQLite
import LarderSupport

// SQLite checks uniqueness at each statement, not at the end: edits that swap two keys, or move a sequence of them up
// by one, would fail by their order alone. So the keys that later edits replace are set aside first.

extension UpdatingRows {
  /// Sets the keys aside that the objects after this one are about to replace, if that was not done yet.
  ///
  /// - Returns: Whether to try again what met a key that was there.
  @usableFromInline
  @inline(never)
  func setKeysAside<Model: PersistentModel>(_ code: Int32, after model: Model, _ state: EntityState) throws -> Bool {
    guard !keysAreAside, ExtendedResultCode(rawValue: sqlite3_extended_errcode(database)) == .unique else {
      return false
    }
    keysAreAside = true
    guard let place = state.changed.firstIndex(where: { $0 === model }) else { return false }
    // Another class of the table may have set some of them aside already.
    var number = Int64(saving.later.count) << 32
    // Those of other classes in the same table come later, too.
    let others = saving.later.map { (state: $0, objects: $0.changed[...]) }
    for (state, objects) in [(state: state, objects: state.changed[(place + 1)...])] + others {
      for object in objects {
        let header = state.erased(object)._$header
        if header.pointee.status.contains(.deleted) { continue }
        for column in keyColumns(in: try written(header, state), state.layout) {
          try setAside(state.layout.columns[column], of: header.pointee.rowID, number)
        }
        number += 1
      }
    }
    return true
  }

  /// The properties that an object's update will write.
  private func written(_ header: UnsafeMutablePointer<ModelHeader.Fields>, _ state: EntityState) throws -> PropertyMask
  {
    let changed = header.pointee.changed
    guard state.core.mergePolicy == .overwrite, changed & state.layout.storedMask != 0 else { return changed }
    // Of a row that somebody else has changed, all of them.
    let isAsKnown = try connection.withStatement(for: state.statements.selectVersion) { statement in
      statement.bind(1, header.pointee.rowID)
      return try statement.step() && statement.int64(0) == header.pointee.version
    }
    return isAsKnown ? changed : changed | state.layout.attributeMask
  }

  /// One column of each unique group that a mask touches, each of them written again by the object's own update.
  private func keyColumns(in mask: PropertyMask, _ layout: ModelLayout) -> Set<Int> {
    Set(
      layout.uniqueGroups.compactMap { group in
        group.first { ModelLayout.bit(layout.columns[$0].property) & mask != 0 }
      })
  }

  private func setAside(_ layout: ColumnLayout, of row: Int64, _ number: Int64) throws {
    let sql =
      "UPDATE \(saving.state.statements.table) SET \(StoreFormat.quoted(layout.name)) = ?1"
      + " WHERE \(StoreFormat.identifierColumn) = ?2"
    try connection.withStatement(for: sql) { statement in
      statement.bind(1, layout.isOptional ? .null : UpdatingRows.substitute(layout.type, number))
      statement.bind(2, row)
      try statement.run()
    }
  }

  /// A value that no key is likely to have; it is gone before the transaction ends. One that is there nonetheless makes
  /// the save fail as a collision does.
  private static func substitute(_ type: ColumnType, _ number: Int64) -> StoredValue {
    let text = "\u{1}larder-aside-\(number)"
    return switch type {
    case .integer: .integer(.min + number)
    // Steps of two units in the last place.
    case .real: .real(-Double.greatestFiniteMagnitude * (1 - Double(number) * Double.ulpOfOne))
    case .text: .text(text)
    case .blob: .blob(Array(text.utf8))
    }
  }
}
