import LarderSupport

/// The to-manys of other objects in which the objects of a step stood. Those that nobody held did not change in memory,
/// but have an order to be restored.
struct ListsAround {
  private struct Owners {
    let relation: RelationLayout
    let layout: ModelLayout
    /// What stood in the list of each.
    var rows: [Int64: Set<Int64>] = [:]
  }

  private var lists: [ObjectIdentifier: Owners] = [:]
  /// Rows to which relationships that nothing mirrors may lead.
  private var targets: [ObjectIdentifier: (incoming: IncomingRelation, rows: [Int64])] = [:]

  private mutating func note(_ row: Int64, _ relation: RelationLayout, _ layout: ModelLayout, _ member: Int64) {
    lists[ObjectIdentifier(relation), default: Owners(relation: relation, layout: layout)].rows[row, default: []]
      .insert(member)
  }

  /// Notes what to-ones led to.
  mutating func note(_ keys: [Int: Int64], _ layout: ModelLayout, of member: Int64) {
    for (property, row) in keys where row > 0 {
      guard let relation = layout.relation(property), let inverse = relation.mirrored, inverse.isToMany else {
        continue
      }
      note(row, inverse, relation.destinationLayout, member)
    }
  }

  /// Notes what stood in a to-many.
  mutating func note(_ others: [Int64], _ relation: RelationLayout, of row: Int64) {
    guard case .link = relation.form, let inverse = relation.mirrored else { return }
    for other in others { note(other, inverse, relation.destinationLayout, row) }
  }

  mutating func note(_ incoming: IncomingRelation, to row: Int64) {
    guard case .link = incoming.relation.form else { return }
    targets[ObjectIdentifier(incoming.relation), default: (incoming, [])].rows.append(row)
  }

  /// Adds what the lists held before, where the step does not tell it already.
  mutating func complete(
    _ recorder: UndoRecorder, _ changes: inout [ObjectChange], _ places: [RowPlace: Int]
  ) throws {
    let core = recorder.core
    for (incoming, rows) in targets.values {
      guard case .link(let table, _) = incoming.relation.form else { continue }
      for (row, holder) in try core.session(for: incoming.layout).linkedRows(of: rows, table, isSource: false) {
        note(holder, incoming.relation, incoming.layout, row)
      }
    }
    var places = places
    for owners in lists.values {
      let state = try core.state(for: owners.layout)
      let property = owners.relation.property
      let missing = owners.rows.filter { row, members in
        guard let index = places[RowPlace(state, row)] else { return true }
        let change = changes[index]
        guard change.existed else { return false }
        // A list that was loaded when they had left it already does not tell where they stood.
        guard let list = change.lists[property], recorder.images[RowPlace(state, row)]?.lists[property] == nil else {
          return change.lists[property] == nil
        }
        return !members.isSubset(of: list.before)
      }
      .keys.inOrder()
      let stored = try core.storedLists(missing, state, owners.relation)
      for row in missing {
        let place = RowPlace(state, row)
        let before = recorder.images[place]?.lists[property] ?? stored[row] ?? []
        guard before.count > 1 || owners.relation.inverse == nil else { continue }
        let index = places[place] ?? changes.count
        if index == changes.count {
          places[place] = index
          let own = state.find(row).map { state.own(state.erased($0)) } ?? state
          changes.append(ObjectChange(own, row, saves: recorder.saves))
        }
        let known = changes[index].lists[property]
        changes[index].lists[property] = ObjectChange.List(
          before: before, after: known?.after ?? after(before, owners.relation, state, row),
          stored: owners.relation.isLink ? stored[row] ?? [] : nil)
      }
    }
  }

  /// What is known of the list by now: only where nothing mirrors it something may be missing.
  private func after(
    _ before: [Int64], _ relation: RelationLayout, _ state: EntityState, _ row: Int64
  ) -> [Int64] {
    guard let there = try? state.core.state(for: relation.destinationLayout) else { return before }
    return before.filter { !there.isDeleted($0) }
  }
}
