import Foundation
import LarderSQLite
import LarderSupport

/// Writes an update by predicate as part of a save: one statement inside the save's transaction, and afterwards a refresh of
/// the objects in memory.
final class BatchUpdateWriter {
  let tracker: _EntityTracker
  /// The row IDs of the updated rows.
  private(set) var rows: [Int64] = []
  /// The same rows by their class, if the entity has subclasses.
  private var rowsByClass: [String: [Int64]] = [:]

  private let fetch: PreparedFetch
  private let plan: PredicatePlan?
  /// The predicate, if SQL evaluates all of it. Otherwise the matching rows are found first, and the statement lists them.
  private let expression: (any StandardPredicateExpression<Bool>)?
  private let columns: [ColumnLayout]
  private let values: [_StoredValue]
  private let condition: String?
  private let parameterCount: Int
  private let sql: String
  private var matchingRows: BoundValues?

  init<Model: PersistentModel>(_ core: _ContextCore, _ update: BatchUpdate<Model>, _ predicate: Predicate<Model>?)
    throws
  {
    let layout = update.layout
    if core.hasStorageBackends { try core.refreshFromBackend(FetchDescriptor(predicate: predicate)) }
    fetch = try PreparedFetch(FetchRequest(FetchDescriptor(predicate: predicate)), in: core)
    tracker = fetch.tracker
    plan = fetch.plan
    let isWhole = plan?.isWholeSQL ?? true
    expression = isWhole ? predicate?.expression : nil
    let changed = update.columns.inOrder { $0.key < $1.key }
    columns = changed.map { layout.columns[$0.key] }
    values = update.values

    parameterCount = isWhole ? plan?.parameterCount ?? 0 : 1
    let first = parameterCount + 1
    let names = columns.map { StoreFormat.quoted($0.name) }
    let expressions = zip(names, changed).map { $1.value.sql($0, from: first) }
    let version = StoreFormat.versionColumn
    let assignments = zip(names, expressions).map { "\($0) = \($1)" } + ["\(version) = \(version) + 1"]
    condition =
      isWhole
      ? plan?.whereSQL : "\(StoreFormat.identifierColumn) IN (SELECT value FROM larder_values(?1))"
    var conditions = condition.map { ["(\($0))"] } ?? []
    if let filter = tracker.statements.filter { conditions.append(filter) }
    if update.isConstant {
      // Skip a row that already has the values, so that no page is written.
      conditions.append("(\(names.joined(separator: ", "))) IS NOT (\(expressions.joined(separator: ", ")))")
    }
    sql =
      "UPDATE \(tracker.statements.table) AS \(StoreFormat.quoted(layout.entityName)) SET \(assignments.joined(separator: ", "))"
      + (conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))")
      + " RETURNING \(StoreFormat.identifierColumn)"
      + (tracker.statements.classes == nil ? "" : ", \(StoreFormat.classColumn)")
  }

  var mask: _PropertyMask { columns.reduce(0) { $0 | _ModelLayout.bit($1.property) } }

  // MARK: Inside the transaction

  /// Runs the statement. May be called twice, if the save is retried.
  func write(on connection: Connection) throws {
    rows.removeAll()
    rowsByClass.removeAll()
    do {
      if let plan, expression == nil {
        matchingRows = BoundValues(try fetch.rowsToUpdate(plan, on: connection))
      }
      try connection.withStatement(for: sql) { statement in
        try bind(to: statement)
        let hasClasses = tracker.statements.classes != nil
        while try statement.step() {
          rows.append(statement.int64(0))
          if hasClasses { rowsByClass[statement.string(1), default: []].append(statement.int64(0)) }
        }
      }
    } catch let error as SQLiteError {
      throw failure(error, connection)
    } catch let failure as PredicateFailure {
      throw FetchError(failure, entityName: tracker.layout.entityName)
    }
  }

  private func bind(to statement: Statement) throws {
    try bindCondition(to: statement)
    for (number, value) in values.enumerated() { statement.bind(Int32(parameterCount + number + 1), value) }
  }

  private func bindCondition(to statement: Statement) throws {
    if let plan, let expression { try plan.bind(expression, to: statement) }
    if let matchingRows { statement.bind(1, matchingRows) }
  }

  /// Returns the save's changes, merged with those of the update.
  func merged(into entities: [ChangeSet.Entity]) -> [ChangeSet.Entity] {
    if rowsByClass.isEmpty { return merged(rows, of: tracker, into: entities) }
    return tracker.store.hierarchy(of: tracker.layout).members.reduce(entities) { entities, layout in
      guard let rows = rowsByClass[layout.entityName], let tracker = try? tracker.core.tracker(for: layout) else {
        return entities
      }
      return merged(rows, of: tracker, into: entities)
    }
  }

  private func merged(_ rows: [Int64], of tracker: _EntityTracker, into entities: [ChangeSet.Entity]) -> [ChangeSet
    .Entity]
  {
    guard !rows.isEmpty else { return entities }
    var entities = entities
    if !entities.contains(where: { $0.layout === tracker.layout }) {
      entities.append(ChangeSet.Entity(layout: tracker.layout, identity: tracker.identity))
    }
    guard let place = entities.firstIndex(where: { $0.layout === tracker.layout }) else { return entities }
    // A row that this save inserted stays an insert; a row that it updated stays one update.
    let inserted = Set(entities[place].inserted)
    let places = Dictionary(
      entities[place].updated.enumerated().map { ($0.element.row, $0.offset) }, uniquingKeysWith: { $1 })
    for row in rows where !inserted.contains(row) {
      if let known = places[row] {
        entities[place].updated[known].mask |= mask
      } else {
        entities[place].updated.append(ChangeSet.Update(row: row, mask: mask))
      }
    }
    return entities
  }

  /// Replaces the row ID of a row that the same save inserted, after a data store has assigned another one.
  func reassignRowID(_ row: Int64, as new: Int64) {
    if let place = rows.firstIndex(of: row) { rows[place] = new }
    for (name, rows) in rowsByClass {
      if let place = rows.firstIndex(of: row) { rowsByClass[name]?[place] = new }
    }
  }

  // MARK: After the commit

  /// Refreshes the objects in memory. An object that cannot be read is read by the next fetch, which throws the error.
  func applyCommit() {
    guard !tracker.isEmpty else { return }
    let held = rows.filter { tracker.find($0) != nil }
    if !held.isEmpty { _ = try? tracker.core.refresh(held, tracker) }
  }

  // MARK: Errors

  private func failure(_ error: SQLiteError, _ connection: Connection) -> any Error {
    let layout = tracker.layout
    let entity = layout.entityName
    let names = columns.map { layout.properties[$0.property].name }
    if error.extendedCode == .unique { return uniquenessConflict(connection) }
    guard let failure = PredicateFailure(error) else { return error }
    if plan?.term.mayFail == true {
      return FetchError(
        .arithmetic, entityName: entity,
        "The update of \(entity) has no value for some row: \(failure) Nothing was written.")
    }
    return SaveError(
      .unstorableValue, entityName: entity, properties: names,
      "The update of \(entity) gives \(names.joined(separator: " or ")) a number that its type has no place for. Exclude "
        + "such rows by the predicate. Nothing was written.")
  }

  /// Returns an error that names the constraints of the updated columns, and rows that share a key or would share one.
  private func uniquenessConflict(_ connection: Connection) -> any Error {
    let layout = tracker.layout
    let changed = Set(columns.map(\.index))
    let groups = layout.uniqueGroups.filter { !changed.isDisjoint(with: $0) }
    let names = groups.map { $0.map { layout.columns[$0].name }.joined(separator: ", ") }
    var rows: [Int64] = []
    // Select the first of the rows that matched; the failed statement itself was undone.
    let select =
      tracker.statements.selectIdentifiers + (condition.map { " WHERE \($0)" } ?? "")
      + " ORDER BY \(StoreFormat.identifierColumn) LIMIT \(BatchUpdateWriter.maximumRowsInError)"
    try? connection.withStatement(for: select) { statement in
      try bindCondition(to: statement)
      while try statement.step() { rows.append(statement.int64(0)) }
    }
    return SaveError(
      .uniquenessConflict, entityName: layout.entityName, properties: names,
      identifiers: rows.map { PersistentIdentifier(identity: tracker.identity, key: $0, isSaved: true) },
      "The update of \(layout.entityName) would give two rows the same \(names.joined(separator: " or ")). Narrow the "
        + "predicate, or leave the key out. Nothing was written.")
  }

  /// The maximum number of rows in an error: more would make it longer and no clearer.
  private static let maximumRowsInError = 10
}
