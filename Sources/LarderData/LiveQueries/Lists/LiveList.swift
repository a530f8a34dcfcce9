import LarderSQLite
import LarderSupport

/// The models that a descriptor asks for, in one context, kept as they are by now.
///
/// The list belongs to its context's isolation, its query to nobody's: that finds out whether a commit has changed the
/// answer, and which rows are in it. Objects are made here, of the same versions that the query has seen; where the
/// context sees others by now, it is asked itself. So elements are never of one commit and the list of another.
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
  /// Whether what is shown could not be brought up to date.
  private var hasFailed = false
  /// Whether that was a matter of the moment, maybe.
  private var hasTransientFailure = false
  /// Called by any thread when there is something to look at.
  private let notify: @Sendable () -> Void

  /// More pending objects than these are not watched for a second change: each needs some memory for that.
  private static var maximumTrackedObjects: Int { 100_000 }
  /// Whether somebody was told of something pending, and has not looked since.
  private var isNotified = false
  /// How often it was looked, and at which look what is shown was found: an observer may look while another's find is
  /// being told of.
  private var updateCount = 0
  private var shownUpdate = 0

  /// - Parameters:
  ///   - section: What the elements are divided by, where they are.
  ///   - interest: What is something to look at.
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

  /// Has somebody look at what is pending.
  func notifyPendingChange() {
    if isNotified { return }
    isNotified = true
    notify()
  }

  /// Whether something may have changed since the list was last brought up to date.
  var isStale: Bool {
    core.hasRemoteChanges || hasTransientFailure || query.isInvalidated(since: generation)
      || core.liveListRegistry?.changeCount != processedChangeCount
  }

  /// What the list is by now; nil where it is what it was.
  ///
  /// - Throws: As ``ModelContext/fetch(_:)``; what is shown stays.
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
      // Whatever is found next is to be told, also what is shown: the failure is over then.
      query.setCurrent(nil, generation: generation)
      throw error
    }
  }

  private func computeUpdate() throws -> Update? {
    isNotified = false
    updateCount += 1
    core.liveListRegistry?.markRefreshed()
    core.mergeRemoteChangesIfNeeded()
    // From the look on nothing may be taken over of what others save meanwhile: what is found is of the look, and the
    // objects would be of a later commit. To make a fetch ready takes over, so that comes first; where it fails, the look
    // is noted all the same.
    let pending = Result { try pendingFetch() }
    // Looked at first: what is published meanwhile is another generation.
    let isUnderWay = query.isCommitInProgress
    let (outcome, generation) = query.poll()
    let isTouched = generation != self.generation || hasFailed
    self.generation = generation
    let fetch = try pending.get()
    let concernsPending = try fetch?.isAffectedByPendingChanges() ?? false
    let hasPendingNews =
      processedChangeCount != core.liveListRegistry?.changeCount && (concernsPending || includesPendingChanges)
    processedChangeCount = core.liveListRegistry?.changeCount ?? 0
    // What does not concern the list yet may do so by its next change.
    if request.includesPending, core.hasChanges { core.trackPendingObjects(limit: LiveList.maximumTrackedObjects) }
    if !isTouched && !hasPendingNews && !isUnderWay { return nil }
    if !concernsPending && !isUnderWay {
      // What failed in the background may have been a matter of the moment: the context is asked, and may fail.
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

  /// Shows what was found, unless something that was found later is shown already.
  ///
  /// - Returns: Whether it does.
  @discardableResult
  func apply(_ news: Update) -> Bool {
    if news.number < shownUpdate { return false }
    shownUpdate = news.number
    // The end of a model, which may read the list, is to be in the midst of no change of it.
    let former = elements
    defer { withExtendedLifetime(former) {} }
    elements = news.elements
    snapshot = news.snapshot
    includesPendingChanges = news.includesPendingChanges
    query.setCurrent(includesPendingChanges ? nil : snapshot, generation: generation)
    return true
  }

  /// What says whether something pending concerns the list; nil where nothing does.
  private func pendingFetch() throws -> PreparedFetch? {
    guard request.includesPending, core.hasChanges else { return nil }
    return try PreparedFetch(request, in: core)
  }

  /// Asks the context itself.
  private func fetchFromContext() throws -> Update {
    let pending = try pendingFetch()
    let showedPending = try pending?.isAffectedByPendingChanges() ?? false
    if request.includesPending, core.hasChanges { core.trackPendingObjects(limit: LiveList.maximumTrackedObjects) }
    let elements = try context.fetch(descriptor)
    // What others saved may have made it matter in the midst of that.
    let showsPending = try showedPending || pending?.isAffectedByPendingChanges() ?? false
    var answer = QueryResultSnapshot()
    for element in elements { answer.append(element._$header.pointee.rowID, version: element._$header.pointee.version) }
    return Update(elements: elements, snapshot: answer, includesPendingChanges: showsPending, number: updateCount)
  }

  /// The objects of rows: those that are here, and the others from one statement; nil where the context sees other
  /// versions of them than the answer is of.
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
  /// Whether the object is just as a version of its row has it.
  fileprivate func isClean(_ version: Int64) -> Bool { isStored && self.version == version }
}

extension _ModelHeader.Fields {
  private var isStored: Bool {
    status.contains(.stored) && !status.contains(.deleted) && !status.contains(.rowMissing)
  }
}
