import Foundation
import LarderSQLite

/// A reader of one store's history, for the models of a container.
struct HistoryReader {
  let store: SQLiteStore
  let container: ContainerCore
  let connection: Connection

  private static func select(descending: Bool) -> String {
    "SELECT number, time, author, program, process, changes FROM \(HistoryTable.name) "
      + "WHERE number BETWEEN ?1 AND ?2 ORDER BY number" + (descending ? " DESC" : "")
  }

  /// Returns the transactions within bounds that match a predicate, in the order of their numbers.
  ///
  /// - Parameters:
  ///   - limit: The largest number of transactions.
  ///   - descending: Whether the last transactions come first.
  ///   - readable: Whether the changes of the transactions must be readable.
  func transactions(
    _ bounds: HistoryBounds, _ predicate: Predicate<DefaultHistoryTransaction>?, limit: Int?, descending: Bool = false,
    readable: Bool = true
  ) throws -> [DefaultHistoryTransaction] {
    guard try hasHistory() else { return [] }
    var found: [DefaultHistoryTransaction] = []
    if let numbers = bounds.numbers(in: store.identifier) {
      try connection.withStatement(for: HistoryReader.select(descending: descending)) { statement in
        statement.bind(1, numbers.lowerBound)
        statement.bind(2, numbers.upperBound)
        while found.count < limit ?? .max, try statement.step() {
          var transaction = transaction(statement, bounds.greatestToken)
          let token = transaction.token
          transaction.token = token.scoped(to: store.identifier)
          guard try predicate?.evaluate(transaction) ?? true else { continue }
          transaction.token = token
          if readable { try transaction.contents.validate() }
          found.append(transaction)
        }
      }
    }
    // Checked after the read: a transaction that is deleted in between was either read, or is reported as missing.
    if let after = bounds.after { try checkExpiration(after: after.numbers[store.identifier] ?? 0) }
    return found
  }

  private func transaction(_ statement: Statement, _ named: DefaultHistoryToken?) -> DefaultHistoryTransaction {
    let number = statement.int64(0)
    var numbers = named?.numbers ?? [:]
    numbers[store.identifier] = number
    return DefaultHistoryTransaction(
      transactionIdentifier: number, timestamp: Date(timeIntervalSinceReferenceDate: statement.double(1)),
      token: DefaultHistoryToken(numbers), storeIdentifier: store.identifier, bundleIdentifier: statement.string(3),
      processIdentifier: statement.string(4), author: statement.isNull(2) ? nil : statement.string(2),
      contents: HistoryContents(statement.string(5), transaction: number, store: store, container))
  }

  /// Returns the number of the last deleted transaction, after which a caller that has read nothing starts.
  func lastDeletedNumber() throws -> Int64 {
    try hasHistory() ? connection.int64("SELECT \(HistoryTable.lastDeletedSQL)") ?? 0 : 0
  }

  /// Returns the number of the last transaction, including deleted ones.
  func lastNumber() throws -> Int64 { try hasHistory() ? HistoryTable.lastNumber(on: connection) : 0 }

  private func hasHistory() throws -> Bool { try HistoryTable.exists(on: connection) }

  /// Checks that all transactions after a number exist.
  ///
  /// - Parameter seen: The number of the last transaction that the caller has read.
  private func checkExpiration(after seen: Int64) throws {
    let gone = try connection.int64("SELECT \(HistoryTable.lastDeletedSQL)") ?? 0
    let end = try HistoryTable.lastNumber(on: connection)
    if seen >= gone, seen <= end { return }
    let what =
      seen < gone
      ? "transactions that follow it, up to number \(gone), are deleted"
      : "the store's last transaction is number \(end): it is an older copy of the store that the token is of"
    throw SwiftDataError.historyTokenExpired.explained(
      "The history of \(store.errorURL?.path ?? "the store in memory") cannot tell what follows transaction \(seen): \(what). "
        + "Read the store as it is, and go on from its newest token.")
  }
}
