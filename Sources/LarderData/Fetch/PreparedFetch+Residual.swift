import Foundation
import LarderSQLite
import LarderSupport

// The part of a predicate that has no SQL is evaluated in Swift, for each row that the SQL part selects. A first query
// returns identifiers and the columns that this part reads. A second query, of the same snapshot, returns the requested form
// of the rows that remain. Limit and offset count the remaining rows.

extension PreparedFetch {
  func runWithResidual<Result>(
    _ plan: PredicatePlan, _ yield: ResultShape, limit: Int?, offset: Int, _ body: (Statement) throws -> Result
  ) throws -> Result {
    do {
      return try tracker.session.read { connection in
        let rows = try matchingRows(plan, limit: limit, offset: offset, on: connection)
        let statement = try connection.statement(for: query(yield, ofListed: tracker.statements))
        defer {
          statement.reset()
          statement.checkIn()
        }
        statement.bind(1, BoundValues(rows))
        return try body(statement)
      }
    } catch let error as SQLiteError {
      throw makeError(error)
    } catch let failure as PredicateFailure {
      throw FetchError(failure, entityName: tracker.layout.entityName)
    }
  }

  /// Returns the rows for which the whole predicate is true, in the fetch's order.
  func matchingRows(
    _ plan: PredicatePlan, limit: Int?, offset: Int, on connection: Connection
  ) throws -> [Int64] {
    guard limit != 0, let expression = request.expression, let test = try plan.residualTest(expression) else {
      return []
    }
    if plan.residualFollowsRelations {
      // States don't keep their cores alive.
      let core = evaluationCore
      // A core that was created for this evaluation has no context that would end it.
      defer { if core !== self.core { core.abandon() } }
      return try withExtendedLifetime(core) {
        try matchingObjects(plan, expression, of: core, limit: limit, offset: offset, on: connection)
      }
    }
    let layout = tracker.layout
    let names = [StoreFormat.identifierColumn] + plan.residualColumns.map { quoted(layout.columns[$0].name) }
    // The second query has the order; here the order matters only for the limit and the offset.
    let order = limit == nil && offset == 0 ? "" : order
    let statement = try connection.statement(
      for: "SELECT \(names.joined(separator: ", ")) FROM \(tracker.statements.source) WHERE \(plan.whereSQL)\(order)")
    defer {
      statement.reset()
      statement.checkIn()
    }
    try plan.bind(expression, to: statement, from: 1)
    let places = Dictionary(uniqueKeysWithValues: zip(plan.residualColumns, 1...))
    var (rows, skipped): ([Int64], Int) = ([], 0)
    while try statement.step() {
      let matches = try test { column in
        column == Evaluator.rowIDReference
          ? .integer(statement.int64(0)) : _StoredValue(column: Int32(places[column] ?? 0), of: statement.handle)
      }
      guard matches else { continue }
      if skipped < offset {
        skipped += 1
        continue
      }
      rows.append(statement.int64(0))
      if rows.count == limit { break }
    }
    return rows
  }

  /// Returns the rows that an update within a save is to change. It sees the rows that the save has written before, and no
  /// pending changes.
  func rowsToUpdate(_ plan: PredicatePlan, on connection: Connection) throws -> [Int64] {
    guard plan.residualFollowsRelations, let expression = request.expression else {
      return try matchingRows(plan, limit: nil, offset: 0, on: connection)
    }
    return try core.withInternalCore(within: (tracker.store, connection)) { core in
      try matchingObjects(plan, expression, of: core, limit: nil, offset: 0, on: connection)
    }
  }

  /// Returns the same as ``matchingRows(_:limit:offset:on:)`` where relationships are followed: objects are evaluated.
  private func matchingObjects(
    _ plan: PredicatePlan, _ expression: any StandardPredicateExpression<Bool>, of core: _ContextCore, limit: Int?,
    offset: Int, on connection: Connection
  ) throws -> [Int64] {
    let statement = try connection.statement(
      for: "SELECT \(StoreFormat.identifierColumn) FROM \(tracker.statements.source) WHERE \(plan.whereSQL)\(order)")
    var candidates: [Int64] = []
    do {
      defer {
        statement.reset()
        statement.checkIn()
      }
      try plan.bind(expression, to: statement, from: 1)
      while try statement.step() { candidates.append(statement.int64(0)) }
    }
    return try matchingRows(
      candidates, of: core.tracker(for: tracker.layout), plan, expression, limit: limit, offset: offset,
      tracker.layout.type)
  }

  private func matchingRows<Model: PersistentModel>(
    _ candidates: [Int64], of tracker: _EntityTracker, _ plan: PredicatePlan,
    _ expression: any StandardPredicateExpression<Bool>, limit: Int?, offset: Int, _ type: Model.Type
  ) throws -> [Int64] {
    let evaluation = try PendingEvaluation<Model>(plan, expression, tracker)
    var (rows, skipped): ([Int64], Int) = ([], 0)
    for start in stride(from: 0, to: candidates.count, by: FetchBatch.batchSize) {
      let batch = Array(candidates[start..<min(start + FetchBatch.batchSize, candidates.count)])
      let models = try tracker.loadRows(batch)
      let byRow = Dictionary(models.map { ($0._$header.pointee.rowID, $0) }, uniquingKeysWith: { first, _ in first })
      for row in batch {
        guard let model = byRow[row] else { continue }
        // An object with a pending deletion has lost its relationships, and is not part of the result.
        if request.includesPending, model._$header.pointee.status.contains(.deleted) { continue }
        guard try evaluation.matches(unsafeDowncast(model, to: Model.self)) else { continue }
        if skipped < offset {
          skipped += 1
          continue
        }
        rows.append(row)
        if rows.count == limit { return rows }
      }
    }
    return rows
  }

  /// The context whose objects are evaluated. It is a fresh context if the fetch excludes existing pending changes, or if
  /// this context does not cache its objects.
  var evaluationCore: _ContextCore {
    let isAsItIs = request.includesPending || !core.trackers.contains(where: \.hasChanges)
    return isAsItIs && core.cachesObjects ? core : _ContextCore(container: core.container)
  }

  private func query(_ yield: ResultShape, ofListed statements: TableStatements) -> String {
    let condition = "WHERE \(StoreFormat.identifierColumn) IN (SELECT value FROM larder_values(?1))"
    return switch yield {
    case .rows, .unorderedRows: "\(statements.selectRows) \(condition)\(order)"
    case .identifiers: "\(statements.selectIdentifiers) \(condition)\(order)"
    case .versions: "\(statements.selectRowVersions) \(condition)\(order)"
    case .count: "\(statements.selectCount) \(condition)"
    case .aggregate(let columns, let tail): "SELECT \(columns) FROM \(statements.source) \(condition)\(tail)"
    }
  }

  private var order: String { " ORDER BY \(request.sort?.sql ?? StoreFormat.identifierColumn)" }

  private func quoted(_ name: String) -> String { SQLiteDialect().identifier(name) }
}

extension _EntityTracker {
  /// The resolver of identifiers in a predicate on this model.
  var identifierResolver: IdentifierResolver { IdentifierResolver(identity: identity, aliases: store.aliases) }
}
