package import LarderSQLite
import LarderSupport

/// The SQL of a query, created once for each shape, and the statement that last ran it.
package final class PreparedQuery {
  package let sql: String
  /// The number of the predicate's parameters; the limit and the offset follow.
  package let parameterCount: Int32
  /// Whether the query joins tables, as ``PredicatePlan/joined`` says.
  let isJoined: Bool

  // The properties without exclusivity checks are read or written as a whole, and compared, for each fetch. If this ends a
  // statement or a connection, only SQLite's handles are closed; that code never accesses a query.
  /// Whether a run may scan a large table. Only a condition can be served by an index.
  @exclusivity(unchecked) package var isMonitored: Bool
  /// Whether the value of ``isMonitored`` was checked, and is no mere guess.
  package var isMonitoringDecided = false

  @exclusivity(unchecked) private var connection: Connection?
  @exclusivity(unchecked) private var prepared: Statement?

  package convenience init(sql: String, parameterCount: Int32 = 0, isMonitored isWatched: Bool = false) {
    self.init(sql: sql, parameterCount: parameterCount, isMonitored: isWatched, isJoined: false)
  }

  init(sql: String, parameterCount: Int32, isMonitored isWatched: Bool, isJoined: Bool) {
    self.sql = sql
    self.isJoined = isJoined
    self.isMonitored = isWatched
    self.parameterCount = parameterCount
  }

  /// Returns a statement for this query that is not in use; check it in afterwards.
  @inline(__always)
  package func statement(on connection: Connection) throws -> Statement {
    if let prepared, self.connection === connection, prepared.checkOut() { return prepared }
    return try prepare(on: connection)
  }

  @inline(never)
  private func prepare(on connection: Connection) throws -> Statement {
    let statement = try connection.statement(for: sql)
    prepared = statement
    self.connection = connection
    return statement
  }
}

/// The columns that a query returns for each row.
package enum ResultShape: Hashable {
  case rows, identifiers, versions, count
  /// Rows that the caller sorts, where the database would otherwise have to sort them.
  case unorderedRows
  /// Columns of groups of rows, or of all rows; the tail has the GROUP BY clause.
  case aggregate(columns: String, tail: String)
}

/// A context's queries by shape, so that the SQL of a repeated query is not built again.
package struct QueryCache {
  private struct CacheKey: Hashable {
    let layout: Int
    let yield: ResultShape
    let predicate: Int?
    let order: String
    let isLimited: Bool
    let isJoined: Bool
  }

  private var queries: [CacheKey: PreparedQuery] = [:]

  package init() {}

  /// Returns the query for a predicate's plan, an order and limits.
  ///
  /// - Parameter isJoined: Whether the query joins tables where the plan says how.
  package mutating func query(
    _ statements: TableStatements, _ yield: ResultShape, plan: PredicatePlan?, order: String, isLimited: Bool,
    isJoined: Bool = false
  ) -> PreparedQuery {
    let shape = CacheKey(
      layout: statements.layout.id, yield: yield, predicate: plan?.id, order: order,
      isLimited: isLimited, isJoined: isJoined)
    if let known = queries[shape] { return known }
    let joined = isJoined ? plan?.joined : nil
    let query = makeQuery(statements, yield, plan: plan, joined, order: order, isLimited: isLimited)
    // A plan that is not kept is a new shape each time: clear the cache before it fills the memory.
    if queries.count >= QueryCache.maximumQueries { queries.removeAll() }
    queries[shape] = query
    return query
  }

  private static let maximumQueries = 1_000

  /// Returns the order by identifier, which is the order of the table. Sorting the rows that an index finds costs in
  /// proportion to their number. Reading the table in its order costs as much for three rows as for all. So an index on a
  /// range, or of related objects, is preferred: the plus sign keeps SQLite from the other choice.
  private func identifierOrder(_ layout: _ModelLayout, _ plan: PredicatePlan?, isJoined: Bool) -> String {
    let isByIndex = isJoined || plan.map { IndexAdvice.hasIndexedRange(layout, $0) } ?? false
    return (isByIndex ? "+" : "") + QueryCache.qualified(StoreFormat.identifierColumn, layout)
  }

  /// Returns the column with its table's name, since joined tables may have a column of the same name.
  private static func qualified(_ column: String, _ layout: _ModelLayout) -> String {
    "\(StoreFormat.quoted(layout.entityName)).\(column)"
  }

  private func makeQuery(
    _ statements: TableStatements, _ yield: ResultShape, plan: PredicatePlan?, _ joined: JoinedSelection?,
    order: String,
    isLimited: Bool
  ) -> PreparedQuery {
    let layout = statements.layout
    func select(_ columns: [String]) -> String {
      "SELECT \(columns.map { QueryCache.qualified($0, layout) }.joined(separator: ", ")) FROM \(statements.source)"
    }
    var sql =
      switch yield {
      case .rows, .unorderedRows: select(statements.rowColumns)
      case .identifiers: select(statements.identityColumns)
      case .versions: select(statements.versionColumns)
      case .count: isLimited ? "SELECT count(*) FROM (SELECT 1 FROM \(statements.source)" : statements.selectCount
      case .aggregate(let columns, _): "SELECT \(columns) FROM \(statements.source)"
      }
    let parameters = Int32(joined?.slots.count ?? plan?.parameterCount ?? 0)
    if let joined {
      sql += "\(joined.joins) WHERE \(joined.condition)"
    } else if let plan {
      sql += " WHERE \(plan.whereSQL)"
    }
    if case .aggregate(_, let tail) = yield {
      sql += tail
    } else if yield != .count, yield != .unorderedRows || joined == nil {
      sql += " ORDER BY \(order.isEmpty ? identifierOrder(layout, plan, isJoined: joined != nil) : order)"
    }
    if isLimited { sql += " LIMIT ?\(parameters + 1) OFFSET ?\(parameters + 2)" }
    if yield == .count && isLimited { sql += ")" }
    return PreparedQuery(sql: sql, parameterCount: parameters, isMonitored: plan != nil, isJoined: joined != nil)
  }
}
