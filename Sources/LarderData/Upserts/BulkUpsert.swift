import Foundation
import LarderSQLite
import LarderSupport

/// An upsert in progress. It writes records in transactions that are short enough for other writers to run in between.
///
/// The caller keeps the records that are not written yet. Each transaction is a save: it has a row in the history, and notifies
/// other contexts and live queries of its changes only.
// @unchecked: one thread at a time uses an upsert; code that passes it to another thread waits for that thread.
package final class BulkUpsert<Model: PersistentModel, Record>: @unchecked Sendable {
  // Properties that are accessed for each record have no exclusivity checks: one thread uses an upsert, and no user code runs
  // during an access.
  @exclusivity(unchecked) package internal(set) var report = UpsertReport()
  let core: _ContextCore
  /// Retained, since releasing the facade discards pending changes.
  private let context: ModelContext
  let tracker: _EntityTracker
  let statement: UpsertStatement<Model, Record>
  let keyTable: UpsertKeyTable?
  /// The row IDs reserved for new rows in the current transaction, which releases the rest.
  @exclusivity(unchecked) var reservedRowIDs: Range<Int64> = 0..<0
  var reservationSize = StoreFormat.firstBlockSize
  /// Whether the current transaction has reserved row IDs.
  var hasReservedRowIDs = false
  /// The row ID bound for a new record while no row IDs are reserved. No row has it, and an inserted row receives another. So a
  /// snapshot that changes nothing reserves no row IDs.
  let placeholderRowID = StoreFormat.unreservedBase + .random(in: 0..<StoreFormat.unreservedBase / 2)
  /// The index of the next record.
  @exclusivity(unchecked) private var recordIndex = 0
  /// The indexes of records that could not be read.
  @exclusivity(unchecked) private var unreadableIndexes: ArraySlice<Int> = []
  var firstKeyError: (any Error)?

  /// Whether the next transaction may be long, since no other writer waited at the end of the previous one. The first transaction
  /// is as short as transactions are while other writers wait, so that its rows appear soon. Later ones are longer, since each
  /// transaction rewrites the index pages on which its rows are.
  private var allowsLongTransaction = false

  init(
    _ container: ContainerCore, author: String?, _ mapping: UpsertMapping<Model, Record>,
    by keys: [PartialKeyPath<Model>],
    recordsKeys notesKeys: Bool
  ) throws {
    core = _ContextCore(container: container)
    context = core.facade
    core.author = author
    core.remoteChanges.isEnabled = false
    tracker = try core.tracker(for: Model._$layout)
    guard tracker.store.backend == nil else { throw DataStoreError.unsupportedFeature }
    guard container.allowsSave(Model._$layout) else {
      throw SaveError(
        .savingNotAllowed, entityName: Model._$layout.entityName,
        "\(Model._$layout.entityName) lies in a store that was opened with allowsSave: false. Open it for saving.")
    }
    let notes = notesKeys ? UpsertKeyTable() : nil
    self.keyTable = notes
    do {
      statement = try UpsertStatement(mapping, by: keys, tracker.statements, keyTable: notes?.tableName ?? "")
    } catch {
      notes?.release()
      throw error
    }
  }

  /// Writes all specified records, in as many transactions as necessary.
  ///
  /// - Parameters:
  ///   - more: Returns the following records if they are available, so that they need no transaction of their own. It is
  ///     called during a transaction, and must not wait for more than some milliseconds.
  ///   - committed: Called after each transaction with the number of its records.
  /// - Throws: ``StoreError``; transactions committed before stay.
  package func write(
    _ records: [Record], _ isCancelled: @escaping () -> Bool, more: () -> [Record]? = { nil },
    committed: (Int) -> Void = { _ in }
  ) throws {
    var (batch, place) = (records, 0)
    while place < batch.count {
      if isCancelled() { throw CancellationError() }
      let began = (recordIndex, reservationSize, report, unreadableIndexes)
      do {
        let count = try commit { connection in
          try self.performTransaction(on: connection, isCancelled) { count, hasTime, write in
            while true {
              let done = try batch.withUnsafeBufferPointer { try write(UnsafeBufferPointer(rebasing: $0[place...])) }
              place += done
              count += done
              guard place == batch.count, hasTime(), let next = more() else { return }
              (batch, place) = (next, 0)
            }
          }
        }
        committed(count)
      } catch {
        // The transaction was rolled back.
        (recordIndex, reservationSize, report, unreadableIndexes) = began
        reservedRowIDs = 0..<0
        throw error
      }
    }
  }

  /// Records the failures of unreadable records. They count for the indexes of the following records. Since their rows are
  /// unknown, no rows are removed at the end.
  package func recordUnreadable(_ failures: [UpsertFailure]) {
    for failure in failures {
      report.record(failure)
      unreadableIndexes.append(failure.index)
    }
    if keyTable != nil, firstKeyError == nil { firstKeyError = failures.first?.error }
  }

  // MARK: Transactions

  private func commit(_ body: (Connection) throws -> (count: Int, changes: [ChangeSet.Entity])) throws -> Int {
    let session = tracker.session
    var isUnderWay = false
    defer { if isUnderWay { session.store.observers.endCommit() } }
    let (count, entityWriter) = try StoreError.mapErrors(
      session.store.errorURL, "upserting \(Model._$layout.entityName)"
    ) {
      try session.write { connection in
        let (count, entities) = try body(connection)
        var changes = ChangeSet(entities: entities, author: core.author)
        try session.store.finishTransaction(&changes, on: connection)
        if changes.isEmpty, hasReservedRowIDs { try StoreMetadata.countUnrecordedCommit(on: connection) }
        session.store.observers.beginCommit()
        isUnderWay = true
        return (count, CommittedChanges(session: session, entityWriters: [], changes: changes))
      }
    }
    isUnderWay = false
    if entityWriter.changes.isEmpty { session.store.observers.endCommit() } else { core.publish([entityWriter]) }
    return count
  }

  /// - Parameter body: Receives the record count, a test whether the transaction may continue, and a function that writes
  ///   records until the transaction has lasted long enough, and returns their number.
  private func performTransaction(
    on connection: Connection, _ isCancelled: @escaping () -> Bool,
    _ body: (
      _ count: inout Int, _ hasTime: () -> Bool, _ write: (UnsafeBufferPointer<Record>) throws -> Int
    ) throws -> Void
  ) throws -> (count: Int, changes: [ChangeSet.Entity]) {
    let clock = ContinuousClock()
    let began = clock.now
    hasReservedRowIDs = false
    var changes = ChangeSet.Entity(layout: tracker.layout, identity: tracker.identity)
    if keyTable != nil { try connection.execute(statement.createKeyTable) }
    let upsert = try connection.statement(for: statement.sql)
    let former = try UpsertOriginalValues(statement, tracker, connection)
    let lists = try JoinListWriter(statement.joinListMappings, tracker, core, connection)
    let noting = keyTable != nil ? try connection.statement(for: statement.insertKey) : nil
    let tools = PreparedUpsert(statement, upsert, tracker.layout, connection, lists)
    defer {
      upsert.checkIn()
      noting?.checkIn()
      for part in statement.columnMappings { part.lookup?.releaseStatement() }
    }
    for part in statement.columnMappings { try part.lookup?.prepare(on: connection, core) }
    bindDefaults(to: upsert)
    var count = 0
    var sinceLook = 0
    try WrittenRow.withUpdateHook(in: tracker.layout.tableName, on: connection) { written in
      let hasTime = { !isCancelled() && !self.shouldEndTransaction(after: clock.now - began) }
      try body(&count, hasTime) { records in
        // Accessed by address, so that no record is copied to read its values.
        guard let first = records.baseAddress else { return 0 }
        for place in records.indices {
          let record = first + place
          if let noting { recordKey(record, noting) }
          written.pointee.operation = 0
          skipUnreadable()
          do {
            try former?.read(record)
            try lists?.readMembers(of: record)
            try self.upsertRecord(record, tools, written, &changes)
          } catch let error where Self.isRecordError(error) {
            report.record(UpsertFailure(index: recordIndex, error: error))
          }
          recordIndex += 1
          sinceLook += 1
          guard sinceLook == BulkUpsertLimits.recordsPerClockCheck else { continue }
          sinceLook = 0
          if !hasTime() { return place + 1 }
        }
        return records.count
      }
    }
    if !reservedRowIDs.isEmpty {
      try StoreMetadata.releaseIdentifiers(reservedRowIDs, on: connection, isWholeTransaction: false)
    }
    reservedRowIDs = 0..<0
    Self.coalesceUpdates(of: &changes)
    var all = [changes]
    // The lists come first, since they may change more rows of this entity.
    try lists?.recordTargets(in: &all)
    try former?.record(in: &all[0])
    return (count, all)
  }

  private func skipUnreadable() {
    while unreadableIndexes.first == recordIndex {
      unreadableIndexes.removeFirst()
      recordIndex += 1
    }
  }

  /// Returns whether the transaction has lasted long enough, and allows a longer next one if no other writer waits.
  private func shouldEndTransaction(after time: Duration) -> Bool {
    if time < BulkUpsertLimits.contendedTransactionTime { return false }
    if tracker.store.database.hasWaitingWriters {
      allowsLongTransaction = false
      return true
    }
    if allowsLongTransaction, time < BulkUpsertLimits.uncontendedTransactionTime { return false }
    allowsLongTransaction = true
    return true
  }

  /// Merges the changes of a row: a row that the transaction inserts is an insert, whatever follows; several updates are one.
  private static func coalesceUpdates(of changes: inout ChangeSet.Entity) {
    if changes.updated.isEmpty || (changes.inserted.isEmpty && isAscending(changes.updated)) { return }
    var places: [Int64: Int] = [:]
    let inserted = Set(changes.inserted)
    var updated: [ChangeSet.Update] = []
    updated.reserveCapacity(changes.updated.count)
    for update in changes.updated where !inserted.contains(update.row) {
      if let place = places.updateValue(updated.count, forKey: update.row) {
        places[update.row] = place
        updated[place].mask |= update.mask
      } else {
        updated.append(update)
      }
    }
    changes.updated = updated
  }

  /// Returns whether each row occurs once, which is true if the records come in the same order as before.
  private static func isAscending(_ updates: [ChangeSet.Update]) -> Bool {
    var last = Int64.min
    for update in updates {
      if update.row <= last { return false }
      last = update.row
    }
    return true
  }

  private func bindDefaults(to upsert: Statement) {
    var place = Int32(2 + statement.columnMappings.reduce(0) { $0 + $1.columns.count })
    for value in statement.defaults {
      upsert.bind(place, value)
      place += 1
    }
  }

  /// Returns whether the error concerns one record only. The failure of a disk does not.
  private static func isRecordError(_ error: any Error) -> Bool {
    guard let error = error as? SQLiteError else { return !(error is StoreError) && !(error is CancellationError) }
    return error.code == .constraint || error.code == .tooBig
  }
}

enum BulkUpsertLimits {
  /// 40 ms: the commit is added to this, and no other writer should wait for more than 50 ms.
  static let contendedTransactionTime = Duration.milliseconds(40)
  /// 320 ms, if no other writer waits.
  static let uncontendedTransactionTime = Duration.milliseconds(320)
  /// The number of records written between two checks of the clock: some 100 µs.
  static let recordsPerClockCheck = 32
  /// The number of records read from a sequence at a time.
  static let batchSize = 16_384
  /// The number of records in the first batch of an asynchronous sequence.
  static let initialBatchSize = 1_024
  /// The number of models saved in one transaction: some 20 ms.
  static let modelBatchSize = 1_024
  /// The number of rows deleted in one transaction.
  static let removalBatchSize = 1_024
}
