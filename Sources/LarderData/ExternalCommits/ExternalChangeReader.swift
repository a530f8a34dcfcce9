import LarderSQLite
import LarderSupport

/// Reads the changes of other processes from the history, for the entities that this process uses.
struct ExternalChangeReader {
  /// The maximum number of transactions that are reported one by one.
  private static let maximumTransactions = 256
  /// The maximum size of the history's text, in bytes: 4 MiB.
  private static let maximumSize = 4 << 20

  private let store: SQLiteStore
  private let connection: Connection

  init(_ store: SQLiteStore, _ connection: Connection) {
    self.store = store
    self.connection = connection
  }

  private static let sql =
    "SELECT number, author, changes FROM \(HistoryTable.name) WHERE number > ?1 AND number <= ?2 ORDER BY number"

  /// - Parameters:
  ///   - seen: The number of the last known transaction.
  ///   - last: The number of the last requested transaction.
  ///   - own: The numbers of this process's transactions.
  func changes(after seen: Int64, to last: Int64, excluding own: Set<Int64>) throws -> ExternalCommitMonitor.Changes {
    if last - seen > Int64(ExternalChangeReader.maximumTransactions + own.count) { return .unknown }
    var changes: [ChangeSet] = []
    var size = 0
    var rows: Int64 = 0
    let isTold = try connection.withStatement(for: ExternalChangeReader.sql) { statement -> Bool in
      statement.bind(1, seen)
      statement.bind(2, last)
      while try statement.step() {
        let number = statement.int64(0)
        if own.contains(number) { continue }
        let text = statement.string(2)
        size += text.utf8.count
        // An unreadable record must not stop the process: the current rows are read instead.
        guard size <= ExternalChangeReader.maximumSize, let record = try? HistoryRecord(text) else { return false }
        // More rows than a context's queue lists, so they are not listed here, either.
        rows += record.rowCount
        if rows > Int64(ChangeSet.maximumListedRows) { return false }
        changes.append(changeSet(record, number, author: statement.isNull(1) ? nil : statement.string(1)))
      }
      return true
    }
    if !isTold { return .unknown }
    return changes.isEmpty ? .nothing : .known(changes)
  }

  private func changeSet(_ record: HistoryRecord, _ number: Int64, author: String?) -> ChangeSet {
    var changes = ChangeSet(author: author, transaction: number)
    for (name, entity) in record.entities.inOrder({ $0.key < $1.key }) {
      for layout in store.layouts(named: name) {
        var change = ChangeSet.Entity(layout: layout, identity: .of(store: store.identifier, entity: name))
        change.inserted = Array(entity.inserted)
        change.deleted = Array(entity.deleted)
        for (names, rows) in entity.updated {
          let mask = names.reduce(0) { $0 | (layout.property(named: $1)?.bit ?? 0) }
          change.updated += rows.map { ChangeSet.Update(row: $0, mask: mask) }
        }
        changes.entities.append(change)
      }
    }
    return changes
  }
}
