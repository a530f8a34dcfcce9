import LarderSQLite

/// What SQLite says of a statement before it runs.
struct QueryPlan {
  /// Each step's words.
  let steps: [String]
  /// Those that run only where a captured value that may be nil is nil.
  private let stepsForNil: Set<Int>

  init(of sql: String, on connection: Connection) throws {
    // Not by the cache of statements: a plan is asked for once.
    let statement = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
    var steps: [String] = []
    var stepsForNil: Set<Int> = []
    // By the numbers that SQLite gives its steps.
    var isForNil: Set<Int64> = []
    while try statement.step() {
      let words = statement.string(QueryPlan.detail)
      // Only the half of a condition for what is nil is written as a union's second part.
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
  /// The column that has the words.
  private static let detail: Int32 = 3

  /// Whether a table is read from end to end, in some run at least.
  var mayScan: Bool { isScan(withNil: true) }

  /// Whether a table is read from end to end. A captured collection is read so too, and is no table.
  ///
  /// - Parameter withNil: Whether captured values are nil that conditions on related objects have a second half for.
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
