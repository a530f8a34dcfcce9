import LarderSupport

/// The to-manys of other objects that contained the objects of a step. A list that was not in memory did not change there,
/// but its order has to be restored.
struct NeighbourLists {
  private struct Owners {
    let relationship: RelationshipLayout
    let layout: _ModelLayout
    /// The members that the list of each owner contained.
    var rows: [Int64: Set<Int64>] = [:]
  }

  private var lists: [ObjectIdentifier: Owners] = [:]
  /// Rows that relationships without an inverse may reference.
  private var targets: [ObjectIdentifier: (incoming: IncomingRelationship, rows: [Int64])] = [:]

  private mutating func record(
    _ row: Int64, _ relationship: RelationshipLayout, _ layout: _ModelLayout, _ member: Int64
  ) {
    lists[ObjectIdentifier(relationship), default: Owners(relationship: relationship, layout: layout)].rows[
      row, default: []
    ]
    .insert(member)
  }

  /// Records the rows that to-ones referenced.
  mutating func record(_ keys: [Int: Int64], _ layout: _ModelLayout, of member: Int64) {
    for (property, row) in keys where row > 0 {
      guard let relationship = layout.relationship(property), let inverse = relationship.inverse, inverse.isToMany
      else {
        continue
      }
      record(row, inverse, relationship.destinationLayout, member)
    }
  }

  /// Records the former members of a to-many.
  mutating func record(_ others: [Int64], _ relationship: RelationshipLayout, of row: Int64) {
    guard case .joinTable = relationship.storage, let inverse = relationship.inverse else { return }
    for other in others { record(other, inverse, relationship.destinationLayout, row) }
  }

  mutating func record(_ incoming: IncomingRelationship, to row: Int64) {
    guard case .joinTable = incoming.relationship.storage else { return }
    targets[ObjectIdentifier(incoming.relationship), default: (incoming, [])].rows.append(row)
  }

  /// Adds the former members of the lists, where the step does not record them already.
  mutating func addMissingLists(
    _ recorder: UndoRecorder, _ changes: inout [ObjectChange], _ places: [RowKey: Int]
  ) throws {
    let core = recorder.core
    for (incoming, rows) in targets.values {
      guard case .joinTable(let table, _) = incoming.relationship.storage else { continue }
      for (row, holder) in try core.session(for: incoming.layout).joinedRows(of: rows, table, isSource: false) {
        record(holder, incoming.relationship, incoming.layout, row)
      }
    }
    var places = places
    for owners in lists.values {
      let tracker = try core.tracker(for: owners.layout)
      let property = owners.relationship.property
      let missing = owners.rows.filter { row, members in
        guard let index = places[RowKey(tracker, row)] else { return true }
        let change = changes[index]
        guard change.existed else { return false }
        // A list that was loaded after the members had left it does not have their positions.
        guard let list = change.lists[property], recorder.images[RowKey(tracker, row)]?.lists[property] == nil else {
          return change.lists[property] == nil
        }
        return !members.isSubset(of: list.before)
      }
      .keys.inOrder()
      let stored = try core.storedMembers(missing, tracker, owners.relationship)
      for row in missing {
        let place = RowKey(tracker, row)
        let before = recorder.images[place]?.lists[property] ?? stored[row] ?? []
        guard before.count > 1 || owners.relationship.inverseProperty == nil else { continue }
        let index = places[place] ?? changes.count
        if index == changes.count {
          places[place] = index
          let own = tracker.find(row).map { tracker.concreteTracker(tracker.erased($0)) } ?? tracker
          changes.append(ObjectChange(own, row, saveCount: recorder.saveCount))
        }
        let known = changes[index].lists[property]
        changes[index].lists[property] = ObjectChange.List(
          before: before, after: known?.after ?? rowsAfter(before, owners.relationship, tracker, row),
          stored: owners.relationship.usesJoinTable ? stored[row] ?? [] : nil)
      }
    }
  }

  /// Returns the present members of a list, as far as known: only a list without an inverse may lack some.
  private func rowsAfter(
    _ before: [Int64], _ relationship: RelationshipLayout, _ tracker: _EntityTracker, _ row: Int64
  ) -> [Int64] {
    guard let there = try? tracker.core.tracker(for: relationship.destinationLayout) else { return before }
    return before.filter { !there.isDeleted($0) }
  }
}
