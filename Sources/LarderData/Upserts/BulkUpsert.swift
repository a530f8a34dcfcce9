import Foundation
import LarderSQLite
import LarderSupport

/// An upsert on its way: writes records in transactions that are short enough for others to come between.
///
/// Records that are not written yet are the caller's. Each transaction is a save like any other: it has a row in the
/// history, other contexts and live queries are told of what changed in it, and of nothing else.
// @unchecked: used by one thread at a time, whoever hands it on waits for it.
package final class BulkUpsert<Model: PersistentModel, Record>: @unchecked Sendable {
  // What is touched for each record is not checked for overlapping access: one thread uses an upsert, and nothing of a
  // user's runs during an access.
  @exclusivity(unchecked) package internal(set) var report = UpsertReport()
  let core: _ContextCore
  /// Held, since what is pending goes with it.
  private let context: ModelContext
  let tracker: _EntityTracker
  let statement: UpsertStatement<Model, Record>
  let keyTable: UpsertKeyTable?
  /// Numbers for new rows that were set apart in the transaction that is under way, which gives back those that are left.
  @exclusivity(unchecked) var reservedRowIDs: Range<Int64> = 0..<0
  var reservationSize = StoreFormat.firstBlockSize
  /// Whether the transaction that is under way has set numbers apart.
  var hasReservedRowIDs = false
  /// What a record is given while there is none of these: no row has it, and one that is inserted with it gets another. So
  /// a snapshot that changes nothing sets no numbers apart.
  let placeholderRowID = StoreFormat.unreservedBase + .random(in: 0..<StoreFormat.unreservedBase / 2)
  /// The place of the next record.
  @exclusivity(unchecked) private var recordIndex = 0
  /// Places at which there is no record, since it could not be read.
  @exclusivity(unchecked) private var unreadableIndexes: ArraySlice<Int> = []
  var firstKeyError: (any Error)?

  /// Whether the next transaction may be a long one, as nobody waited for the end of the one before. The first is as short as
  /// all should be for whoever waits: what is shown is shown soon. Later ones are longer, since each writes anew whatever
  /// pages of the indexes its rows fall on.
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

  /// Writes records, all of them, in as many transactions as that takes.
  ///
  /// - Parameters:
  ///   - more: Gives the records that come next, where they are there by now: they need no transaction of their own. It is
  ///     called while one is under way, and must not wait for more than some milliseconds.
  ///   - committed: Told how many records each transaction was of.
  /// - Throws: ``StoreError``; what was committed before stays.
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
        // Nothing of the transaction is there.
        (recordIndex, reservationSize, report, unreadableIndexes) = began
        reservedRowIDs = 0..<0
        throw error
      }
    }
  }

  /// Takes into account what is none of the records, though it stands among them: where the next ones' places follow from
  /// theirs, and nobody knows which rows they would have been.
  package func recordUnreadable(_ failures: [UpsertFailure]) {
    for failure in failures {
      report.record(failure)
      unreadableIndexes.append(failure.index)
    }
    if keyTable != nil, firstKeyError == nil { firstKeyError = failures.first?.error }
  }

  // MARK: A transaction

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

  /// - Parameter body: Is given what tells whether the transaction may go on, and what writes records until it has lasted
  ///   long enough, and returns how many.
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
        // By their addresses, so that none is copied for its values to be taken.
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
    // First, since it may change more rows of this class.
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

  /// Whether a transaction has lasted long enough, and whether the next one may last longer: where nobody waits.
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

  /// A row that a transaction inserts is an insert, whatever comes after; one that it updates twice is one update.
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

  /// Whether each row is there once, as rows are whose records come in the order in which they did before.
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

  /// What is wrong with one record alone; a disk that fails is not.
  private static func isRecordError(_ error: any Error) -> Bool {
    guard let error = error as? SQLiteError else { return !(error is StoreError) && !(error is CancellationError) }
    return error.code == .constraint || error.code == .tooBig
  }
}

enum BulkUpsertLimits {
  /// 40 ms: the commit comes on top, and nobody should wait for more than 50.
  static let contendedTransactionTime = Duration.milliseconds(40)
  /// 320 ms, where nobody waits.
  static let uncontendedTransactionTime = Duration.milliseconds(320)
  /// How many records are written between two looks at the clock: some 100 µs.
  static let recordsPerClockCheck = 32
  /// How many records are taken from a sequence at a time.
  static let batchSize = 16_384
  /// The same of the first that come from one that is awaited.
  static let initialBatchSize = 1_024
  /// How many models are saved in one transaction: some 20 ms.
  static let modelBatchSize = 1_024
  /// How many rows are deleted in one transaction.
  static let removalBatchSize = 1_024
}
