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
  let core: ContextCore
  /// Held, since what is pending goes with it.
  private let context: ModelContext
  let state: EntityState
  let statement: UpsertStatement<Model, Record>
  let notes: UpsertNotes?
  /// Numbers for new rows that were set apart in the transaction that is under way, which gives back those that are left.
  @exclusivity(unchecked) var numbers: Range<Int64> = 0..<0
  var block = StoreFormat.firstBlock
  /// Whether the transaction that is under way has set numbers apart.
  var hasReserved = false
  /// What a record is given while there is none of these: no row has it, and one that is inserted with it gets another. So
  /// a snapshot that changes nothing sets no numbers apart.
  let placeholder = StoreFormat.unreserved + .random(in: 0..<StoreFormat.unreserved / 2)
  /// The place of the next record.
  @exclusivity(unchecked) private var index = 0
  /// Places at which there is no record, since it could not be read.
  @exclusivity(unchecked) private var unread: ArraySlice<Int> = []
  var lostKey: (any Error)?

  /// Whether the next transaction may be a long one, as nobody waited for the end of the one before. The first is as short as
  /// all should be for whoever waits: what is shown is shown soon. Later ones are longer, since each writes anew whatever
  /// pages of the indexes its rows fall on.
  private var mayBeLong = false

  init(
    _ container: ContainerCore, author: String?, _ mapping: UpsertMapping<Model, Record>,
    by keys: [PartialKeyPath<Model>],
    notesKeys: Bool
  ) throws {
    core = ContextCore(container: container)
    context = core.facade
    core.author = author
    core.inbox.isOpen = false
    state = try core.state(for: Model._$layout)
    guard state.store.backend == nil else { throw DataStoreError.unsupportedFeature }
    guard container.allowsSave(Model._$layout) else {
      throw SaveError(
        .savingNotAllowed, entityName: Model._$layout.entityName,
        "\(Model._$layout.entityName) lies in a store that was opened with allowsSave: false. Open it for saving.")
    }
    let notes = notesKeys ? UpsertNotes() : nil
    self.notes = notes
    do {
      statement = try UpsertStatement(mapping, by: keys, state.statements, notes: notes?.name ?? "")
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
      let began = (index, block, report, unread)
      do {
        let count = try commit { connection in
          try self.transaction(on: connection, isCancelled) { count, hasTime, write in
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
        (index, block, report, unread) = began
        numbers = 0..<0
        throw error
      }
    }
  }

  /// Takes into account what is none of the records, though it stands among them: where the next ones' places follow from
  /// theirs, and nobody knows which rows they would have been.
  package func noteUnread(_ failures: [UpsertFailure]) {
    for failure in failures {
      report.note(failure)
      unread.append(failure.index)
    }
    if notes != nil, lostKey == nil { lostKey = failures.first?.error }
  }

  // MARK: A transaction

  private func commit(_ body: (Connection) throws -> (count: Int, changes: [ChangeSet.Entity])) throws -> Int {
    let session = state.session
    var isUnderWay = false
    defer { if isUnderWay { session.store.observers.commitEnded() } }
    let (count, saving) = try StoreError.wrapping(session.store.errorURL, "upserting \(Model._$layout.entityName)") {
      try session.write { connection in
        let (count, entities) = try body(connection)
        var changes = ChangeSet(entities: entities, author: core.author)
        try session.store.finish(&changes, on: connection)
        if changes.isEmpty, hasReserved { try Bookkeeping.account(on: connection) }
        session.store.observers.commitBegins()
        isUnderWay = true
        return (count, StoreSaving(session: session, savings: [], changes: changes))
      }
    }
    isUnderWay = false
    if saving.changes.isEmpty { session.store.observers.commitEnded() } else { core.publish([saving]) }
    return count
  }

  /// - Parameter body: Is given what tells whether the transaction may go on, and what writes records until it has lasted
  ///   long enough, and returns how many.
  private func transaction(
    on connection: Connection, _ isCancelled: @escaping () -> Bool,
    _ body: (
      _ count: inout Int, _ hasTime: () -> Bool, _ write: (UnsafeBufferPointer<Record>) throws -> Int
    ) throws -> Void
  ) throws -> (count: Int, changes: [ChangeSet.Entity]) {
    let clock = ContinuousClock()
    let began = clock.now
    hasReserved = false
    var changes = ChangeSet.Entity(layout: state.layout, identity: state.identity)
    if notes != nil { try connection.execute(statement.makeNotes) }
    let upsert = try connection.statement(for: statement.sql)
    let former = try FormerValues(statement, state, connection)
    let lists = try ListWriting(statement.lists, state, core, connection)
    let noting = notes != nil ? try connection.statement(for: statement.noteKey) : nil
    let tools = UpsertTools(statement, upsert, state.layout, connection, lists)
    defer {
      upsert.checkIn()
      noting?.checkIn()
      for part in statement.parts { part.related?.end() }
    }
    for part in statement.parts { try part.related?.begin(on: connection, core) }
    bindDefaults(to: upsert)
    var count = 0
    var sinceLook = 0
    try WrittenRow.noted(in: state.layout.tableName, on: connection) { written in
      let hasTime = { !isCancelled() && !self.endsTransaction(after: clock.now - began) }
      try body(&count, hasTime) { records in
        // By their addresses, so that none is copied for its values to be taken.
        guard let first = records.baseAddress else { return 0 }
        for place in records.indices {
          let record = first + place
          if let noting { note(record, noting) }
          written.pointee.operation = 0
          passUnread()
          do {
            try former?.read(record)
            try lists?.read(record)
            try self.write(record, tools, written, &changes)
          } catch let error where Self.concernsRecord(error) {
            report.note(UpsertFailure(index: index, error: error))
          }
          index += 1
          sinceLook += 1
          guard sinceLook == BulkUpsertBatch.stride else { continue }
          sinceLook = 0
          if !hasTime() { return place + 1 }
        }
        return records.count
      }
    }
    if !numbers.isEmpty { try Bookkeeping.giveBack(numbers, on: connection, isAlone: false) }
    numbers = 0..<0
    Self.unite(&changes)
    var all = [changes]
    // First, since it may change more rows of this class.
    try lists?.note(in: &all)
    try former?.note(in: &all[0])
    return (count, all)
  }

  private func passUnread() {
    while unread.first == index {
      unread.removeFirst()
      index += 1
    }
  }

  /// Whether a transaction has lasted long enough, and whether the next one may last longer: where nobody waits.
  private func endsTransaction(after time: Duration) -> Bool {
    if time < BulkUpsertBatch.longestWait { return false }
    if state.store.database.isAwaited {
      mayBeLong = false
      return true
    }
    if mayBeLong, time < BulkUpsertBatch.longestTransaction { return false }
    mayBeLong = true
    return true
  }

  /// A row that a transaction inserts is an insert, whatever comes after; one that it updates twice is one update.
  private static func unite(_ changes: inout ChangeSet.Entity) {
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
    var place = Int32(2 + statement.parts.reduce(0) { $0 + $1.columns.count })
    for value in statement.defaults {
      upsert.bind(place, value)
      place += 1
    }
  }

  /// What is wrong with one record alone; a disk that fails is not.
  private static func concernsRecord(_ error: any Error) -> Bool {
    guard let error = error as? SQLiteError else { return !(error is StoreError) && !(error is CancellationError) }
    return error.code == .constraint || error.code == .tooBig
  }
}

enum BulkUpsertBatch {
  /// 40 ms: the commit comes on top, and nobody should wait for more than 50.
  static let longestWait = Duration.milliseconds(40)
  /// 320 ms, where nobody waits.
  static let longestTransaction = Duration.milliseconds(320)
  /// How many records are written between two looks at the clock: some 100 µs.
  static let stride = 32
  /// How many records are taken from a sequence at a time.
  static let records = 16_384
  /// The same of the first that come from one that is awaited.
  static let firstRecords = 1_024
  /// How many models are saved in one transaction: some 20 ms.
  static let models = 1_024
  /// How many rows are deleted in one transaction.
  static let removals = 1_024
}
