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
  private(set) var answer = LiveAnswer()
  private var generation: Int
  private var seenChanges: Int
  private var showsPending = false
  /// Whether what is shown could not be brought up to date.
  private var hasFailed = false
  /// Whether that was a matter of the moment, maybe.
  private var mayPass = false
  /// Called by any thread when there is something to look at.
  private let tell: @Sendable () -> Void

  /// More pending objects than these are not watched for a second change: each needs some memory for that.
  private static var watchedObjects: Int { 100_000 }
  /// Whether somebody was told of something pending, and has not looked since.
  private var isTold = false
  /// How often it was looked, and at which look what is shown was found: an observer may look while another's find is
  /// being told of.
  private var looks = 0
  private var shownLook = 0

  /// - Parameters:
  ///   - section: What the elements are divided by, where they are.
  ///   - interest: What is something to look at.
  init(
    _ descriptor: FetchDescriptor<Element>, in context: ModelContext, section: SectionSource? = nil,
    interest: LiveQuery.Interest, tell: @escaping @Sendable () -> Void
  ) throws {
    self.context = context
    self.descriptor = descriptor
    self.tell = tell
    let core = context.core
    core.followLive()
    request = try FetchRequest(descriptor)
    if core.asksStores { try core.bringUpToDate(descriptor) }
    let fetch = try PreparedFetch(request, in: core)
    var dependencies = try QueryDependencies(
      request, fetch.plan, section: section?.mask ?? 0, followsValues: interest == .versions)
    section?.addModels(to: &dependencies)
    query = LiveQuery(request, dependencies, in: core, interest: interest, tell: tell)
    generation = query.generation
    seenChanges = core.liveLists?.changes ?? 0
    take(try fetchAll())
  }

  deinit { query.end() }

  private var core: ContextCore { context.core }

  /// Has somebody look at what is pending.
  func tellOfPending() {
    if isTold { return }
    isTold = true
    tell()
  }

  /// Whether something may have changed since the list was last brought up to date.
  var isStale: Bool {
    core.hasOthersChanges || mayPass || query.isTouched(since: generation) || core.liveLists?.changes != seenChanges
  }

  /// What the list is by now; nil where it is what it was.
  ///
  /// - Throws: As ``ModelContext/fetch(_:)``; what is shown stays.
  func news() throws -> News? {
    do {
      let news = try findNews()
      if hasFailed { query.hasSucceeded() }
      (hasFailed, mayPass) = (false, false)
      return news
    } catch {
      hasFailed = true
      mayPass = (error as? StoreError)?.mayPass ?? false
      if mayPass { query.tryAgain() }
      // Whatever is found next is to be told, also what is shown: the failure is over then.
      query.show(nil, of: generation)
      throw error
    }
  }

  private func findNews() throws -> News? {
    isTold = false
    looks += 1
    core.liveLists?.hasLooked()
    core.catchUp()
    // From the look on nothing may be taken over of what others save meanwhile: what is found is of the look, and the
    // objects would be of a later commit. To make a fetch ready takes over, so that comes first; where it fails, the look
    // is noted all the same.
    let pending = Result { try pendingFetch() }
    // Looked at first: what is published meanwhile is another generation.
    let isUnderWay = query.isUnderWay
    let (outcome, generation) = query.look()
    let isTouched = generation != self.generation || hasFailed
    self.generation = generation
    let fetch = try pending.get()
    let concernsPending = try fetch?.concernsPending() ?? false
    let hasPendingNews = seenChanges != core.liveLists?.changes && (concernsPending || showsPending)
    seenChanges = core.liveLists?.changes ?? 0
    // What does not concern the list yet may do so by its next change.
    if request.includesPending, core.hasChanges { core.watchPending(limit: LiveList.watchedObjects) }
    if !isTouched && !hasPendingNews && !isUnderWay { return nil }
    if !concernsPending && !isUnderWay {
      // What failed in the background may have been a matter of the moment: the context is asked, and may fail.
      if case .answer(let answer) = outcome {
        if !showsPending, !hasFailed, answer == self.answer { return nil }
        if let elements = try elements(of: answer) {
          return News(elements: elements, answer: answer, showsPending: false, look: looks)
        }
      }
    }
    return try fetchAll()
  }

  struct News {
    let elements: [Element]
    let answer: LiveAnswer
    fileprivate let showsPending: Bool
    fileprivate let look: Int
  }

  /// Shows what was found, unless something that was found later is shown already.
  ///
  /// - Returns: Whether it does.
  @discardableResult
  func take(_ news: News) -> Bool {
    if news.look < shownLook { return false }
    shownLook = news.look
    // The end of a model, which may read the list, is to be in the midst of no change of it.
    let former = elements
    defer { withExtendedLifetime(former) {} }
    elements = news.elements
    answer = news.answer
    showsPending = news.showsPending
    query.show(showsPending ? nil : answer, of: generation)
    return true
  }

  /// What says whether something pending concerns the list; nil where nothing does.
  private func pendingFetch() throws -> PreparedFetch? {
    guard request.includesPending, core.hasChanges else { return nil }
    return try PreparedFetch(request, in: core)
  }

  /// Asks the context itself.
  private func fetchAll() throws -> News {
    let pending = try pendingFetch()
    let showedPending = try pending?.concernsPending() ?? false
    if request.includesPending, core.hasChanges { core.watchPending(limit: LiveList.watchedObjects) }
    let elements = try context.fetch(descriptor)
    // What others saved may have made it matter in the midst of that.
    let showsPending = try showedPending || pending?.concernsPending() ?? false
    var answer = LiveAnswer()
    for element in elements { answer.append(element._$header.pointee.rowID, version: element._$header.pointee.version) }
    return News(elements: elements, answer: answer, showsPending: showsPending, look: looks)
  }

  /// The objects of rows: those that are here, and the others from one statement; nil where the context sees other
  /// versions of them than the answer is of.
  private func elements(of answer: LiveAnswer) throws -> [Element]? {
    let state = try core.state(for: request.layout)
    var elements: [Element?] = []
    elements.reserveCapacity(answer.rows.count)
    var missing: [Int64] = []
    for (row, version) in zip(answer.rows, answer.versions) {
      let known = state.find(row).map { unsafeDowncast($0, to: Element.self) }
      if let known, known._$header.pointee.isClean(version) {
        elements.append(known)
      } else {
        elements.append(nil)
        missing.append(row)
      }
    }
    if !missing.isEmpty {
      let loaded = try core.load(stored: missing, as: Element.self)
      for (place, row) in answer.rows.enumerated() where elements[place] == nil {
        guard let model = loaded[row], model._$header.pointee.isClean(answer.versions[place]) else { return nil }
        elements[place] = model
      }
      if !request.prefetched.isEmpty { try core.prefetch(request, Array(loaded.values)) }
    }
    return elements.compactMap { $0 }
  }
}

extension ModelHeader.Fields {
  /// Whether the object is just as a version of its row has it.
  fileprivate func isClean(_ version: Int64) -> Bool { isStored && self.version == version }
}

extension ModelHeader.Fields {
  private var isStored: Bool {
    status.contains(.stored) && !status.contains(.deleted) && !status.contains(.gone)
  }
}
