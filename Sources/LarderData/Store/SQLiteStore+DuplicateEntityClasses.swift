import LarderSupport
import Synchronization

// Containers of one process may have classes of their own for one model, as modules or versions of a schema do.

extension SQLiteStore {
  /// A commit's changes as all contexts of the process know the models that they are of.
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
  /// The same rows as another class of the model has them.
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
