import LarderSupport
import Synchronization

// Containers of one process may have different classes for one entity, as modules or versions of a schema do.

extension SQLiteStore {
  /// Returns a commit's changes with a copy for each class that contexts of the process use for an entity.
  func expandedToAllClasses(_ changes: ChangeSet) -> ChangeSet {
    guard hasDuplicateEntityClasses.load(ordering: .acquiring) else { return changes }
    var result = changes
    for entity in changes.entities {
      for layout in layouts(named: entity.layout.entityName) where layout !== entity.layout {
        result.entities.append(entity.converted(to: layout))
      }
    }
    return result
  }
}

extension ChangeSet.Entity {
  /// Returns the same row changes, expressed by another class of the entity.
  fileprivate func converted(to other: _ModelLayout) -> ChangeSet.Entity {
    var result = ChangeSet.Entity(layout: other, identity: identity)
    for (column, values) in changedIndexedValues {
      let name = layout.columns[column].name
      if let place = other.columns.firstIndex(where: { $0.name == name }) {
        result.changedIndexedValues[place] = values
      }
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
