import LarderSQLite
import LarderSupport

/// A writer of the parts of relationships that are not in the inserted rows: orders, pairs, and keys of replaced rows.
final class RelationshipWriter {
  private let core: _ContextCore
  /// The trackers of the models in the store that is written to.
  private let trackers: [_EntityTracker]
  private let connection: Connection
  /// The orders of rows in the inverses of their foreign keys: one for each order column.
  private var allAssignedOrders: [AssignedOrders] = []
  /// The last order that was assigned in an owner's list, by model and the foreign key's property.
  private var lastOrders: [OrderKey: Int64] = [:]

  private struct OrderKey: Hashable {
    let layout: Int
    let property: Int
    let owner: Int64
  }

  init(_ core: _ContextCore, _ trackers: [_EntityTracker], _ connection: Connection) {
    self.core = core
    self.trackers = trackers
    self.connection = connection
  }

  /// Returns the orders with which new rows of a model are inserted, in the order of the model's order columns.
  func orders(for layout: _ModelLayout) -> [AssignedOrders] {
    layout.orderColumns.compactMap { assignedOrders(layout, $0.property) }
  }

  private func assignedOrders(_ layout: _ModelLayout, _ key: Int) -> AssignedOrders? {
    let owner = layout.declaringLayout(of: key).id
    return allAssignedOrders.first { $0.layoutID == owner && $0.property == key }
  }

  /// Returns the order that the save has assigned to an insert in the inverse of one of its foreign keys.
  func order(of inserted: any PersistentModel, _ layout: _ModelLayout, _ key: Int) -> Int64? {
    assignedOrders(layout, key)?[inserted._$header]
  }

  /// Returns whether the save has assigned another order to a stored row in such a to-many.
  func hasNewOrder(_ row: Int64, _ layout: _ModelLayout, _ key: Int) -> Bool {
    assignedOrders(layout, key)?.stored[row] != nil
  }

  // MARK: - Before the rows

  func assignOrders() throws {
    makeAssignedOrders()
    for tracker in trackers {
      for relationship in tracker.layout.relationships where relationship.isToMany {
        guard case .inverse(let key) = relationship.storage else { continue }
        try orderMembers(of: tracker, relationship, key)
        try orderAddedMembers(tracker, relationship, key)
      }
    }
    for tracker in trackers {
      for table in orders(for: tracker.layout) { try orderReassigned(tracker, table) }
    }
  }

  /// Creates the tables of orders. New objects are numbered through all classes of a table: any of them may be a member.
  private func makeAssignedOrders() {
    for root in trackers where root.topmost == nil && root.family.contains(where: { !$0.layout.orderColumns.isEmpty }) {
      var rows: ContiguousArray<Int64> = []
      for tracker in root.family { assignInsertIndexes(tracker.inserted, tracker.layout.type, &rows) }
      for tracker in root.family {
        for column in tracker.layout.orderColumns
        where tracker.layout.declaringLayout(of: column.property) === tracker.layout {
          allAssignedOrders.append(
            AssignedOrders(layoutID: tracker.layout.id, property: column.property, inserted: rows))
        }
      }
    }
  }

  private func assignInsertIndexes<Model: PersistentModel>(
    _ objects: [AnyObject], _ type: Model.Type, _ rows: inout ContiguousArray<Int64>
  ) {
    rows.reserveCapacity(rows.count + objects.count)
    for object in objects {
      let header = unsafeDowncast(object, to: Model.self)._$header
      header.pointee.changedIndex = Int32(truncatingIfNeeded: rows.count)
      rows.append(header.pointee.rowID)
    }
  }

  private func orderMembers(of tracker: _EntityTracker, _ relationship: RelationshipLayout, _ key: Int) throws {
    guard !tracker.inserted.isEmpty || !tracker.originalRelationships.isEmpty else { return }
    let there = try core.tracker(for: relationship.destinationLayout)
    guard let table = assignedOrders(there.layout, key) else { return }
    for object in tracker.inserted {
      guard case .many(let members?) = tracker.erased(object)._$relationshipValue(relationship.property) else {
        continue
      }
      for (place, member) in members.enumerated() {
        table[member._$header] = Int64(place + 1) * StoreFormat.orderStep
      }
    }
    for former in tracker.originalRelationships.values where former.property == relationship.property {
      let header = former.model._$header
      guard !header.pointee.status.contains(.deleted), case .many = former.value,
        case .many(let members?) = former.model._$relationshipValue(relationship.property)
      else { continue }
      let row = header.pointee.rowID
      let kept =
        if let loaded = former.mergedRows {
          RelationshipWriter.unchangedPrefixCount(loaded, members.rowIDs)
        } else if case .many(let base?) = former.value {
          RelationshipWriter.unchangedPrefixCount(base, members)
        } else {
          Int?.none
        }
      if let kept {
        for member in members[kept...] {
          table[member._$header] = try nextOrder(there, key, below: row)
        }
      } else {
        let headers = Dictionary(
          members.map { ($0._$header.pointee.rowID, $0._$header) }, uniquingKeysWith: { first, _ in first })
        let plan = OrderPlan(
          stored: try storedOrders(there, key, below: row), wanted: members.map { $0._$header.pointee.rowID })
        for (member, order) in plan.changes {
          if let header = headers[member] { table[header] = order }
        }
      }
    }
  }

  /// Returns the number of members that were there before and are still in the same order, if all others follow them.
  static func unchangedPrefixCount(_ base: [any PersistentModel], _ members: [any PersistentModel]) -> Int? {
    var place = 0
    var index = 0
    while index < members.count, place < base.count {
      if base[place] === members[index] { index += 1 }
      place += 1
    }
    // The remaining members are new, unless they were earlier in the list.
    guard index < members.count else { return index }
    let former = Set(base.map { ObjectIdentifier($0) })
    return members[index...].contains { former.contains(ObjectIdentifier($0)) } ? nil : index
  }

  private static func unchangedPrefixCount(_ base: [Int64], _ members: [Int64]) -> Int? {
    var index = 0
    for row in base where index < members.count && row == members[index] { index += 1 }
    guard index < members.count else { return index }
    let former = Set(base)
    return members[index...].contains { former.contains($0) } ? nil : index
  }

  /// Orders objects that were assigned to an owner whose to-many is not in memory: they are the last, in that order.
  private func orderAddedMembers(_ tracker: _EntityTracker, _ relationship: RelationshipLayout, _ key: Int) throws {
    guard !tracker.joinEdits.isEmpty else { return }
    let there = try core.tracker(for: relationship.destinationLayout)
    guard let table = assignedOrders(there.layout, key) else { return }
    for former in tracker.originalRelationships.values where former.property == relationship.property {
      let owner = former.model._$header
      guard !owner.pointee.status.contains(.deleted),
        let edit = tracker.joinEdits[RelationshipKey(former.model, relationship.property)]
      else { continue }
      for member in edit.added {
        let header = member._$header
        guard !header.pointee.status.contains(.deleted), member._$foreignKey(key) == owner.pointee.rowID else {
          continue
        }
        table[header] = try nextOrder(there, key, below: owner.pointee.rowID)
      }
    }
  }

  /// Orders all other objects that were assigned to an owner.
  private func orderReassigned(_ tracker: _EntityTracker, _ table: AssignedOrders) throws {
    let key = table.property
    let bit = _ModelLayout.bit(key)
    let isDirty = tracker.dirtyMask & bit != 0
    guard let relationship = tracker.layout.relationship(key) else { return }
    if isDirty { try orderObjects(tracker.changed, tracker.layout.type, tracker, relationship, table) }
    try orderObjects(tracker.inserted, tracker.layout.type, tracker, relationship, table)
  }

  private func orderObjects<Model: PersistentModel>(
    _ objects: [AnyObject], _ type: Model.Type, _ tracker: _EntityTracker, _ relationship: RelationshipLayout,
    _ table: AssignedOrders
  ) throws {
    for object in objects {
      let model = unsafeDowncast(object, to: Model.self)
      let header = model._$header
      if header.pointee.status.contains(.deleted) || table[header] != nil { continue }
      if header.pointee.status.contains(.stored), !tracker.hasChangedForeignKey(model, relationship) { continue }
      let owner = model._$foreignKey(relationship.property)
      guard owner > 0, !isToManyLoaded(tracker, relationship.property, below: owner) else { continue }
      table[header] = try nextOrder(tracker, relationship.property, below: owner)
    }
  }

  /// Returns whether the owner's to-many is in memory: its members have their order, even if they were removed and added again.
  private func isToManyLoaded(_ tracker: _EntityTracker, _ key: Int, below owner: Int64) -> Bool {
    guard let relationship = tracker.layout.relationship(key), let list = relationship.inverse,
      let there = try? core.tracker(for: relationship.destinationLayout), let object = there.find(owner)
    else { return false }
    return there.erased(object)._$foreignKey(list.property) != 0
  }

  private func nextOrder(_ tracker: _EntityTracker, _ key: Int, below owner: Int64) throws -> Int64 {
    let place = OrderKey(layout: tracker.layout.declaringLayout(of: key).id, property: key, owner: owner)
    let previous = try lastOrders[place] ?? maximumOrder(tracker, key, below: owner)
    let order = previous > Int64.max - StoreFormat.orderStep ? Int64.max : previous + StoreFormat.orderStep
    lastOrders[place] = order
    return order
  }

  private func columns(_ tracker: _EntityTracker, _ key: Int) -> (key: String, order: String)? {
    guard case .foreignKey(let column, let order?)? = tracker.layout.relationship(key)?.storage else { return nil }
    return (StoreFormat.quoted(tracker.layout.columns[column].name), StoreFormat.quoted(order))
  }

  private func maximumOrder(_ tracker: _EntityTracker, _ key: Int, below owner: Int64) throws -> Int64 {
    guard let columns = columns(tracker, key) else { return 0 }
    let sql = "SELECT max(\(columns.order)) FROM \(tracker.statements.table) WHERE \(columns.key) = ?1"
    return try connection.withStatement(for: sql) { statement in
      statement.bind(1, owner)
      return try statement.step() ? statement.int64(0) : 0
    }
  }

  private func storedOrders(
    _ tracker: _EntityTracker, _ key: Int, below owner: Int64
  ) throws -> [(row: Int64, order: Int64?)] {
    guard let columns = columns(tracker, key) else { return [] }
    let id = StoreFormat.identifierColumn
    let sql =
      "SELECT \(id), \(columns.order) FROM \(tracker.statements.table) WHERE \(columns.key) = ?1 "
      + "ORDER BY \(columns.order), \(id)"
    return try connection.withStatement(for: sql) { statement in
      statement.bind(1, owner)
      var rows: [(row: Int64, order: Int64?)] = []
      while try statement.step() { rows.append((statement.int64(0), statement.isNull(1) ? nil : statement.int64(1))) }
      return rows
    }
  }

  // MARK: - After the rows

  func writeRelationships(_ entityWriters: [EntityWriter]) throws {
    try writeOrders()
    let pairs = try UpsertedJoinRows(entityWriters, connection)
    for tracker in trackers {
      for relationship in tracker.layout.relationships {
        guard case .joinTable(let table, let isSource) = relationship.storage else { continue }
        try JoinTableWriter(tracker, relationship, table, isSource: isSource, connection).write()
      }
    }
    for entityWriter in entityWriters {
      var renamed = entityWriter.reassignedRowIDs
      for union in entityWriter.resolvedUpserts {
        let old = entityWriter.tracker.erased(union.object)._$header.pointee.rowID
        if old != union.row { renamed[old] = union.row }
      }
      if !renamed.isEmpty { try redirectReferences(renamed, entityWriter.tracker.layout) }
    }
    try pairs.recordAdditions()
  }

  /// Writes the orders of stored rows. New rows have theirs already.
  private func writeOrders() throws {
    for tracker in trackers {
      for table in allAssignedOrders where table.layoutID == tracker.layout.id && !table.stored.isEmpty {
        guard let columns = columns(tracker, table.property) else { continue }
        let sql =
          "UPDATE \(tracker.statements.table) SET \(columns.order) = ?1 WHERE \(StoreFormat.identifierColumn) = ?2"
        for (row, order) in table.stored.sorted(by: { $0.key < $1.key }) {
          try connection.withStatement(for: sql) { statement in
            statement.bind(1, order)
            statement.bind(2, row)
            try statement.run()
          }
        }
      }
    }
  }

  /// Makes all references to a row that was not inserted after all reference the row in its place.
  func redirectReferences(_ renamed: [Int64: Int64], _ layout: _ModelLayout) throws {
    for tracker in trackers {
      for relationship in tracker.layout.noninheritedRelations
      where layout.inherits(from: relationship.destinationLayout) {
        switch relationship.storage {
        case .foreignKey(let column, let order):
          let key = StoreFormat.quoted(tracker.layout.columns[column].name)
          // After the members that the row has already.
          let moved = order.map { order in
            let order = StoreFormat.quoted(order)
            return ", \(order) = \(order) + coalesce((SELECT max(\(order)) FROM \(tracker.statements.table) "
              + "WHERE \(key) = ?1), 0)"
          }
          let sql = "UPDATE \(tracker.statements.table) SET \(key) = ?1\(moved ?? "") WHERE \(key) = ?2"
          for (old, new) in renamed { try execute(sql, new, old) }
        case .joinTable(let table, let isSource): try redirectReferences(renamed, table, isSource: !isSource)
        case .inverse: break
        }
      }
    }
    for relationship in layout.relationships {
      if case .joinTable(let table, let isSource) = relationship.storage {
        try redirectReferences(renamed, table, isSource: isSource)
      }
    }
  }

  private func redirectReferences(_ renamed: [Int64: Int64], _ table: JoinTable, isSource: Bool) throws {
    let column = isSource ? JoinTable.sourceColumn : JoinTable.targetColumn
    let name = StoreFormat.quoted(table.name)
    // After the pairs that the row has already.
    let order = isSource ? JoinTable.sourceOrderColumn : table.isOrderedByTarget ? JoinTable.targetOrderColumn : nil
    let moved = order.map { ", \($0) = \($0) + coalesce((SELECT max(\($0)) FROM \(name) WHERE \(column) = ?1), 0)" }
    for (old, new) in renamed {
      // An existing pair stays as it is.
      try execute("UPDATE OR IGNORE \(name) SET \(column) = ?1\(moved ?? "") WHERE \(column) = ?2", new, old)
      try connection.withStatement(for: "DELETE FROM \(name) WHERE \(column) = ?1") { statement in
        statement.bind(1, old)
        try statement.run()
      }
    }
  }

  private func execute(_ sql: String, _ first: Int64, _ second: Int64) throws {
    try connection.withStatement(for: sql) { statement in
      statement.bind(1, first)
      statement.bind(2, second)
      try statement.run()
    }
  }
}
