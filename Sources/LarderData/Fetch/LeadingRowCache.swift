import Foundation
import LarderSQLite
import LarderSupport

/// The first rows of an ordered, limited fetch that no pending change takes out of the answer.
///
/// A loop that takes the first object and deletes it, or changes it so that it does not match any more, asks for the same
/// rows again and again, and each time one more of them has to be passed over. Their identifiers are kept here, in the
/// store's order and as long as the context sees one snapshot, and each is passed over once.
struct LeadingRowCache {
  struct CacheKey: Equatable {
    let plan: Int?
    let order: String?
    let values: [ParameterValue]
    let snapshot: Int
    /// The number of times that something pending ended, in the states of the class and of those below.
    let invalidations: [Int]
  }

  let key: CacheKey
  /// Rows that were in the answer when it was last asked for.
  private var candidates: [Int64] = []
  private var unread: ArraySlice<Int64> = []
  /// How many rows were read.
  private(set) var count = 0
  private var isComplete = false

  /// 32: as many rows as are read at first.
  private static var minimumBatchSize: Int { 32 }

  init(_ question: CacheKey) { self.key = question }

  /// The first rows that are not passed over.
  ///
  /// - Parameter read: The identifiers of so many rows, from an offset on.
  mutating func rows(
    _ wanted: Int, isSkipped isPassedOver: (Int64) -> Bool, read: (_ limit: Int, _ offset: Int) throws -> [Int64]
  ) throws -> [Int64] {
    candidates.removeAll(where: isPassedOver)
    while candidates.count < wanted {
      if let row = unread.popFirst() {
        if !isPassedOver(row) { candidates.append(row) }
        continue
      }
      if isComplete { break }
      // Twice as many each time, as rows before the offset are gone through again.
      let limit = max(count, LeadingRowCache.minimumBatchSize, wanted)
      let more = try read(limit, count)
      isComplete = more.count < limit
      count += more.count
      unread = more[...]
    }
    return Array(candidates.prefix(wanted))
  }
}

extension PreparedFetch {
  /// Below so many pending changes, as many rows more are read.
  private var fewChanges: Int { 8 }

  /// The first objects of the store's answer; nil where rows are to be read until there are enough.
  ///
  /// - Parameter slack: How many rows may fall out of the answer.
  func leadingModels<Model: PersistentModel>(_ type: Model.Type, slack: Int) throws -> [Model]? {
    guard let limit = request.limit, slack > fewChanges, plan?.isWholeSQL != false, !isAffectedByRelatedChanges else {
      return nil
    }
    let (wanted, isTooLarge) = limit.addingReportingOverflow(request.offset)
    let snapshot = tracker.session.currentDataID
    guard !isTooLarge, wanted > 0, wanted <= slack, snapshot != 0 else { return nil }
    let question = LeadingRowCache.CacheKey(
      plan: plan?.id, order: request.sort?.sql, values: try cacheKeyValues(), snapshot: snapshot,
      invalidations: tracker.family.map(\.pendingRemovals))
    var front = tracker.firstRows ?? LeadingRowCache(question)
    if front.key != question { front = LeadingRowCache(question) }
    // Taken out, so that it grows in place.
    tracker.firstRows = nil
    let readMask = readMask
    let rows = try front.rows(wanted) { row in
      isSkipped(row, readMask)
    } read: { limit, offset in
      try identifiers(limit: limit, offset: offset)
    }
    tracker.firstRows = front
    let models = try tracker.loadRows(rows)
    let byRow = Dictionary(models.map { ($0._$header.pointee.rowID, $0) }, uniquingKeysWith: { first, _ in first })
    return rows.compactMap { row in byRow[row].map { unsafeDowncast($0, to: Model.self) } }
  }

  private func isSkipped(_ row: Int64, _ readMask: _PropertyMask) -> Bool {
    if tracker.hasDeletion(of: row) { return true }
    guard let object = tracker.find(row) else { return false }
    let header = tracker.erased(object)._$header
    let status = header.pointee.status
    return status.contains(.deleted) || (status.contains(.changed) && header.pointee.changedMask & readMask != 0)
  }

  private func identifiers(limit: Int, offset: Int) throws -> [Int64] {
    try run(.identifiers, limit: limit, offset: offset) { statement in
      var rows: [Int64] = []
      while try statement.step() { rows.append(statement.int64(0)) }
      return rows
    }
  }

  private func cacheKeyValues() throws -> [ParameterValue] {
    guard let plan, let expression = request.expression else { return [] }
    do {
      return try plan.parameterValues(expression)
    } catch let failure as PredicateFailure {
      throw FetchError(failure, entityName: tracker.layout.entityName)
    }
  }
}
