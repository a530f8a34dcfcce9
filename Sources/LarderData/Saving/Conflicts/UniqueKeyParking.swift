import CSQLite
import LarderSQLite
import LarderSupport

// SQLite checks uniqueness at each statement, not at the end of the transaction: edits that swap two keys, or increment a
// sequence of them, would fail by their order alone. So the keys that later edits replace are first set to parking values.

extension RowUpdater {
  /// Parks the keys that the objects after this one are about to replace, unless that was done before.
  ///
  /// - Returns: Whether to retry the statement that failed because of an existing key.
  @usableFromInline
  @inline(never)
  func parkKeys<Model: PersistentModel>(_ code: Int32, after model: Model, _ tracker: _EntityTracker) throws -> Bool {
    guard !keysAreParked, ExtendedResultCode(rawValue: sqlite3_extended_errcode(database)) == .unique else {
      return false
    }
    keysAreParked = true
    guard let place = tracker.changed.firstIndex(where: { $0 === model }) else { return false }
    // Another class of the table may have parked some of them already.
    var number = Int64(entityWriter.laterTrackers.count) << 32
    // The objects of other classes in the same table come later, too.
    let others = entityWriter.laterTrackers.map { (tracker: $0, objects: $0.changed[...]) }
    for (tracker, objects) in [(tracker: tracker, objects: tracker.changed[(place + 1)...])] + others {
      for object in objects {
        let header = tracker.erased(object)._$header
        if header.pointee.status.contains(.deleted) { continue }
        for column in keyColumns(in: try maskToWrite(header, tracker), tracker.layout) {
          try parkKey(tracker.layout.columns[column], of: header.pointee.rowID, number)
        }
        number += 1
      }
    }
    return true
  }

  /// The properties that an object's update will write.
  private func maskToWrite(_ header: UnsafeMutablePointer<_ModelHeader.Fields>, _ tracker: _EntityTracker) throws
    -> _PropertyMask
  {
    let changed = header.pointee.changedMask
    guard tracker.core.mergePolicy == .overwrite, changed & tracker.layout.storedMask != 0 else { return changed }
    // The update of a row that another context has changed writes all attributes.
    let isAsKnown = try connection.withStatement(for: tracker.statements.selectVersion) { statement in
      statement.bind(1, header.pointee.rowID)
      return try statement.step() && statement.int64(0) == header.pointee.version
    }
    return isAsKnown ? changed : changed | tracker.layout.attributeMask
  }

  /// Returns one column of each unique group that a mask touches; the object's own update writes each of them again.
  private func keyColumns(in mask: _PropertyMask, _ layout: _ModelLayout) -> Set<Int> {
    Set(
      layout.uniqueGroups.compactMap { group in
        group.first { _ModelLayout.bit(layout.columns[$0].property) & mask != 0 }
      })
  }

  private func parkKey(_ layout: ColumnLayout, of row: Int64, _ number: Int64) throws {
    let sql =
      "UPDATE \(entityWriter.tracker.statements.table) SET \(StoreFormat.quoted(layout.name)) = ?1"
      + " WHERE \(StoreFormat.identifierColumn) = ?2"
    try connection.withStatement(for: sql) { statement in
      statement.bind(1, layout.isOptional ? .null : RowUpdater.parkingValue(layout.type, number))
      statement.bind(2, row)
      try statement.run()
    }
  }

  /// Returns a value that no key is likely to have; it is replaced before the transaction ends. If a row has it nonetheless,
  /// the save fails as for any duplicate key.
  private static func parkingValue(_ type: _ColumnType, _ number: Int64) -> _StoredValue {
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
