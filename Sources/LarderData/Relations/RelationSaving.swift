import LarderSQLite
import LarderSupport

/// What a save writes for relationships beside the rows: orders, pairs, and keys of rows that became other rows.
final class RelationSaving {
  private let core: ContextCore
  /// Those of the models in the store that is written to.
  private let states: [EntityState]
  private let connection: Connection
  /// The orders of rows in the to-manys that mirror their keys: one for each order column.
  private var tables: [OrderTable] = []
  /// The last order given below a row, by model and the key's property.
  private var last: [OwnerPlace: Int64] = [:]

  private struct OwnerPlace: Hashable {
    let layout: Int
    let property: Int
    let owner: Int64
  }

  init(_ core: ContextCore, _ states: [EntityState], _ connection: Connection) {
    self.core = core
    self.states = states
    self.connection = connection
  }

  /// The orders that new rows of a model are inserted with, in the order of the model's order columns.
  func orders(for layout: ModelLayout) -> [OrderTable] {
    layout.orderColumns.compactMap { table(layout, $0.property) }
  }

  private func table(_ layout: ModelLayout, _ key: Int) -> OrderTable? {
    let owner = layout.owner(of: key).id
    return tables.first { $0.owner == owner && $0.key == key }
  }

  /// The order that the save has given an insert in the to-many that mirrors one of its keys.
  func order(of inserted: any PersistentModel, _ layout: ModelLayout, _ key: Int) -> Int64? {
    table(layout, key)?[inserted._$header]
  }

  /// Whether the save has given a row that is in the store another order in such a to-many.
  func isOrdered(_ row: Int64, _ layout: ModelLayout, _ key: Int) -> Bool { table(layout, key)?.stored[row] != nil }

  // MARK: - Before the rows

  func prepare() throws {
    makeTables()
    for state in states {
      for relation in state.layout.relations where relation.isToMany {
        guard case .mirror(let key) = relation.form else { continue }
        try orderMembers(of: state, relation, key)
        try orderJoined(state, relation, key)
      }
    }
    for state in states {
      for table in orders(for: state.layout) { try orderAppended(state, table) }
    }
  }

  /// New objects are numbered through the classes that share a table: any of them may be a member.
  private func makeTables() {
    for root in states where root.topmost == nil && root.family.contains(where: { !$0.layout.orderColumns.isEmpty }) {
      var rows: ContiguousArray<Int64> = []
      for state in root.family { number(state.inserted, state.layout.type, &rows) }
      for state in root.family {
        for column in state.layout.orderColumns where state.layout.owner(of: column.property) === state.layout {
          tables.append(OrderTable(owner: state.layout.id, key: column.property, inserted: rows))
        }
      }
    }
  }

  private func number<Model: PersistentModel>(
    _ objects: [AnyObject], _ type: Model.Type, _ rows: inout ContiguousArray<Int64>
  ) {
    rows.reserveCapacity(rows.count + objects.count)
    for object in objects {
      let header = unsafeDowncast(object, to: Model.self)._$header
      header.pointee.place = Int32(truncatingIfNeeded: rows.count)
      rows.append(header.pointee.rowID)
    }
  }

  private func orderMembers(of state: EntityState, _ relation: RelationLayout, _ key: Int) throws {
    guard !state.inserted.isEmpty || !state.formerRelations.isEmpty else { return }
    let there = try core.state(for: relation.destinationLayout)
    guard let table = table(there.layout, key) else { return }
    for object in state.inserted {
      guard case .many(let members?) = state.erased(object)._$relation(relation.property) else { continue }
      for (place, member) in members.enumerated() {
        table[member._$header] = Int64(place + 1) * StoreFormat.orderStep
      }
    }
    for former in state.formerRelations.values where former.property == relation.property {
      let header = former.model._$header
      guard !header.pointee.status.contains(.deleted), case .many = former.value,
        case .many(let members?) = former.model._$relation(relation.property)
      else { continue }
      let row = header.pointee.rowID
      let kept =
        if let loaded = former.loaded {
          RelationSaving.lengthOfUnchangedOrder(loaded, members.rows)
        } else if case .many(let base?) = former.value {
          RelationSaving.lengthOfUnchangedOrder(base, members)
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

  private static func lengthOfUnchangedOrder(_ base: [Int64], _ members: [Int64]) -> Int? {
    var index = 0
    for row in base where index < members.count && row == members[index] { index += 1 }
    guard index < members.count else { return index }
    let former = Set(base)
    return members[index...].contains { former.contains($0) } ? nil : index
  }

  /// Objects that were given an owner whose to-many is not in memory come last in it, in that order.
  private func orderJoined(_ state: EntityState, _ relation: RelationLayout, _ key: Int) throws {
    guard !state.linkEdits.isEmpty else { return }
    let there = try core.state(for: relation.destinationLayout)
    guard let table = table(there.layout, key) else { return }
    for former in state.formerRelations.values where former.property == relation.property {
      let owner = former.model._$header
      guard !owner.pointee.status.contains(.deleted),
        let edit = state.linkEdits[RelationPlace(former.model, relation.property)]
      else { continue }
      for member in edit.added {
        let header = member._$header
        guard !header.pointee.status.contains(.deleted), member._$key(key) == owner.pointee.rowID else { continue }
        table[header] = try nextOrder(there, key, below: owner.pointee.rowID)
      }
    }
  }

  /// What else was given an owner.
  private func orderAppended(_ state: EntityState, _ table: OrderTable) throws {
    let key = table.key
    let bit = ModelLayout.bit(key)
    let isDirty = state.dirtyMask & bit != 0
    guard let relation = state.layout.relation(key) else { return }
    if isDirty { try order(state.changed, state.layout.type, state, relation, table) }
    try order(state.inserted, state.layout.type, state, relation, table)
  }

  private func order<Model: PersistentModel>(
    _ objects: [AnyObject], _ type: Model.Type, _ state: EntityState, _ relation: RelationLayout, _ table: OrderTable
  ) throws {
    for object in objects {
      let model = unsafeDowncast(object, to: Model.self)
      let header = model._$header
      if header.pointee.status.contains(.deleted) || table[header] != nil { continue }
      if header.pointee.status.contains(.stored), !state.isMoved(model, relation) { continue }
      let owner = model._$key(relation.property)
      guard owner > 0, !isListed(state, relation.property, below: owner) else { continue }
      table[header] = try nextOrder(state, relation.property, below: owner)
    }
  }

  /// Whether the owner's to-many is in memory: what stands in it has its order, even where it left and came back.
  private func isListed(_ state: EntityState, _ key: Int, below owner: Int64) -> Bool {
    guard let relation = state.layout.relation(key), let list = relation.mirrored,
      let there = try? core.state(for: relation.destinationLayout), let object = there.find(owner)
    else { return false }
    return there.erased(object)._$key(list.property) != 0
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
      var rows: [(row: Int64, order: Int64?)] = []
      while try statement.step() { rows.append((statement.int64(0), statement.isNull(1) ? nil : statement.int64(1))) }
      return rows
    }
  }

  // MARK: - After the rows

  func finish(_ savings: [EntitySaving]) throws {
    try writeOrders()
    let pairs = try UnitedPairs(savings, connection)
    for state in states {
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
    try pairs.note()
  }

  /// New rows have theirs already.
  private func writeOrders() throws {
    for state in states {
      for table in tables where table.owner == state.layout.id && !table.stored.isEmpty {
        guard let columns = columns(state, table.key) else { continue }
        let sql =
          "UPDATE \(state.statements.table) SET \(columns.order) = ?1 WHERE \(StoreFormat.identifierColumn) = ?2"
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

  /// Makes everything that refers to a row that was not inserted after all refer to the one in its place.
  func redirect(_ renamed: [Int64: Int64], _ layout: ModelLayout) throws {
    for state in states {
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
    // After those that the row has already.
    let order = isSource ? LinkTable.sourceOrder : table.isOrderedByTarget ? LinkTable.targetOrder : nil
    let moved = order.map { ", \($0) = \($0) + coalesce((SELECT max(\($0)) FROM \(name) WHERE \(column) = ?1), 0)" }
    for (old, new) in renamed {
      // A pair that is there already stays as it is.
      try run("UPDATE OR IGNORE \(name) SET \(column) = ?1\(moved ?? "") WHERE \(column) = ?2", new, old)
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
