import Foundation
import LarderSQLite
import LarderSupport

/// The first rows of an ordered, limited fetch that no pending change removes from the result.
///
/// A loop may take the first object and delete it, or change it so that it no longer matches. Each iteration requests the
/// same rows, and has to skip one more of them. The identifiers are kept here in the store's order, as long as the
/// context reads one snapshot, so that each is skipped only once.
struct LeadingRowCache {
  struct CacheKey: Equatable {
    let plan: Int?
    let order: String?
    let values: [ParameterValue]
    let snapshot: Int
    /// The number of times that an object stopped being pending, for the class and each subclass.
    let invalidations: [Int]
  }

  let key: CacheKey
  /// The rows that were in the result of the last request.
  private var candidates: [Int64] = []
  private var unread: ArraySlice<Int64> = []
  /// The number of rows read so far.
  private(set) var count = 0
  private var isComplete = false

  /// 32: the number of rows in the first read.
  private static var minimumBatchSize: Int { 32 }

  init(_ question: CacheKey) { self.key = question }

  /// Returns the first rows that are not skipped.
  ///
  /// - Parameters:
  ///   - wanted: The number of rows to return.
  ///   - isPassedOver: Whether a pending change removes the row from the result.
  ///   - read: Reads the identifiers of up to `limit` rows, from an offset on.
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
      // Twice as many each time, because SQLite steps through the rows before the offset again.
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
  /// 8: up to this number of pending changes, the fetch reads that many extra rows instead.
  private var fewChanges: Int { 8 }

  /// Returns the first objects of the result from the store; nil where the fetch reads extra rows instead.
  ///
  /// - Parameter slack: The maximum number of rows that pending changes remove from the result.
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
