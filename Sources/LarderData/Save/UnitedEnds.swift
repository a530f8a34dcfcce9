import LarderSQLite
import LarderSupport

/// Inserts that met rows, at the end of a relationship of one to one whose column is in the other table: what leads to the
/// insert leads to the row by now, and what led to the row makes way for it.
struct UnitedEnds {
  /// The relationship of one to one that leads to the rows.
  private struct Leading {
    let state: EntityState
    let relation: RelationLayout
    let column: String
  }

  private let core: ContextCore
  private let relations: RelationSaving
  private let connection: Connection
  /// Those of the save, and those of the models that had none in it.
  private(set) var savings: [EntitySaving]

  init(_ core: ContextCore, _ savings: [EntitySaving], _ relations: RelationSaving, _ connection: Connection) {
    self.core = core
    self.savings = savings
    self.relations = relations
    self.connection = connection
  }

  /// After what led to the inserts leads to the rows.
  mutating func makeWay() throws {
    let united = savings.filter { !$0.unions.isEmpty && $0.state.layout.hasRelations }
    for saving in united {
      for relation in saving.state.layout.relations where !relation.isToMany {
        guard let mirrored = relation.mirrored, !mirrored.isToMany, case .key(let column, _) = mirrored.form else {
          continue
        }
        let there = try core.state(for: relation.destinationLayout)
        let leading = Leading(
          state: there, relation: mirrored, column: StoreFormat.quoted(there.layout.columns[column].name))
        if mirrored.isSymmetric {
          for (row, chosen) in try returned(by: saving, leading) { try part(row, from: leading) { $0.row == chosen } }
        } else {
          for (row, followers) in followers(of: saving, leading) {
            try part(row, from: leading, forTheLastOf: followers)
          }
        }
      }
    }
    for saving in savings { saving.noteParted() }
  }

  /// The rows that inserts became, each with the rows that led to such an insert, in the order of these.
  private func followers(of saving: EntitySaving, _ leading: Leading) -> [(row: Int64, followers: [Int64])] {
    var followers: [Int64: Int64] = [:]
    for candidate in savings where candidate.state.root === leading.state.root {
      guard candidate.state.layout.inherits(from: leading.state.layout) else { continue }
      for object in candidate.state.inserted + candidate.state.changed {
        let owner = candidate.state.erased(object)
        let status = owner._$header.pointee.status
        let isLed = status.contains(.inserted) || candidate.state.isMoved(owner, leading.relation)
        guard isLed, !status.contains(.deleted) else { continue }
        followers[owner._$key(leading.relation.property)] = candidate.row(of: owner)
      }
    }
    var found: [Int64: [Int64]] = [:]
    for union in saving.unions {
      let former = saving.state.erased(union.object)._$header.pointee.rowID
      if let follower = followers[former] { found[union.row, default: []].append(follower) }
    }
    return found.map { ($0.key, $0.value) }.inOrder { $0.row < $1.row }
  }

  /// Of a relationship that mirrors itself: the rows that inserts became, each with the row that it leads to itself, or 0.
  private func returned(by saving: EntitySaving, _ leading: Leading) throws -> [(row: Int64, chosen: Int64)] {
    let sql =
      "SELECT \(leading.column) FROM \(leading.state.statements.table) WHERE \(StoreFormat.identifierColumn) = ?1"
    return try Set(saving.unions.map(\.row)).inOrder().map { row in
      try connection.withStatement(for: sql) { statement in
        statement.bind(1, row)
        return (row, try statement.step() && !statement.isNull(0) ? statement.int64(0) : 0)
      }
    }
  }

  private typealias Led = (row: Int64, identity: EntityIdentity)

  /// One of them may lead elsewhere by now: it was itself an insert that met a row, and a later one said so.
  private mutating func part(_ row: Int64, from leading: Leading, forTheLastOf followers: [Int64]) throws {
    let there = Set(try led(to: row, leading).map(\.row))
    guard let chosen = followers.last(where: there.contains) else { return }
    try part(row, from: leading) { $0.row == chosen }
  }

  /// The rows that lead to a row.
  private func led(to row: Int64, _ leading: Leading) throws -> [Led] {
    let itsClass = leading.state.statements.hasClasses ? StoreFormat.classColumn : "NULL"
    let sql =
      "SELECT \(StoreFormat.identifierColumn), \(itsClass) FROM \(leading.state.statements.table) "
      + "WHERE \(leading.column) = ?1"
    return try connection.withStatement(for: sql) { statement in
      statement.bind(1, row)
      var rows: [Led] = []
      while try statement.step() {
        rows.append((statement.int64(0), leading.state.identity(of: statement, column: 1)))
      }
      return rows
    }
  }

  /// Has all that lead to a row make way, but for those that stay.
  private mutating func part(_ row: Int64, from leading: Leading, stays: (Led) -> Bool) throws {
    let former = try led(to: row, leading).filter { !stays($0) }
    if former.isEmpty { return }
    let (id, version) = (StoreFormat.identifierColumn, StoreFormat.versionColumn)
    let table = leading.state.statements.table
    guard leading.relation.isOptional else { throw denied(former, row, leading) }
    let update =
      "UPDATE \(table) SET \(leading.column) = NULL, \(version) = \(version) + 1 WHERE \(id) = ?1"
    for (parted, identity) in former {
      try connection.withStatement(for: update) { statement in
        statement.bind(1, parted)
        try statement.run()
      }
      try saving(of: identity, leading.state).part(parted, leading.relation)
    }
  }

  private func denied(
    _ former: [(row: Int64, identity: EntityIdentity)], _ row: Int64, _ leading: Leading
  ) -> SaveError {
    let entity = leading.state.layout.entityName
    let name = leading.relation.name
    let there = leading.relation.destinationLayout.entityName
    let identifiers = former.map { PersistentIdentifier(identity: $0.identity, key: $0.row, isSaved: true) }
    let first = "\(former[0].identity.entity) \(former[0].row)"
    return SaveError(
      .uniquenessConflict, entityName: entity, properties: [name], identifiers: identifiers,
      "\(first) refers to \(there) \(row) by \(name), which is not optional, and a new \(entity) refers to an insert "
        + "that has that row's key: both would be at the one end. Change \(first) instead of inserting another, or delete "
        + "it. Nothing was written.")
  }

  private mutating func saving(of identity: EntityIdentity, _ state: EntityState) throws -> EntitySaving {
    let own = state.root.family.first { $0.identity === identity } ?? state
    if let known = savings.first(where: { $0.state === own }) { return known }
    let new = EntitySaving(own, connection: connection, relations, nil)
    savings.append(new)
    return new
  }
}
