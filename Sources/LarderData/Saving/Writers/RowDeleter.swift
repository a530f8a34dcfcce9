import LarderSQLite
import LarderSupport

/// Deletes rows of one table. Consecutive row IDs are deleted by one statement, since rows that are deleted together were
/// mostly inserted together.
final class RowDeleter {
  private let statements: TableStatements
  private let connection: Connection
  private let deleteStatement: Statement
  /// The statements that find and delete a range of row IDs.
  private var rangeStatements: (find: Statement, delete: Statement)?

  /// The minimum length of a range: its two statements must save more than one statement.
  private static let minimumRangeLength = 4

  init(_ statements: TableStatements, connection: Connection) throws {
    self.statements = statements
    self.connection = connection
    deleteStatement = try connection.statement(for: statements.delete)
  }

  deinit {
    deleteStatement.checkIn()
    rangeStatements?.find.checkIn()
    rangeStatements?.delete.checkIn()
  }

  /// - Parameter rows: The row IDs, sorted, each once.
  /// - Returns: The row IDs of the rows that existed and are now deleted.
  func delete(_ rows: [Int64]) throws -> [Int64] {
    var deleted: [Int64] = []
    deleted.reserveCapacity(rows.count)
    for range in RowRuns(rows).ranges {
      if range.count < Self.minimumRangeLength {
        for row in range where try delete(row) { deleted.append(row) }
      } else {
        try delete(range, &deleted)
      }
    }
    return deleted
  }

  /// - Returns: Whether the row existed.
  func delete(_ row: Int64) throws -> Bool {
    deleteStatement.bind(1, row)
    try deleteStatement.run()
    return connection.changes > 0
  }

  private func delete(_ range: ClosedRange<Int64>, _ deleted: inout [Int64]) throws {
    let (find, delete) = try rangeStatements ?? prepare()
    let known = deleted.count
    find.bind(1, range.lowerBound)
    find.bind(2, range.upperBound)
    defer { find.reset() }
    while try find.step() { deleted.append(find.int64(0)) }
    find.reset()
    delete.bind(1, range.lowerBound)
    delete.bind(2, range.upperBound)
    let changes = connection.totalChanges
    try delete.run()
    let count = Int64(deleted.count - known)
    if connection.changes == count, connection.totalChanges - changes == count { return }
    // A trigger of another program keeps some rows, or has deleted or inserted some itself; or foreign keys have cascaded to
    // other rows.
    var left: Set<Int64> = []
    while try find.step() { left.insert(find.int64(0)) }
    if left.isEmpty { return }
    let found = Array(deleted[known...])
    deleted.removeLast(found.count)
    for row in found where left.remove(row) == nil { deleted.append(row) }
    for row in left.inOrder() where try self.delete(row) { deleted.append(row) }
  }

  private func prepare() throws -> (find: Statement, delete: Statement) {
    let find = try connection.statement(for: statements.selectRange)
    do {
      let prepared = try (find, connection.statement(for: statements.deleteRange))
      rangeStatements = prepared
      return prepared
    } catch {
      find.checkIn()
      throw error
    }
  }
}
