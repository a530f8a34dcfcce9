import Dispatch
package import LarderSQLite
import LarderSupport
import Synchronization

/// The connection between a context and its store: reads use a leased connection, writes use the store's writer.
///
/// Between fetches the connection and a read transaction stay open, because beginning one costs as much as a look-up
/// does. They are returned at a save, as soon as any context in this process has committed, and after
/// ``leaseMilliseconds``, whether the context is busy or idle: a reader that never ends prevents the reset of the
/// write-ahead log.
// @unchecked: `lock` guards the connection; only the context's own thread uses the rest.
package final class StoreSession: @unchecked Sendable {
  /// The duration of a lease, 50 ms: long enough for thousands of look-ups, short enough for the write-ahead log.
  package static let leaseMilliseconds = 50

  package let store: SQLiteStore
  /// The connection of the save within which this session reads; `nil` if it has connections of its own.
  private let enclosingConnection: Connection?
  /// Whether reads use the writer connection.
  private let readsThroughWriter: Bool
  /// Whether a read transaction stays open between fetches.
  package var retainsSnapshot = true

  /// A closure that is called on the context's thread if another context of this process has committed since the last read.
  package var onRemoteCommit: () -> Void = {}
  /// The number of commits of this session, and of other sessions of the process at the last check.
  private var localCommitCount = 0
  private var remoteCommitCount = 0

  private let lock = SpinLock()
  /// Whether the context's thread is between ``beginReading()`` and ``endReading(_:)``. Only that thread reads this property.
  private var isReading = false
  private var reader: ReaderConnection? { didSet { isLeased.store(reader != nil, ordering: .relaxed) } }
  /// Whether a reader is leased, for code that does not hold the lock.
  private let isLeased = Atomic<Bool>(false)
  /// The store's commit count when the snapshot was taken.
  private var snapshotCommitCount: Int = -1
  /// The identity of the current snapshot; 0 if reads have no lasting one.
  private var snapshotID = 0
  /// Whether the lease was to end while the session was busy; the next read begins a new one, or the timer fires again.
  private let isLeaseExpired = Atomic<Bool>(false)
  /// The end of the lease, guarded by `lock`.
  private var leaseDeadline = DispatchTime(uptimeNanoseconds: 0)
  /// Whether a timer is scheduled, guarded by `lock`. One timer serves all leases that begin before it fires: each timer wakes
  /// a thread, and a context that saves often begins a lease each time.
  private var isTimerScheduled = false
  /// The number of leases, and the number of those for which a timer was scheduled.
  package private(set) var leaseCounts = (begun: 0, awaited: 0)
  /// A weak reference to this session, for the timer.
  private let weakHandle = WeakHandle<StoreSession>()

  /// - Parameter within: The connection of a save in progress, which sees the rows written so far.
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
    // The last reference may be a timer's, on another thread than the reader's. Reference counting orders the two; the lock
    // shows that order to the thread sanitizer as well.
    lock.lock()
    checkInReader()
    lock.unlock()
  }

  /// Runs the body on a connection that sees all earlier commits.
  package func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let reading = try beginReading()
    defer { endReading(reading) }
    return try body(reading.connection)
  }

  /// A connection during a read, and the resources to return afterwards.
  package struct ReadAccess {
    // Not retained: the session or `reader` keeps it until the read ends.
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

  /// Begins a read. Equivalent to ``read(_:)`` without a closure, whose generic result would be passed through memory, for callers
  /// that read once per fetch. The caller must call ``endReading(_:)``.
  package func beginReading() throws -> ReadAccess {
    if readsThroughWriter { return try beginReadingThroughWriter() }
    // A type's own coding may fetch while a row is read: this thread already holds the lock.
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
    // Reset first: beginning a snapshot may fail, and may run other code.
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

  /// The maximum number of attempts, if other processes commit meanwhile. The last attempt polls inside its own
  /// snapshot.
  package static let maximumSnapshotAttempts = 8
  /// A closure that is called before a snapshot is taken, for tests that commit at that moment.
  package var willTakeSnapshot: (() -> Void)?

  /// Begins a snapshot without undelivered commits of other processes: a live result must not show objects of a later commit
  /// than the list that contains them.
  ///
  /// - Returns: The number of this process's commits in the snapshot. It may contain more, and is then released at the next
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
      // A poll takes the snapshot itself, and finds all commits that other processes have recorded in it.
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

  /// Notifies the context of the commits of other contexts, without a read.
  func checkRemoteCommits() { notifyRemoteCommits(store.commitCount.load(ordering: .acquiring)) }

  /// Notifies the context of commits that are not its own.
  private func notifyRemoteCommits(_ commits: Int) {
    guard commits - localCommitCount != remoteCommitCount else { return }
    remoteCommitCount = commits - localCommitCount
    onRemoteCommit()
  }

  private func leaseTimerFired() {
    guard lock.tryLock() else {
      // No read may follow this one, and a connection that is not returned is unavailable to all other contexts.
      isLeaseExpired.store(true, ordering: .relaxed)
      return startTimer(at: .now() + .milliseconds(StoreSession.leaseMilliseconds))
    }
    isTimerScheduled = false
    if reader != nil {
      if DispatchTime.now() < leaseDeadline { scheduleLeaseTimer() } else { checkInReader() }
    }
    lock.unlock()
  }

  /// Releases the snapshot so that the write-ahead log can be reset; during a read, the next read releases it.
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

  /// Polls for commits of other processes, before the context merges. Costs nothing while a snapshot is held, which does not
  /// see them yet.
  @inline(__always)
  func pollExternalCommits() throws {
    if !isSnapshotCurrent { try pollByReading() }
  }

  /// Whether the next read uses the connection, and the snapshot if any, of the last read.
  @inline(__always)
  private var isSnapshotCurrent: Bool {
    isLeased.load(ordering: .relaxed) && store.commitCount.load(ordering: .acquiring) == snapshotCommitCount
      && !isLeaseExpired.load(ordering: .relaxed)
  }

  /// Invalidates the snapshot after a failed read, when SQLite may have ended the transaction.
  func invalidateSnapshot() { snapshotID = 0 }

  /// The identity of the snapshot that the next read sees, if it is the same as for the last read; 0 if it may be another one.
  @inline(__always)
  var currentSnapshotID: Int { isSnapshotCurrent ? snapshotID : 0 }

  /// The identity of the data that the next read sees, if they are the same as for the last read; 0 if they may be others.
  ///
  /// If reads use the writer connection, the commit count identifies the data: only this process uses the store.
  var currentDataID: Int {
    if readsThroughWriter { return enclosingConnection == nil ? -1 - store.commitCount.load(ordering: .acquiring) : 0 }
    return currentSnapshotID
  }

  @inline(never)
  private func pollByReading() throws {
    if store.externalCommits == nil || isReading || enclosingConnection != nil { return }
    try StoreError.mapErrors(store.errorURL, "reading") { endReading(try beginReading()) }
  }

  /// Polls for commits up to this moment, whatever snapshot is held, before a save.
  func pollExternalCommitsNow() throws {
    guard let others = store.externalCommits, !isReading, enclosingConnection == nil else { return }
    lock.lock()
    let isKnown = reader == nil && isUpToDate(with: others)
    do {
      if let reader {
        // Before the log's index is read, which may have been removed.
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

  /// Whether all commits of other processes are delivered. Without a current snapshot, the check begins none: a save would
  /// release it at once.
  private func isUpToDate(with others: ExternalCommitMonitor) -> Bool {
    let commits = store.commitCount.load(ordering: .acquiring)
    guard let idle = try? store.database.checkOut(checksIndexOnly: true) else { return false }
    defer { store.database.checkIn(idle) }
    guard !others.mayHaveCommits(on: idle.connection) else { return false }
    notifyRemoteCommits(commits)
    return true
  }

  /// Releases the snapshot, so that a write need not preserve the pages that it sees.
  package func releaseSnapshot() {
    // A save during a read, by an observer or a type's own coding: this thread holds the lock already.
    if isReading { return }
    lock.lock()
    checkInReader()
    lock.unlock()
  }

  /// Throws if the migration stage of this session has ended: its contexts must not write by the models of that stage.
  private func requireActiveStage() throws {
    guard store.isMigrationStage, store.isStageFinished.load(ordering: .acquiring) else { return }
    throw StoreError(
      .schemaMismatch, store.url,
      "This context is of a stage of a migration that is over. Use it, and its objects, in the stage's own work only.")
  }

  /// Runs the body while no other thread calls the data store behind the rows, if there is one.
  func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
    guard let backend = store.backend else { return try body() }
    return try backend.exclusively(body)
  }

  /// Runs the body in a transaction of the writer, and makes its commit visible to every context.
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
