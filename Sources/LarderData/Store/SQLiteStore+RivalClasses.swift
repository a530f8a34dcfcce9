import LarderSQLite
import Synchronization

// Containers of one process may have classes of their own for one model, as modules or versions of a schema do.

extension SQLiteStore {
  /// A commit's changes as all contexts of the process know the models that they are of.
  func forAllClasses(_ changes: ChangeSet) -> ChangeSet {
    guard hasRivalClasses.load(ordering: .acquiring) else { return changes }
    var result = changes
    for entity in changes.entities {
      for layout in layouts(named: entity.layout.entityName) where layout !== entity.layout {
        result.entities.append(entity.told(as: layout))
      }
    }
    return result
  }

  /// Whether there is a row of the number that an identifier has. False where that cannot be told.
  func hasRow(_ identifier: PersistentIdentifier.ID) -> Bool {
    guard let layout = layouts(named: identifier.identity.ofEntity.entity).first else { return false }
    let table = StoreFormat.quoted(layout.tableName)
    let sql = "SELECT 1 FROM \(table) WHERE \(StoreFormat.identifierColumn) = ?1"
    // Whoever asks may be reading.
    let isThere = try? database.readBeside { connection in
      try connection.withStatement(for: sql) { statement in
        statement.bind(1, identifier.key)
        defer { statement.reset() }
        return try statement.step()
      }
    }
    return isThere ?? false
  }
}

extension ChangeSet.Entity {
  /// The same rows as another class of the model has them.
  fileprivate func told(as other: ModelLayout) -> ChangeSet.Entity {
    var result = ChangeSet.Entity(layout: other, identity: identity)
    for (column, values) in touched {
      let name = layout.columns[column].name
      if let place = other.columns.firstIndex(where: { $0.name == name }) { result.touched[place] = values }
    }
    result.inserted = inserted
    result.deleted = deleted
    result.updated = updated.map { update in
      let changed = layout.properties.filter { update.mask & $0.bit != 0 }
      return ChangeSet.Update(
        row: update.row, mask: changed.reduce(0) { $0 | (other.property(named: $1.name)?.bit ?? 0) })
    }
    return result
  }
}
