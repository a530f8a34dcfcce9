import LarderSQLite
import LarderSupport

/// Repairs one-to-one foreign keys after an insert was resolved to an existing row: rows that referenced the insert now
/// reference that row, and the row's previous referrer is set to NULL.
struct UpsertedOneToOneResolver {
  /// The column of a one-to-one relationship that references the rows.
  private struct ReferencingColumn {
    let tracker: _EntityTracker
    let relationship: RelationshipLayout
    let column: String
  }

  private let core: _ContextCore
  private let relationshipWriter: RelationshipWriter
  private let connection: Connection
  /// The writers of the save, and those of entities that had none in it.
  private(set) var entityWriters: [EntityWriter]

  init(
    _ core: _ContextCore, _ entityWriters: [EntityWriter], _ relationships: RelationshipWriter, _ connection: Connection
  ) {
    self.core = core
    self.entityWriters = entityWriters
    self.relationshipWriter = relationships
    self.connection = connection
  }

  /// Sets previous referrers to NULL. Called after the references to inserts were replaced by references to the rows.
  mutating func resolve() throws {
    let united = entityWriters.filter { !$0.resolvedUpserts.isEmpty && $0.tracker.layout.hasRelations }
    for entityWriter in united {
      for relationship in entityWriter.tracker.layout.relationships where !relationship.isToMany {
        guard let mirrored = relationship.inverse, !mirrored.isToMany,
          case .foreignKey(let column, _) = mirrored.storage
        else {
          continue
        }
        let there = try core.tracker(for: relationship.destinationLayout)
        let leading = ReferencingColumn(
          tracker: there, relationship: mirrored, column: StoreFormat.quoted(there.layout.columns[column].name))
        if mirrored.isSymmetric {
          for (row, chosen) in try symmetricTargets(of: entityWriter, leading) {
            try nullifyReferrers(of: row, in: leading) { $0.row == chosen }
          }
        } else {
          for (row, followers) in referrers(of: entityWriter, leading) {
            try nullifyReferrers(of: row, in: leading, exceptLastOf: followers)
          }
        }
      }
    }
    for entityWriter in entityWriters { entityWriter.mergeNullifiedKeys() }
  }

  /// Returns the rows to which inserts were resolved, each with the rows that referenced such an insert, in the inserts' order.
  private func referrers(of entityWriter: EntityWriter, _ leading: ReferencingColumn) -> [(
    row: Int64, followers: [Int64]
  )] {
    var followers: [Int64: Int64] = [:]
    for candidate in entityWriters where candidate.tracker.root === leading.tracker.root {
      guard candidate.tracker.layout.inherits(from: leading.tracker.layout) else { continue }
      for object in candidate.tracker.inserted + candidate.tracker.changed {
        let owner = candidate.tracker.erased(object)
        let status = owner._$header.pointee.status
        let isLed = status.contains(.inserted) || candidate.tracker.hasChangedForeignKey(owner, leading.relationship)
        guard isLed, !status.contains(.deleted) else { continue }
        followers[owner._$foreignKey(leading.relationship.property)] = candidate.row(of: owner)
      }
    }
    var found: [Int64: [Int64]] = [:]
    for union in entityWriter.resolvedUpserts {
      let former = entityWriter.tracker.erased(union.object)._$header.pointee.rowID
      if let follower = followers[former] { found[union.row, default: []].append(follower) }
    }
    return found.map { ($0.key, $0.value) }.inOrder { $0.row < $1.row }
  }

  /// Returns, for a relationship that is its own inverse, the rows to which inserts were resolved, each with the row that it
  /// references, or 0.
  private func symmetricTargets(of entityWriter: EntityWriter, _ leading: ReferencingColumn) throws -> [(
    row: Int64, chosen: Int64
  )] {
    let sql =
      "SELECT \(leading.column) FROM \(leading.tracker.statements.table) WHERE \(StoreFormat.identifierColumn) = ?1"
    return try Set(entityWriter.resolvedUpserts.map(\.row)).inOrder().map { row in
      try connection.withStatement(for: sql) { statement in
        statement.bind(1, row)
        return (row, try statement.step() && !statement.isNull(0) ? statement.int64(0) : 0)
      }
    }
  }

  private typealias Referrer = (row: Int64, identity: EntityIdentity)

  /// Keeps the last of the referrers that still references the row. One of them may reference another row now: it was itself
  /// an insert resolved to a row, and a later insert changed the key.
  private mutating func nullifyReferrers(of row: Int64, in leading: ReferencingColumn, exceptLastOf followers: [Int64])
    throws
  {
    let there = Set(try storedReferrers(of: row, leading).map(\.row))
    guard let chosen = followers.last(where: there.contains) else { return }
    try nullifyReferrers(of: row, in: leading) { $0.row == chosen }
  }

  /// Returns the rows that reference a row.
  private func storedReferrers(of row: Int64, _ leading: ReferencingColumn) throws -> [Referrer] {
    let itsClass = leading.tracker.statements.hasClasses ? StoreFormat.classColumn : "NULL"
    let sql =
      "SELECT \(StoreFormat.identifierColumn), \(itsClass) FROM \(leading.tracker.statements.table) "
      + "WHERE \(leading.column) = ?1"
    return try connection.withStatement(for: sql) { statement in
      statement.bind(1, row)
      var rows: [Referrer] = []
      while try statement.step() {
        rows.append((statement.int64(0), leading.tracker.identity(of: statement, column: 1)))
      }
      return rows
    }
  }

  /// Sets the foreign keys of all rows that reference a row to NULL, except those that stay.
  private mutating func nullifyReferrers(of row: Int64, in leading: ReferencingColumn, except stays: (Referrer) -> Bool)
    throws
  {
    let former = try storedReferrers(of: row, leading).filter { !stays($0) }
    if former.isEmpty { return }
    let (id, version) = (StoreFormat.identifierColumn, StoreFormat.versionColumn)
    let table = leading.tracker.statements.table
    guard leading.relationship.isOptional else { throw requiredKeyError(former, row, leading) }
    let update =
      "UPDATE \(table) SET \(leading.column) = NULL, \(version) = \(version) + 1 WHERE \(id) = ?1"
    for (parted, identity) in former {
      try connection.withStatement(for: update) { statement in
        statement.bind(1, parted)
        try statement.run()
      }
      try entityWriter(of: identity, leading.tracker).recordNullifiedKey(parted, leading.relationship)
    }
  }

  private func requiredKeyError(
    _ former: [(row: Int64, identity: EntityIdentity)], _ row: Int64, _ leading: ReferencingColumn
  ) -> SaveError {
    let entity = leading.tracker.layout.entityName
    let name = leading.relationship.name
    let there = leading.relationship.destinationLayout.entityName
    let identifiers = former.map { PersistentIdentifier(identity: $0.identity, key: $0.row, isSaved: true) }
    let first = "\(former[0].identity.entity) \(former[0].row)"
    return SaveError(
      .uniquenessConflict, entityName: entity, properties: [name], identifiers: identifiers,
      "\(first) refers to \(there) \(row) by \(name), which is not optional, and a new \(entity) refers to an insert "
        + "that has that row's key: both would be at the one end. Change \(first) instead of inserting another, or delete "
        + "it. Nothing was written.")
  }

  private mutating func entityWriter(of identity: EntityIdentity, _ tracker: _EntityTracker) throws -> EntityWriter {
    let own = tracker.root.family.first { $0.identity === identity } ?? tracker
    if let known = entityWriters.first(where: { $0.tracker === own }) { return known }
    let new = EntityWriter(own, connection: connection, relationshipWriter, nil)
    entityWriters.append(new)
    return new
  }
}
