import LarderSQLite

/// SQLite's query plan of a statement that has not run yet.
struct QueryPlan {
  /// The description of each step.
  let steps: [String]
  /// The indexes of the steps that run only if a captured optional value is nil.
  private let stepsForNil: Set<Int>

  init(of sql: String, on connection: Connection) throws {
    // Without the statement cache: a plan is requested only once.
    let statement = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
    var steps: [String] = []
    var stepsForNil: Set<Int> = []
    // The IDs that SQLite gives these steps.
    var isForNil: Set<Int64> = []
    while try statement.step() {
      let words = statement.string(QueryPlan.detail)
      // Only the half of a condition for nil is written as the second part of a union.
      if words.hasPrefix("UNION ALL") || isForNil.contains(statement.int64(QueryPlan.parent)) {
        isForNil.insert(statement.int64(QueryPlan.number))
        stepsForNil.insert(steps.count)
      }
      steps.append(words)
    }
    (self.steps, self.stepsForNil) = (steps, stepsForNil)
  }

  private static let number: Int32 = 0
  private static let parent: Int32 = 1
  /// The column with the description.
  private static let detail: Int32 = 3

  /// Whether a table is scanned from end to end, at least in some runs.
  var mayScan: Bool { isScan(withNil: true) }

  /// Returns whether a table is scanned from end to end. A scan of a captured collection does not count: it is no table.
  ///
  /// - Parameter withNil: Whether the captured values are nil for which conditions on related objects have a second half.
  func isScan(withNil: Bool) -> Bool {
    steps.enumerated().contains { number, step in
      (withNil || !stepsForNil.contains(number)) && step.hasPrefix("SCAN ") && !step.contains("VIRTUAL TABLE")
        && !step.contains("CONSTANT ROW")
    }
  }

  var isSorted: Bool { steps.contains { $0.hasPrefix("USE TEMP B-TREE FOR") && $0.contains("ORDER BY") } }

  func indexes(of layout: _ModelLayout) -> [String] {
    func names(_ columns: [Int]) -> [String] { columns.map { layout.columns[$0].name } }
    let known =
      layout.uniqueGroups.map { StoreFormat.uniqueIndexName(layout.tableName, names($0)) }
      + layout.indexGroups.map { StoreFormat.indexName(layout.tableName, names($0)) }
      + layout.uniqueGroups.compactMap { StoreFormat.legacyIndexName(isUnique: true, layout.tableName, names($0)) }
      + layout.indexGroups.compactMap { StoreFormat.legacyIndexName(isUnique: false, layout.tableName, names($0)) }
    return known.filter { name in steps.contains { $0.contains(name) } }
  }
}
