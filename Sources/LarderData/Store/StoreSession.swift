import Dispatch
package import LarderSQLite
import LarderSupport
import Synchronization

/// A context's way to its store: reads through a connection that it keeps for a moment, writes through the store's
/// writer.
///
/// Between fetches the connection and a read transaction stay open, because beginning one costs as much as a look-up
/// does. They are given up at a save, as soon as anybody in this process has committed, and after
/// ``leaseMilliseconds``, whether the context is busy or idle: a reader that never ends keeps the log from starting
/// anew.
// @unchecked: the connection is behind `lock`; the rest is used by the context's own thread.
package final class StoreSession: @unchecked Sendable {
  /// 50 ms: long enough for thousands of look-ups, short enough for the log.
  package static let leaseMilliseconds = 50

  package let store: SQLiteStore
  /// The connection of the save that it reads within; nil where it has connections of its own.
  private let within: Connection?
  /// Whether reads are of the connection that writes.
  private let readsThroughWriter: Bool
  /// Whether a read transaction stays open between fetches.
  package var keepsSnapshot = true

  /// Called on the context's thread when others of this process have committed since the last read.
  package var othersCommitted: () -> Void = {}
  /// The commits of this session, and of all in the process when it last looked.
  private var ownCommits = 0
  private var othersSeen = 0

  private let lock = BriefLock()
  /// Whether the context's thread is between ``beginReading()`` and ``endReading(_:)``. Only that thread looks.
  private var isReading = false
  private var reader: ReaderConnection? { didSet { isLeased.store(reader != nil, ordering: .relaxed) } }
  /// Whether there is one, for those who do not hold the lock.
  private let isLeased = Atomic<Bool>(false)
  /// The store's commits when the snapshot was taken.
  private var commitsSeen: Int = -1
  /// Which snapshot is held; 0 where reads have none that lasts.
  private var snapshot = 0
  /// Raised by the timer when it found the session busy; the next read begins a new lease, or the timer comes again.
  private let isOverdue = Atomic<Bool>(false)
  /// When the lease ends, behind `lock`.
  private var leaseEnds = DispatchTime(uptimeNanoseconds: 0)
  /// Whether a timer will come, behind `lock`. There is one for all leases that begin before it comes: a timer is woken by
  /// a thread, and a context that saves often begins a lease each time.
  private var isAwaited = false
  /// How many leases there were, and for how many timers were set.
  package private(set) var leases = (begun: 0, awaited: 0)
  /// What leads to it from the timer.
  private let tether = Tether<StoreSession>()

  /// - Parameter within: The connection of a save that is under way, which sees what has been written so far.
  package init(store: SQLiteStore, within: Connection? = nil) {
    self.store = store
    self.within = within
    readsThroughWriter = within != nil || store.readsThroughWriter
    othersSeen = store.commits.load(ordering: .acquiring)
    tether.tie(to: self)
    if !readsThroughWriter { store.database.snapshotHolders.add(self) { [tether] in tether.object?.letGo() } }
  }

  deinit {
    tether.cut()
    if !readsThroughWriter { store.database.snapshotHolders.remove(self) }
    // The last reference may be a timer's, on another thread than the one that has read. Counting references orders the two; the
    // lock says so to the thread sanitizer as well.
    lock.lock()
    giveBack()
    lock.unlock()
  }

  /// Runs the body on a connection that sees every commit that came before.
  package func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let reading = try beginReading()
    defer { endReading(reading) }
    return try body(reading.connection)
  }

  /// A connection while it is being read from, and what is to be given back afterwards.
  package struct Reading {
    // Uncounted: the session keeps it until the reading ends, or `reader` does.
    package let uncounted: Unmanaged<Connection>
    package var connection: Connection { uncounted.takeUnretainedValue() }
    fileprivate let reader: ReaderConnection?
    fileprivate let holdsLock: Bool

    fileprivate init(_ connection: Connection, reader: ReaderConnection? = nil, holdsLock: Bool = false) {
      uncounted = .passUnretained(connection)
      self.reader = reader
      self.holdsLock = holdsLock
    }
  }

  /// The same as ``read(_:)`` for those who read once for each fetch: a closure's result of any type would be passed
  /// through memory. Whoever begins ends.
  package func beginReading() throws -> Reading {
    if readsThroughWriter { return try beginReadingThroughWriter() }
    // A type's own coding may fetch while a row is being read: the lock is this thread's already.
    if isReading, let reader { return Reading(reader.connection) }
    lock.lock()
    isReading = true
    do {
      return Reading(try currentReader().connection, holdsLock: true)
    } catch {
      isReading = false
      lock.unlock()
      throw error
    }
  }

  private func beginReadingThroughWriter() throws -> Reading {
    if let within { return Reading(within) }
    try requireStage()
    let reader = try store.database.checkout()
    noteOthers(store.commits.load(ordering: .acquiring))
    return Reading(reader.connection, reader: reader)
  }

  package func endReading(_ reading: Reading) {
    if reading.holdsLock {
      isReading = false
      lock.unlock()
    } else if let reader = reading.reader {
      store.database.checkin(reader)
    }
  }

  @inline(__always)
  private func currentReader() throws -> ReaderConnection {
    let commits = store.commits.load(ordering: .acquiring)
    if let reader, _fastPath(commits == commitsSeen && !isOverdue.load(ordering: .relaxed)) { return reader }
    return try beginLease(commits)
  }

  @inline(never)
  private func beginLease(_ commits: Int) throws -> ReaderConnection {
    // Until it is there, nothing is known of what the next read sees: to begin it may fail, and may run others' code.
    (commitsSeen, snapshot) = (-1, 0)
    let reader: ReaderConnection
    if let held = self.reader {
      held.endSnapshot()
      try store.database.checkReading(context: "reading")
      reader = held
    } else {
      reader = try store.database.checkout()
      self.reader = reader
    }
    commitsSeen = try beginSnapshot(reader, commits)
    noteOthers(commitsSeen)
    isOverdue.store(false, ordering: .relaxed)
    leases.begun += 1
    snapshot = keepsSnapshot ? leases.begun : 0
    leaseEnds = .now() + .milliseconds(StoreSession.leaseMilliseconds)
    if !isAwaited { awaitEnd() }
    return reader
  }

  /// How often it is begun anew where others commit just then. The last one is told of from within itself.
  package static let attempts = 8
  /// Called before a snapshot is taken, for tests that commit just then.
  package var snapshotComes: (() -> Void)?

  /// Begins a snapshot that has no commit of another process of which nobody here has been told: what is live must not
  /// show objects of a later commit than the list that they are in.
  ///
  /// - Returns: The commits of this process that are in it. It may have more than that, and is then given up at the next
  ///   read.
  private func beginSnapshot(_ reader: ReaderConnection, _ commits: Int) throws -> Int {
    guard let others = store.others else {
      if keepsSnapshot { try reader.beginSnapshot() }
      return commits
    }
    if !keepsSnapshot {
      guard others.isPending(on: reader.connection) else { return commits }
      try reader.beginSnapshot()
      try store.lookForOthers(on: reader.connection)
      reader.endSnapshot()
      return store.commits.load(ordering: .acquiring)
    }
    var attempt = 1
    while true {
      let commits = store.commits.load(ordering: .acquiring)
      try reader.beginSnapshot()
      let isPending = others.isPending(on: reader.connection)
      snapshotComes?()
      // A look takes the snapshot itself, and finds all that other processes have recorded in it.
      let isLast = attempt == StoreSession.attempts
      let isFound = isPending || isLast ? try store.lookForOthers(on: reader.connection, always: true) : false
      try reader.takeSnapshot()
      if isLast || !others.isBehind(on: reader.connection) { return isFound ? commits + 1 : commits }
      reader.endSnapshot()
      attempt += 1
    }
  }

  private func awaitEnd() {
    isAwaited = true
    leases.awaited += 1
    timer(at: leaseEnds)
  }

  private func timer(at end: DispatchTime) {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: end) { [tether] in tether.object?.timerCame() }
  }

  /// Tells the context of the commits of other contexts, without a read.
  func noteCommits() { noteOthers(store.commits.load(ordering: .acquiring)) }

  /// Tells the context of commits that were not its own.
  private func noteOthers(_ commits: Int) {
    guard commits - ownCommits != othersSeen else { return }
    othersSeen = commits - ownCommits
    othersCommitted()
  }

  private func timerCame() {
    guard lock.tryLock() else {
      // Nobody may read after this one, and a connection that is not given back is one less for all others.
      isOverdue.store(true, ordering: .relaxed)
      return timer(at: .now() + .milliseconds(StoreSession.leaseMilliseconds))
    }
    isAwaited = false
    if reader != nil {
      if DispatchTime.now() < leaseEnds { awaitEnd() } else { giveBack() }
    }
    lock.unlock()
  }

  /// Lets the snapshot go, or has the next read do so where this one has not ended: the log is to begin anew.
  private func letGo() {
    guard isLeased.load(ordering: .relaxed) else { return }
    guard lock.tryLock() else { return isOverdue.store(true, ordering: .relaxed) }
    giveBack()
    lock.unlock()
  }

  private func giveBack() {
    guard let reader else { return }
    self.reader = nil
    store.database.checkin(reader)
  }

  /// Looks for what other processes have committed, before the context takes over what others have saved. Costs nothing
  /// while a snapshot is held, which does not see it yet.
  @inline(__always)
  func lookForOthers() throws {
    if !isHolding { try beginToLook() }
  }

  /// Whether the next read is of the connection, and of the snapshot if any, that the last one was of.
  @inline(__always)
  private var isHolding: Bool {
    isLeased.load(ordering: .relaxed) && store.commits.load(ordering: .acquiring) == commitsSeen
      && !isOverdue.load(ordering: .relaxed)
  }

  /// A read has failed, after which SQLite may have ended the transaction and its snapshot.
  func readFailed() { snapshot = 0 }

  /// Which snapshot the next read sees, if it is the one that the last read saw; 0 if it may be another one. Each has a
  /// number of its own.
  @inline(__always)
  var heldSnapshot: Int { isHolding ? snapshot : 0 }

  /// Which state of the data the next read sees, if it is the one that the last read saw; 0 if it may be another one.
  ///
  /// Where reads are of the connection that writes, that is the one after so many commits: the store is this process's alone.
  var heldData: Int {
    if readsThroughWriter { return within == nil ? -1 - store.commits.load(ordering: .acquiring) : 0 }
    return heldSnapshot
  }

  @inline(never)
  private func beginToLook() throws {
    if store.others == nil || isReading || within != nil { return }
    try StoreError.wrapping(store.errorURL, "reading") { endReading(try beginReading()) }
  }

  /// The same as of this moment, whatever snapshot is held: before a save.
  func lookForOthersNow() throws {
    guard let others = store.others, !isReading, within == nil else { return }
    lock.lock()
    let isKnown = reader == nil && isEverythingKnown(to: others)
    do {
      if let reader {
        // Before the log's index is looked at, which may be gone.
        try StoreError.wrapping(store.errorURL, "saving") { try store.database.checkIndex(context: "writing") }
        if others.isBehind(on: reader.connection) { giveBack() }
      }
    } catch {
      lock.unlock()
      throw error
    }
    lock.unlock()
    if !isKnown { try lookForOthers() }
  }

  /// Whether no other process has committed anything of which nobody here knows. Where no snapshot is held, none has to be
  /// begun to say so: a save would give it up at once.
  private func isEverythingKnown(to others: OthersCommits) -> Bool {
    let commits = store.commits.load(ordering: .acquiring)
    guard let idle = try? store.database.checkout(brief: true) else { return false }
    defer { store.database.checkin(idle) }
    guard !others.isPending(on: idle.connection) else { return false }
    noteOthers(commits)
    return true
  }

  /// Lets the snapshot go, so that a write does not have to keep what it sees.
  package func endLease() {
    // Whoever saves while a row is being read, from an observer or a type's own coding, holds the lock already.
    if isReading { return }
    lock.lock()
    giveBack()
    lock.unlock()
  }

  /// A context of a migration's stage that somebody has kept must not write by the models of that stage.
  private func requireStage() throws {
    guard store.isOfStage, store.isOver.load(ordering: .acquiring) else { return }
    throw StoreError(
      .schemaMismatch, store.url,
      "This context is of a stage of a migration that is over. Use it, and its objects, in the stage's own work only.")
  }

  /// Runs the body while nobody else calls the data store behind the rows, where there is one.
  func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
    guard let backend = store.backend else { return try body() }
    return try backend.exclusively(body)
  }

  /// Runs the body in a transaction of the writer, and lets every context see it.
  package func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    endLease()
    try requireStage()
    #if DEBUG
      // Before the commit: another thread may read the rows as soon as they are committed.
      store.committers.note()
    #endif
    let result = try store.write(body)
    store.commits.add(1, ordering: .releasing)
    ownCommits += 1
    return result
  }
}
