import LarderSQLite

/// What SQLite says of a statement before it runs.
struct QueryPlan {
  let steps: [String]

  init(of sql: String, on connection: Connection) throws {
    // Not by the cache of statements: a plan is asked for once.
    let statement = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
    var steps: [String] = []
    while try statement.step() { steps.append(statement.string(QueryPlan.detail)) }
    self.steps = steps
  }

  /// The column that has the words.
  private static let detail: Int32 = 3

  /// Whether a table is read from end to end. A captured collection is read so too, and is no table.
  var isScan: Bool {
    steps.contains { $0.hasPrefix("SCAN ") && !$0.contains("VIRTUAL TABLE") && !$0.contains("CONSTANT ROW") }
  }

  var isSorted: Bool { steps.contains { $0.hasPrefix("USE TEMP B-TREE FOR") && $0.contains("ORDER BY") } }

  func indexes(of layout: ModelLayout) -> [String] {
    func names(_ columns: [Int]) -> [String] { columns.map { layout.columns[$0].name } }
    let known =
      layout.uniqueGroups.map { StoreFormat.uniqueIndex(layout.tableName, names($0)) }
      + layout.indexGroups.map { StoreFormat.index(layout.tableName, names($0)) }
    return known.filter { name in steps.contains { $0.contains(name) } }
  }
}
