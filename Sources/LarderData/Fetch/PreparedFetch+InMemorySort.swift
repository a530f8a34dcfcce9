import LarderSQLite
import LarderSupport

// A sort by a protocol requirement. The store has no column for it, so the values are read from objects, and the store
// returns the rows in the order of these. Limit and offset are applied after that.

extension PreparedFetch {
  /// The same fetch without order, limit and offset.
  var unordered: PreparedFetch { PreparedFetch(request.unordered, self) }

  func runSortingInMemory<Result>(
    _ sort: SortPlan, _ yield: ResultShape, limit: Int?, offset: Int, _ body: (Statement) throws -> Result
  ) throws -> Result {
    do {
      return try tracker.session.read { connection in
        let rows = try rowsSortedInMemory(sort).dropFirst(offset).prefix(limit ?? Int.max)
        let statement = try connection.statement(for: query(yield, inOrderOf: tracker.statements))
        defer {
          statement.reset()
          statement.checkIn()
        }
        statement.bind(1, BoundValues(Array(rows)))
        return try body(statement)
      }
    } catch let error as SQLiteError {
      throw makeError(error)
    }
  }

  private func rowsSortedInMemory(_ sort: SortPlan) throws -> [Int64] {
    let rows = try unordered.run(.identifiers, limit: nil, offset: 0) { statement in
      var rows: [Int64] = []
      while try statement.step() { rows.append(statement.int64(0)) }
      return rows
    }
    // States don't keep their cores alive.
    let core = evaluationCore
    defer { if core !== self.core { core.abandon() } }
    return try withExtendedLifetime(core) {
      let tracker = try core.tracker(for: tracker.layout)
      var ranks: [SortPlan.Rank] = []
      ranks.reserveCapacity(rows.count)
      for start in stride(from: 0, to: rows.count, by: FetchBatch.batchSize) {
        let batch = Array(rows[start..<min(start + FetchBatch.batchSize, rows.count)])
        for model in try tracker.loadRows(batch) { ranks.append(try tracker.sortRank(of: model, sort)) }
      }
      return ranks.sorted(by: sort.isBefore).map(\.identifier)
    }
  }

  private func query(_ yield: ResultShape, inOrderOf statements: TableStatements) -> String {
    let id = StoreFormat.identifierColumn
    let listed =
      " JOIN (SELECT value AS larder_listed, rowid AS larder_place FROM larder_values(?1)) ON \(id) = larder_listed"
    let order = " ORDER BY larder_place"
    return switch yield {
    case .rows, .unorderedRows: statements.selectRows + listed + order
    case .identifiers: statements.selectIdentifiers + listed + order
    case .versions: statements.selectRowVersions + listed + order
    case .count: statements.selectCount + listed
    case .aggregate(let columns, let tail): "SELECT \(columns) FROM \(statements.source)\(listed)\(tail)"
    }
  }
}

extension ResultShape {
  var hasOrder: Bool { if case .count = self { false } else { true } }
}

extension _EntityTracker {
  /// Returns the values by which the order compares an object.
  func sortRank<Model: PersistentModel>(of model: Model, _ sort: SortPlan) throws -> SortPlan.Rank {
    try sort.rank(
      model._$header.pointee.rowID, value: { try concreteTracker(model).objectValues.value($0, of: model) },
      relatedValue: { sources, column in
        let related = RelatedObjects(core, sources)
        related.reset(to: model)
        return try related.value(ColumnReference.make(column: column, source: sources.count))
      }, requirement: { try $0.value(of: model) })
  }
}
