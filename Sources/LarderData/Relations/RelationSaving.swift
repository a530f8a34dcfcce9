import LarderSQLite

/// What a save writes for relationships beside the rows: orders, pairs, and keys of rows that became other rows.
final class RelationSaving {
  private let core: ContextCore
  private let connection: Connection
  /// The orders of rows in the to-manys that mirror their keys: by the model that declares the key, by the key's
  /// property, by row.
  private var orders: [Int: [Int: [Int64: Int64]]] = [:]
  /// The last order given below a row, by model and the key's property.
  private var last: [OwnerPlace: Int64] = [:]

  private struct OwnerPlace: Hashable {
    let layout: Int
    let property: Int
    let owner: Int64
  }

  init(_ core: ContextCore, _ connection: Connection) {
    self.core = core
    self.connection = connection
  }

  /// The orders that new rows of a model are inserted with, in the order of the model's order columns.
  func orders(for layout: ModelLayout) -> [[Int64: Int64]] {
    layout.orderColumns.map { orders[layout.owner(of: $0.property).id]?[$0.property] ?? [:] }
  }

  // MARK: - Before the rows

  func prepare() throws {
    for state in core.known {
      for relation in state.layout.relations where relation.isToMany {
        guard case .mirror(let key) = relation.form else { continue }
        try orderMembers(of: state, relation, key)
        try orderJoined(state, relation, key)
      }
    }
    for state in core.known {
      for column in state.layout.orderColumns { try orderAppended(state, column.property) }
    }
  }

  private func orderMembers(of state: EntityState, _ relation: RelationLayout, _ key: Int) throws {
    guard !state.inserted.isEmpty || !state.formerRelations.isEmpty else { return }
    let there = try core.state(for: relation.destinationLayout)
    for object in state.inserted {
      guard case .many(let members?) = state.erased(object)._$relation(relation.property) else { continue }
      for (place, member) in members.enumerated() {
        set(Int64(place + 1) * StoreFormat.orderStep, of: member._$header.pointee.rowID, there, key)
      }
    }
    for former in state.formerRelations.values where former.property == relation.property {
      let header = former.model._$header
      guard !header.pointee.status.contains(.deleted), case .many(let base) = former.value,
        case .many(let members?) = former.model._$relation(relation.property)
      else { continue }
      let row = header.pointee.rowID
      let kept = base.map { RelationSaving.lengthOfUnchangedOrder($0, members) } ?? nil
      if let kept {
        for member in members[kept...] {
          set(try nextOrder(there, key, below: row), of: member._$header.pointee.rowID, there, key)
        }
      } else {
        let plan = OrderPlan(
          stored: try storedOrders(there, key, below: row), wanted: members.map { $0._$header.pointee.rowID })
        for (member, order) in plan.changes { set(order, of: member, there, key) }
      }
    }
  }

  /// How many of the members were there before and stand as they did, where all others come after them.
  static func lengthOfUnchangedOrder(_ base: [any PersistentModel], _ members: [any PersistentModel]) -> Int? {
    var place = 0
    var index = 0
    while index < members.count, place < base.count {
      if base[place] === members[index] { index += 1 }
      place += 1
    }
    // What is left is new, unless it stood earlier in the list.
    guard index < members.count else { return index }
    let former = Set(base.map { ObjectIdentifier($0) })
    return members[index...].contains { former.contains(ObjectIdentifier($0)) } ? nil : index
  }

  /// Objects that were given an owner whose to-many is not in memory come last in it, in that order.
  private func orderJoined(_ state: EntityState, _ relation: RelationLayout, _ key: Int) throws {
    guard !state.linkEdits.isEmpty else { return }
    let there = try core.state(for: relation.destinationLayout)
    for former in state.formerRelations.values where former.property == relation.property {
      let owner = former.model._$header
      guard !owner.pointee.status.contains(.deleted),
        let edit = state.linkEdits[RelationPlace(former.model, relation.property)]
      else { continue }
      for member in edit.added {
        let header = member._$header
        guard !header.pointee.status.contains(.deleted), member._$key(key) == owner.pointee.rowID else { continue }
        set(try nextOrder(there, key, below: owner.pointee.rowID), of: header.pointee.rowID, there, key)
      }
    }
  }

  /// What else was given an owner.
  private func orderAppended(_ state: EntityState, _ key: Int) throws {
    let bit = ModelLayout.bit(key)
    let isDirty = state.dirtyMask & bit != 0
    guard isDirty || !state.inserted.isEmpty else { return }
    for object in (isDirty ? state.changed : []) + state.inserted {
      let model = state.erased(object)
      let header = model._$header
      if header.pointee.status.contains(.deleted) { continue }
      if header.pointee.status.contains(.stored), let relation = state.layout.relation(key),
        !state.isMoved(model, relation)
      {
        continue
      }
      let owner = model._$key(key)
      guard owner > 0, orders[state.layout.owner(of: key).id]?[key]?[header.pointee.rowID] == nil,
        !isListed(state, key, below: owner)
      else { continue }
      set(try nextOrder(state, key, below: owner), of: header.pointee.rowID, state, key)
    }
  }

  /// Whether the owner's to-many is in memory: what stands in it has its order, even where it left and came back.
  private func isListed(_ state: EntityState, _ key: Int, below owner: Int64) -> Bool {
    guard let relation = state.layout.relation(key), let list = relation.mirrored,
      let there = try? core.state(for: relation.destinationLayout), let object = there.find(owner)
    else { return false }
    if case .many(.some) = there.erased(object)._$relation(list.property) { return true }
    return false
  }

  private func set(_ order: Int64, of row: Int64, _ state: EntityState, _ key: Int) {
    orders[state.layout.owner(of: key).id, default: [:]][key, default: [:]][row] = order
  }

  private func nextOrder(_ state: EntityState, _ key: Int, below owner: Int64) throws -> Int64 {
    let place = OwnerPlace(layout: state.layout.owner(of: key).id, property: key, owner: owner)
    let previous = try last[place] ?? greatestOrder(state, key, below: owner)
    let order = previous > Int64.max - StoreFormat.orderStep ? Int64.max : previous + StoreFormat.orderStep
    last[place] = order
    return order
  }

  private func columns(_ state: EntityState, _ key: Int) -> (key: String, order: String)? {
    guard case .key(let column, let order?)? = state.layout.relation(key)?.form else { return nil }
    return (StoreFormat.quoted(state.layout.columns[column].name), StoreFormat.quoted(order))
  }

  private func greatestOrder(_ state: EntityState, _ key: Int, below owner: Int64) throws -> Int64 {
    guard let columns = columns(state, key) else { return 0 }
    let sql = "SELECT max(\(columns.order)) FROM \(state.statements.table) WHERE \(columns.key) = ?1"
    return try connection.withStatement(for: sql) { statement in
      statement.bind(1, owner)
      defer { statement.reset() }
      return try statement.step() ? statement.int64(0) : 0
    }
  }

  private func storedOrders(
    _ state: EntityState, _ key: Int, below owner: Int64
  ) throws -> [(row: Int64, order: Int64?)] {
    guard let columns = columns(state, key) else { return [] }
    let id = StoreFormat.identifierColumn
    let sql =
      "SELECT \(id), \(columns.order) FROM \(state.statements.table) WHERE \(columns.key) = ?1 "
      + "ORDER BY \(columns.order), \(id)"
    return try connection.withStatement(for: sql) { statement in
      statement.bind(1, owner)
      defer { statement.reset() }
      var rows: [(row: Int64, order: Int64?)] = []
      while try statement.step() { rows.append((statement.int64(0), statement.isNull(1) ? nil : statement.int64(1))) }
      return rows
    }
  }

  // MARK: - After the rows

  func finish(_ savings: [EntitySaving]) throws {
    try writeOrders()
    for state in core.known {
      for relation in state.layout.relations {
        guard case .link(let table, let isSource) = relation.form else { continue }
        try LinkSaving(state, relation, table, isSource: isSource, connection).write()
      }
    }
    for saving in savings {
      var renamed = saving.redrawn
      for union in saving.unions {
        let old = saving.state.erased(union.object)._$header.pointee.rowID
        if old != union.row { renamed[old] = union.row }
      }
      if !renamed.isEmpty { try redirect(renamed, saving.state.layout) }
    }
  }

  /// New rows have theirs already.
  private func writeOrders() throws {
    for state in core.known {
      guard let byKey = orders[state.layout.id] else { continue }
      var new = Set(state.inserted.map { state.erased($0)._$header.pointee.rowID })
      for one in state.below { new.formUnion(one.inserted.map { one.erased($0)._$header.pointee.rowID }) }
      for (key, orders) in byKey {
        guard let columns = columns(state, key) else { continue }
        let sql =
          "UPDATE \(state.statements.table) SET \(columns.order) = ?1 WHERE \(StoreFormat.identifierColumn) = ?2"
        for (row, order) in orders.sorted(by: { $0.key < $1.key }) where !new.contains(row) {
          try connection.withStatement(for: sql) { statement in
            statement.bind(1, order)
            statement.bind(2, row)
            try statement.run()
          }
        }
      }
    }
  }

  /// Makes everything that refers to a row that was not inserted after all refer to the one in its place.
  private func redirect(_ renamed: [Int64: Int64], _ layout: ModelLayout) throws {
    for state in core.known {
      for relation in state.layout.ownRelations where layout.inherits(from: relation.destinationLayout) {
        switch relation.form {
        case .key(let column, let order):
          let key = StoreFormat.quoted(state.layout.columns[column].name)
          // After those that the row has already.
          let moved = order.map { order in
            let order = StoreFormat.quoted(order)
            return ", \(order) = \(order) + coalesce((SELECT max(\(order)) FROM \(state.statements.table) "
              + "WHERE \(key) = ?1), 0)"
          }
          let sql = "UPDATE \(state.statements.table) SET \(key) = ?1\(moved ?? "") WHERE \(key) = ?2"
          for (old, new) in renamed { try run(sql, new, old) }
        case .link(let table, let isSource): try redirect(renamed, table, isSource: !isSource)
        case .mirror: break
        }
      }
    }
    for relation in layout.relations {
      if case .link(let table, let isSource) = relation.form { try redirect(renamed, table, isSource: isSource) }
    }
  }

  private func redirect(_ renamed: [Int64: Int64], _ table: LinkTable, isSource: Bool) throws {
    let column = isSource ? LinkTable.sourceColumn : LinkTable.targetColumn
    let name = StoreFormat.quoted(table.name)
    for (old, new) in renamed {
      // A pair that is there already stays as it is.
      try run("UPDATE OR IGNORE \(name) SET \(column) = ?1 WHERE \(column) = ?2", new, old)
      try connection.withStatement(for: "DELETE FROM \(name) WHERE \(column) = ?1") { statement in
        statement.bind(1, old)
        try statement.run()
      }
    }
  }

  private func run(_ sql: String, _ first: Int64, _ second: Int64) throws {
    try connection.withStatement(for: sql) { statement in
      statement.bind(1, first)
      statement.bind(2, second)
      try statement.run()
    }
  }
}
