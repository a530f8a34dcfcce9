import LarderSQLite
import LarderSupport

/// The up-to-date result of a fetch descriptor in one context.
///
/// The list belongs to its context's isolation; its query belongs to none. The query finds out whether a commit has changed
/// the result, and which rows it contains. The list creates the objects, of the same row versions that the query has read.
/// If the context already sees other versions, the list fetches from the context instead. So the elements and their order
/// are always of the same commit.
final class LiveList<Element: PersistentModel> {
  let context: ModelContext
  let descriptor: FetchDescriptor<Element>
  private let request: FetchRequest
  private let query: LiveQuery
  private(set) var elements: [Element] = []
  /// The elements' rows and versions.
  private(set) var snapshot = QueryResultSnapshot()
  private var generation: Int
  private var processedChangeCount: Int
  private var includesPendingChanges = false
  /// Whether the last update failed.
  private var hasFailed = false
  /// Whether that failure may be transient.
  private var hasTransientFailure = false
  /// A closure that any thread calls when an update may be available.
  private let notify: @Sendable () -> Void

  /// The number of pending objects above which further changes are not tracked, since tracking needs memory for each object.
  private static var maximumTrackedObjects: Int { 100_000 }
  /// Whether a notification of pending changes was sent, and no update has been fetched since.
  private var isNotified = false
  /// The number of fetched updates, and the number of the update that the list shows. An observer may fetch an update while
  /// another observer is being notified of an earlier one.
  private var updateCount = 0
  private var shownUpdate = 0

  /// - Parameters:
  ///   - section: The properties that divide the elements into sections, or `nil` if there are no sections.
  ///   - interest: The kind of change that causes a notification.
  init(
    _ descriptor: FetchDescriptor<Element>, in context: ModelContext, section: SectionDependencies? = nil,
    changeCriterion interest: LiveQuery.ChangeCriterion, notify tell: @escaping @Sendable () -> Void
  ) throws {
    self.context = context
    self.descriptor = descriptor
    self.notify = tell
    let core = context.core
    core.ensureLiveListRegistry()
    request = try FetchRequest(descriptor)
    if core.hasStorageBackends { try core.refreshFromBackend(descriptor) }
    let fetch = try PreparedFetch(request, in: core)
    var dependencies = try QueryDependencies(
      request, fetch.plan, section: section?.mask ?? 0, followsValues: interest == .versions)
    section?.addRelatedModels(to: &dependencies)
    query = LiveQuery(request, dependencies, in: core, changeCriterion: interest, notify: tell)
    generation = query.generation
    processedChangeCount = core.liveListRegistry?.changeCount ?? 0
    apply(try fetchFromContext())
  }

  deinit { query.cancel() }

  private var core: _ContextCore { context.core }

  /// Notifies the observer of pending changes, once until the next update is fetched.
  func notifyPendingChange() {
    if isNotified { return }
    isNotified = true
    notify()
  }

  /// Whether the result may have changed since the list was last updated.
  var isStale: Bool {
    core.hasRemoteChanges || hasTransientFailure || query.isInvalidated(since: generation)
      || core.liveListRegistry?.changeCount != processedChangeCount
  }

  /// Returns the current result, or `nil` if it has not changed.
  ///
  /// - Throws: The errors of ``ModelContext/fetch(_:)``. The shown elements stay.
  func fetchUpdate() throws -> Update? {
    do {
      let news = try computeUpdate()
      if hasFailed { query.recordSuccess() }
      (hasFailed, hasTransientFailure) = (false, false)
      return news
    } catch {
      hasFailed = true
      hasTransientFailure = (error as? StoreError)?.isTransient ?? false
      if hasTransientFailure { query.scheduleRetry() }
      // The next result is a change in any case, even if it equals the shown one: it ends the failure.
      query.setCurrent(nil, generation: generation)
      throw error
    }
  }

  private func computeUpdate() throws -> Update? {
    isNotified = false
    updateCount += 1
    core.liveListRegistry?.markRefreshed()
    core.mergeRemoteChangesIfNeeded()
    // From the poll on, no commits may be merged: the result is of the poll, and the objects would be of a later commit.
    // Preparing a fetch merges, so it comes first. If it throws, the poll is recorded all the same.
    let pending = Result { try pendingFetch() }
    // Read before the poll: a commit that is published in between has another generation.
    let isUnderWay = query.isCommitInProgress
    let (outcome, generation) = query.poll()
    let isTouched = generation != self.generation || hasFailed
    self.generation = generation
    let fetch = try pending.get()
    let concernsPending = try fetch?.isAffectedByPendingChanges() ?? false
    let hasPendingNews =
      processedChangeCount != core.liveListRegistry?.changeCount && (concernsPending || includesPendingChanges)
    processedChangeCount = core.liveListRegistry?.changeCount ?? 0
    // The next change of a pending object that does not affect the list yet may affect it.
    if request.includesPending, core.hasChanges { core.trackPendingObjects(limit: LiveList.maximumTrackedObjects) }
    if !isTouched && !hasPendingNews && !isUnderWay { return nil }
    if !concernsPending && !isUnderWay {
      // A background failure may have been transient: the context fetches, and may throw.
      if case .success(let answer) = outcome {
        if !includesPendingChanges, !hasFailed, answer == self.snapshot { return nil }
        if let elements = try elements(of: answer) {
          return Update(elements: elements, snapshot: answer, includesPendingChanges: false, number: updateCount)
        }
      }
    }
    return try fetchFromContext()
  }

  struct Update {
    let elements: [Element]
    let snapshot: QueryResultSnapshot
    fileprivate let includesPendingChanges: Bool
    fileprivate let number: Int
  }

  /// Shows the specified update, unless a later update is shown already.
  ///
  /// - Returns: Whether the update is shown.
  @discardableResult
  func apply(_ news: Update) -> Bool {
    if news.number < shownUpdate { return false }
    shownUpdate = news.number
    // The deinitializer of a model may read the list, so it must not run in the middle of a change of the list.
    let former = elements
    defer { withExtendedLifetime(former) {} }
    elements = news.elements
    snapshot = news.snapshot
    includesPendingChanges = news.includesPendingChanges
    query.setCurrent(includesPendingChanges ? nil : snapshot, generation: generation)
    return true
  }

  /// Returns a fetch that decides whether pending changes affect the list, or `nil` if there are no pending changes.
  private func pendingFetch() throws -> PreparedFetch? {
    guard request.includesPending, core.hasChanges else { return nil }
    return try PreparedFetch(request, in: core)
  }

  /// Fetches the result from the context.
  private func fetchFromContext() throws -> Update {
    let pending = try pendingFetch()
    let showedPending = try pending?.isAffectedByPendingChanges() ?? false
    if request.includesPending, core.hasChanges { core.trackPendingObjects(limit: LiveList.maximumTrackedObjects) }
    let elements = try context.fetch(descriptor)
    // The fetch may have merged commits that make the pending changes affect the list.
    let showsPending = try showedPending || pending?.isAffectedByPendingChanges() ?? false
    var answer = QueryResultSnapshot()
    for element in elements { answer.append(element._$header.pointee.rowID, version: element._$header.pointee.version) }
    return Update(elements: elements, snapshot: answer, includesPendingChanges: showsPending, number: updateCount)
  }

  /// Returns the objects of the specified rows: registered objects, and one statement for the missing ones. Returns `nil` if the
  /// context sees other versions of the rows than the result has.
  private func elements(of answer: QueryResultSnapshot) throws -> [Element]? {
    let tracker = try core.tracker(for: request.layout)
    var elements: [Element?] = []
    elements.reserveCapacity(answer.rows.count)
    var missing: [Int64] = []
    for (row, version) in zip(answer.rows, answer.versions) {
      let known = tracker.find(row).map { unsafeDowncast($0, to: Element.self) }
      if let known, known._$header.pointee.isClean(version) {
        elements.append(known)
      } else {
        elements.append(nil)
        missing.append(row)
      }
    }
    if !missing.isEmpty {
      let loaded = try core.loadModels(stored: missing, as: Element.self)
      for (place, row) in answer.rows.enumerated() where elements[place] == nil {
        guard let model = loaded[row], model._$header.pointee.isClean(answer.versions[place]) else { return nil }
        elements[place] = model
      }
      if !request.prefetchedRelations.isEmpty { try core.prefetch(request, Array(loaded.values)) }
    }
    return elements.compactMap { $0 }
  }
}

extension _ModelHeader.Fields {
  /// Returns whether the object has the specified version of its row, and the row is stored and not deleted.
  fileprivate func isClean(_ version: Int64) -> Bool { isStored && self.version == version }
}

extension _ModelHeader.Fields {
  private var isStored: Bool {
    status.contains(.stored) && !status.contains(.deleted) && !status.contains(.rowMissing)
  }
}
