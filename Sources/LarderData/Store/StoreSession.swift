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
  private let enclosingConnection: Connection?
  /// Whether reads are of the connection that writes.
  private let readsThroughWriter: Bool
  /// Whether a read transaction stays open between fetches.
  package var retainsSnapshot = true

  /// Called on the context's thread when others of this process have committed since the last read.
  package var onRemoteCommit: () -> Void = {}
  /// The commits of this session, and of all in the process when it last looked.
  private var localCommitCount = 0
  private var remoteCommitCount = 0

  private let lock = SpinLock()
  /// Whether the context's thread is between ``beginReading()`` and ``endReading(_:)``. Only that thread looks.
  private var isReading = false
  private var reader: ReaderConnection? { didSet { isLeased.store(reader != nil, ordering: .relaxed) } }
  /// Whether there is one, for those who do not hold the lock.
  private let isLeased = Atomic<Bool>(false)
  /// The store's commits when the snapshot was taken.
  private var snapshotCommitCount: Int = -1
  /// Which snapshot is held; 0 where reads have none that lasts.
  private var snapshotID = 0
  /// Raised by the timer when it found the session busy; the next read begins a new lease, or the timer comes again.
  private let isLeaseExpired = Atomic<Bool>(false)
  /// When the lease ends, behind `lock`.
  private var leaseDeadline = DispatchTime(uptimeNanoseconds: 0)
  /// Whether a timer will come, behind `lock`. There is one for all leases that begin before it comes: a timer is woken by
  /// a thread, and a context that saves often begins a lease each time.
  private var isTimerScheduled = false
  /// How many leases there were, and for how many timers were set.
  package private(set) var leaseCounts = (begun: 0, awaited: 0)
  /// What leads to it from the timer.
  private let weakHandle = WeakHandle<StoreSession>()

  /// - Parameter within: The connection of a save that is under way, which sees what has been written so far.
  package init(store: SQLiteStore, within: Connection? = nil) {
    self.store = store
    self.enclosingConnection = within
    readsThroughWriter = within != nil || store.readsThroughWriter
    remoteCommitCount = store.commitCount.load(ordering: .acquiring)
    weakHandle.attach(to: self)
    if !readsThroughWriter {
      store.database.snapshotLeases.add(self) { [weakHandle] in weakHandle.object?.releaseSnapshotIfIdle() }
    }
  }

  deinit {
    weakHandle.invalidate()
    if !readsThroughWriter { store.database.snapshotLeases.remove(self) }
    // The last reference may be a timer's, on another thread than the one that has read. Counting references orders the two; the
    // lock says so to the thread sanitizer as well.
    lock.lock()
    checkInReader()
    lock.unlock()
  }

  /// Runs the body on a connection that sees every commit that came before.
  package func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let reading = try beginReading()
    defer { endReading(reading) }
    return try body(reading.connection)
  }

  /// A connection while it is being read from, and what is to be given back afterwards.
  package struct ReadAccess {
    // Uncounted: the session keeps it until the reading ends, or `reader` does.
    package let unretainedConnection: Unmanaged<Connection>
    package var connection: Connection { unretainedConnection.takeUnretainedValue() }
    fileprivate let reader: ReaderConnection?
    fileprivate let holdsLock: Bool

    fileprivate init(_ connection: Connection, reader: ReaderConnection? = nil, holdsLock: Bool = false) {
      unretainedConnection = .passUnretained(connection)
      self.reader = reader
      self.holdsLock = holdsLock
    }
  }

  /// The same as ``read(_:)`` for those who read once for each fetch: a closure's result of any type would be passed
  /// through memory. Whoever begins ends.
  package func beginReading() throws -> ReadAccess {
    if readsThroughWriter { return try beginReadingThroughWriter() }
    // A type's own coding may fetch while a row is being read: the lock is this thread's already.
    if isReading, let reader { return ReadAccess(reader.connection) }
    lock.lock()
    isReading = true
    do {
      return ReadAccess(try currentReader().connection, holdsLock: true)
    } catch {
      isReading = false
      lock.unlock()
      throw error
    }
  }

  private func beginReadingThroughWriter() throws -> ReadAccess {
    if let enclosingConnection { return ReadAccess(enclosingConnection) }
    try requireActiveStage()
    let reader = try store.database.checkOut()
    notifyRemoteCommits(store.commitCount.load(ordering: .acquiring))
    return ReadAccess(reader.connection, reader: reader)
  }

  package func endReading(_ reading: ReadAccess) {
    if reading.holdsLock {
      isReading = false
      lock.unlock()
    } else if let reader = reading.reader {
      store.database.checkIn(reader)
    }
  }

  @inline(__always)
  private func currentReader() throws -> ReaderConnection {
    let commits = store.commitCount.load(ordering: .acquiring)
    if let reader, _fastPath(commits == snapshotCommitCount && !isLeaseExpired.load(ordering: .relaxed)) {
      return reader
    }
    return try beginLease(commits)
  }

  @inline(never)
  private func beginLease(_ commits: Int) throws -> ReaderConnection {
    // Until it is there, nothing is known of what the next read sees: to begin it may fail, and may run others' code.
    (snapshotCommitCount, snapshotID) = (-1, 0)
    let reader: ReaderConnection
    if let held = self.reader {
      held.endSnapshot()
      try store.database.checkReading(context: "reading")
      reader = held
    } else {
      reader = try store.database.checkOut()
      self.reader = reader
    }
    snapshotCommitCount = try beginSnapshot(reader, commits)
    notifyRemoteCommits(snapshotCommitCount)
    isLeaseExpired.store(false, ordering: .relaxed)
    leaseCounts.begun += 1
    snapshotID = retainsSnapshot ? leaseCounts.begun : 0
    leaseDeadline = .now() + .milliseconds(StoreSession.leaseMilliseconds)
    if !isTimerScheduled { scheduleLeaseTimer() }
    return reader
  }

  /// How often it is begun anew where others commit just then. The last one is told of from within itself.
  package static let maximumSnapshotAttempts = 8
  /// Called before a snapshot is taken, for tests that commit just then.
  package var willTakeSnapshot: (() -> Void)?

  /// Begins a snapshot that has no commit of another process of which nobody here has been told: what is live must not
  /// show objects of a later commit than the list that they are in.
  ///
  /// - Returns: The commits of this process that are in it. It may have more than that, and is then given up at the next
  ///   read.
  private func beginSnapshot(_ reader: ReaderConnection, _ commits: Int) throws -> Int {
    guard let others = store.externalCommits else {
      if retainsSnapshot { try reader.beginSnapshot() }
      return commits
    }
    if !retainsSnapshot {
      guard others.mayHaveCommits(on: reader.connection) else { return commits }
      try reader.beginSnapshot()
      try store.pollExternalCommits(on: reader.connection)
      reader.endSnapshot()
      return store.commitCount.load(ordering: .acquiring)
    }
    var attempt = 1
    while true {
      let commits = store.commitCount.load(ordering: .acquiring)
      try reader.beginSnapshot()
      let isPending = others.mayHaveCommits(on: reader.connection)
      willTakeSnapshot?()
      // A look takes the snapshot itself, and finds all that other processes have recorded in it.
      let isLast = attempt == StoreSession.maximumSnapshotAttempts
      let isFound = isPending || isLast ? try store.pollExternalCommits(on: reader.connection, always: true) : false
      try reader.takeSnapshot()
      if isLast || !others.hasCommits(on: reader.connection) { return isFound ? commits + 1 : commits }
      reader.endSnapshot()
      attempt += 1
    }
  }

  private func scheduleLeaseTimer() {
    isTimerScheduled = true
    leaseCounts.awaited += 1
    startTimer(at: leaseDeadline)
  }

  private func startTimer(at end: DispatchTime) {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: end) { [weakHandle] in weakHandle.object?.leaseTimerFired()
    }
  }

  /// Tells the context of the commits of other contexts, without a read.
  func checkRemoteCommits() { notifyRemoteCommits(store.commitCount.load(ordering: .acquiring)) }

  /// Tells the context of commits that were not its own.
  private func notifyRemoteCommits(_ commits: Int) {
    guard commits - localCommitCount != remoteCommitCount else { return }
    remoteCommitCount = commits - localCommitCount
    onRemoteCommit()
  }

  private func leaseTimerFired() {
    guard lock.tryLock() else {
      // Nobody may read after this one, and a connection that is not given back is one less for all others.
      isLeaseExpired.store(true, ordering: .relaxed)
      return startTimer(at: .now() + .milliseconds(StoreSession.leaseMilliseconds))
    }
    isTimerScheduled = false
    if reader != nil {
      if DispatchTime.now() < leaseDeadline { scheduleLeaseTimer() } else { checkInReader() }
    }
    lock.unlock()
  }

  /// Lets the snapshot go, or has the next read do so where this one has not ended: the log is to begin anew.
  private func releaseSnapshotIfIdle() {
    guard isLeased.load(ordering: .relaxed) else { return }
    guard lock.tryLock() else { return isLeaseExpired.store(true, ordering: .relaxed) }
    checkInReader()
    lock.unlock()
  }

  private func checkInReader() {
    guard let reader else { return }
    self.reader = nil
    store.database.checkIn(reader)
  }

  /// Looks for what other processes have committed, before the context takes over what others have saved. Costs nothing
  /// while a snapshot is held, which does not see it yet.
  @inline(__always)
  func pollExternalCommits() throws {
    if !isSnapshotCurrent { try pollByReading() }
  }

  /// Whether the next read is of the connection, and of the snapshot if any, that the last one was of.
  @inline(__always)
  private var isSnapshotCurrent: Bool {
    isLeased.load(ordering: .relaxed) && store.commitCount.load(ordering: .acquiring) == snapshotCommitCount
      && !isLeaseExpired.load(ordering: .relaxed)
  }

  /// A read has failed, after which SQLite may have ended the transaction and its snapshot.
  func invalidateSnapshot() { snapshotID = 0 }

  /// Which snapshot the next read sees, if it is the one that the last read saw; 0 if it may be another one. Each has a
  /// number of its own.
  @inline(__always)
  var currentSnapshotID: Int { isSnapshotCurrent ? snapshotID : 0 }

  /// Which state of the data the next read sees, if it is the one that the last read saw; 0 if it may be another one.
  ///
  /// Where reads are of the connection that writes, that is the one after so many commits: the store is this process's alone.
  var currentDataID: Int {
    if readsThroughWriter { return enclosingConnection == nil ? -1 - store.commitCount.load(ordering: .acquiring) : 0 }
    return currentSnapshotID
  }

  @inline(never)
  private func pollByReading() throws {
    if store.externalCommits == nil || isReading || enclosingConnection != nil { return }
    try StoreError.mapErrors(store.errorURL, "reading") { endReading(try beginReading()) }
  }

  /// The same as of this moment, whatever snapshot is held: before a save.
  func pollExternalCommitsNow() throws {
    guard let others = store.externalCommits, !isReading, enclosingConnection == nil else { return }
    lock.lock()
    let isKnown = reader == nil && isUpToDate(with: others)
    do {
      if let reader {
        // Before the log's index is looked at, which may be gone.
        try StoreError.mapErrors(store.errorURL, "saving") { try store.database.checkIndex(context: "writing") }
        if others.hasCommits(on: reader.connection) { checkInReader() }
      }
    } catch {
      lock.unlock()
      throw error
    }
    lock.unlock()
    if !isKnown { try pollExternalCommits() }
  }

  /// Whether no other process has committed anything of which nobody here knows. Where no snapshot is held, none has to be
  /// begun to say so: a save would give it up at once.
  private func isUpToDate(with others: ExternalCommitMonitor) -> Bool {
    let commits = store.commitCount.load(ordering: .acquiring)
    guard let idle = try? store.database.checkOut(checksIndexOnly: true) else { return false }
    defer { store.database.checkIn(idle) }
    guard !others.mayHaveCommits(on: idle.connection) else { return false }
    notifyRemoteCommits(commits)
    return true
  }

  /// Lets the snapshot go, so that a write does not have to keep what it sees.
  package func releaseSnapshot() {
    // Whoever saves while a row is being read, from an observer or a type's own coding, holds the lock already.
    if isReading { return }
    lock.lock()
    checkInReader()
    lock.unlock()
  }

  /// A context of a migration's stage that somebody has kept must not write by the models of that stage.
  private func requireActiveStage() throws {
    guard store.isMigrationStage, store.isStageFinished.load(ordering: .acquiring) else { return }
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
    releaseSnapshot()
    try requireActiveStage()
    #if DEBUG
      // Before the commit: another thread may read the rows as soon as they are committed.
      store.commitThreads.recordCurrentThread()
    #endif
    let result = try store.write(body)
    store.commitCount.add(1, ordering: .releasing)
    localCommitCount += 1
    return result
  }
}
