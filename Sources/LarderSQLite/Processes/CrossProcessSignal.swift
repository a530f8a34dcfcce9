internal import CLarderSQLite
internal import Dispatch
import LarderSupport
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The channel between processes that have a database open: they notify each other of commits, and queue for writing.
///
/// It is an empty file next to the database, `store.db-signal`. The first process that listens creates it, and so does
/// a process that finds another one writing; otherwise the file does not exist. A notification is a write to the file,
/// and happens only if another process listens. A listener holds a lock on one byte of the file, which ends with its
/// process, however that ends. A lock on another byte marks the process whose turn it is to wait for the write lock.
///
/// Neither the integrity of the database nor the visibility of commits depends on it: a listener also polls, since a
/// process can be killed between its commit and its notification.
// @unchecked: all mutable state is behind the lock.
public final class CrossProcessSignal: @unchecked Sendable {
  /// The suffix of the file's name.
  public static let suffix = "-signal"

  private let path: String
  private let database: String
  private let queue = DispatchQueue(label: "larder.meeting", qos: .utility)

  private struct State {
    var descriptor: Int32?
    /// The time of the latest check whether the file exists.
    var lastFileCheck: Int64 = 0
    var listener: Listener?
    /// The time until which this process does not wait for turns, because a process was stopped during its turn.
    var turnsDisabledUntil: Int64 = 0
  }

  private struct Listener {
    let handler: @Sendable () -> Void
    let timer: any DispatchSourceTimer
    /// The source of file events; `nil` if the system reports none, so that only the timer polls.
    var fileEvents: (any DispatchSourceRead)?
  }

  private let state = Locked(State())
  private let sentSignals = Atomic<Int>(0)
  private let handlerCalls = Atomic<Int>(0)

  init(database: String) {
    self.database = database
    path = database + CrossProcessSignal.suffix
  }

  deinit { close() }

  /// The number of notifications that this process has sent.
  package var sentSignalCount: Int { sentSignals.load(ordering: .relaxed) }
  /// The number of calls of the listener's handler.
  package var handlerCallCount: Int { handlerCalls.load(ordering: .relaxed) }

  // MARK: Notifying

  /// Notifies the listeners in other processes of a commit.
  public func signalCommit() {
    state.withLock { state in
      guard let descriptor = descriptor(&state, creates: false), larder_meeting_is_heard(descriptor) == 1 else {
        return
      }
      larder_meeting_tell(descriptor)
      sentSignals.add(1, ordering: .relaxed)
    }
  }

  /// Returns the file's descriptor, or `nil` if there is no file. Whether the file exists and is still the same is
  /// checked from time to time.
  private func descriptor(_ state: inout State, creates: Bool) -> Int32? {
    let now = larder_monotonic_nanoseconds()
    if !creates, now - state.lastFileCheck < CrossProcessSignal.fileCheckInterval { return state.descriptor }
    state.lastFileCheck = now
    if let descriptor = state.descriptor {
      if larder_meeting_is_linked(descriptor) == 1 { return descriptor }
      _ = sysClose(descriptor)
      state.descriptor = nil
    }
    let opened = larder_meeting_open(path, database, creates ? 1 : 0)
    if opened >= 0 { state.descriptor = opened }
    return state.descriptor
  }

  /// 10 ms: a process that writes continuously notices a waiting process soon enough, and pays for the check once in a
  /// hundred commits.
  private static let fileCheckInterval: Int64 = 10_000_000

  // MARK: Listening

  /// 2 s: the longest delay until a commit is noticed whose process was killed before its notification, or sends none.
  static let pollInterval = DispatchTimeInterval.seconds(2)
  /// 250 ms, if the system reports no file events.
  static let pollIntervalWithoutEvents = DispatchTimeInterval.milliseconds(250)

  /// Registers a closure that is called on a private queue when other processes may have committed, and once soon after
  /// this call. It replaces the previous closure.
  public func listen(_ told: @escaping @Sendable () -> Void) {
    state.withLock { state in
      endListening(&state)
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.setEventHandler { [weak self] in self?.callHandler() }
      state.listener = Listener(handler: told, timer: timer)
      registerListener(&state, isFirst: true)
      timer.activate()
    }
  }

  /// Unregisters the listener's closure.
  public func endListening() { state.withLock { endListening(&$0) } }

  private func endListening(_ state: inout State) {
    guard let listener = state.listener else { return }
    state.listener = nil
    listener.timer.cancel()
    listener.fileEvents?.cancel()
    if let descriptor = state.descriptor { _ = larder_meeting_listen(descriptor, 0) }
  }

  /// Marks this process as a listener, and subscribes to file events.
  private func registerListener(_ state: inout State, isFirst: Bool) {
    let wasTold = state.listener?.fileEvents != nil
    state.listener?.fileEvents?.cancel()
    state.listener?.fileEvents = nil
    if let descriptor = descriptor(&state, creates: true), larder_meeting_listen(descriptor, 1) == 1 {
      state.listener?.fileEvents = makeFileEventSource()
    }
    let isTold = state.listener?.fileEvents != nil
    if isTold == wasTold, !isFirst { return }
    let interval = isTold ? CrossProcessSignal.pollInterval : CrossProcessSignal.pollIntervalWithoutEvents
    // The first poll happens after other processes can see that this one listens.
    state.listener?.timer.schedule(
      deadline: .now() + (isFirst ? .milliseconds(20) : interval), repeating: interval, leeway: .milliseconds(100))
  }

  private func makeFileEventSource() -> (any DispatchSourceRead)? {
    let notices = larder_notice_open(path)
    if notices < 0 { return nil }
    let source = DispatchSource.makeReadSource(fileDescriptor: notices, queue: queue)
    source.setEventHandler { [weak self] in
      larder_notice_drain(notices)
      self?.callHandler()
    }
    source.setCancelHandler { _ = sysClose(notices) }
    source.activate()
    return source
  }

  private func callHandler() {
    let told = state.withLock { state -> (@Sendable () -> Void)? in
      guard let listener = state.listener else { return nil }
      // Another program may have removed the file, or the file could not be created before.
      if state.descriptor.map({ larder_meeting_is_linked($0) == 0 }) ?? true {
        registerListener(&state, isFirst: false)
      }
      return listener.handler
    }
    guard let told else { return }
    handlerCalls.add(1, ordering: .relaxed)
    told()
  }

  // MARK: Turns

  /// Waits for the turn to wait for the write lock, in short pauses of random length. The pauses become shorter: a
  /// process that has waited longer asks more often than one that has just written.
  ///
  /// The process that has the turn writes next, once the current writer is done; so a process that writes continuously
  /// does not block others. Without a turn, after the limit or without a file, a process writes all the same.
  ///
  /// A turn that is acquired must be ended by ``endTurn()``.
  package func awaitTurn(timeout limit: Duration) -> Turn {
    var started: Int64?
    var pause = CrossProcessSignal.maximumTurnPause
    while true {
      let taken = state.withLock { state -> Int32 in
        if started == nil, state.turnsDisabledUntil > 0, larder_monotonic_nanoseconds() < state.turnsDisabledUntil {
          return -1
        }
        return descriptor(&state, creates: false).map { larder_meeting_take_turn($0) } ?? -1
      }
      if taken == 1, started == nil { return .acquired(waited: .zero) }
      if taken < 0 { return .none }
      let now = larder_monotonic_nanoseconds()
      let waited = Duration.nanoseconds(now - (started ?? now))
      if taken == 1 { return .acquired(waited: waited) }
      if waited >= limit {
        state.withLock { $0.turnsDisabledUntil = now + CrossProcessSignal.turnSuspension }
        return .timedOut(waited: waited)
      }
      started = started ?? now
      usleep(UInt32(pause / 2 + Int64.random(in: 0...pause / 2)))
      pause = max(pause / 2, CrossProcessSignal.minimumTurnPause)
    }
  }

  package enum Turn: Equatable {
    /// Turns are not in use.
    case none
    case acquired(waited: Duration)
    /// The limit passed first.
    case timedOut(waited: Duration)
  }

  /// 10 s: the time without turns after a turn that did not end.
  private static let turnSuspension: Int64 = 10_000_000_000
  /// 4 ms, in microseconds.
  private static let maximumTurnPause: Int64 = 4_000
  /// 250 µs, in microseconds.
  private static let minimumTurnPause: Int64 = 250

  package func endTurn() {
    state.withLock { if let descriptor = $0.descriptor { larder_meeting_end_turn(descriptor) } }
  }

  /// Whether another process waits for the write lock. This process notices it up to 10 ms late.
  var hasWaitingWriter: Bool {
    state.withLock { state in descriptor(&state, creates: false).map { larder_meeting_is_turn_taken($0) == 1 } ?? false
    }
  }

  /// Creates the file, so that writers queue from now on: another process writes, too.
  package func enableTurns() { state.withLock { _ = descriptor(&$0, creates: true) } }

  // MARK: Closing

  /// Stops listening, and removes the file unless another process uses it.
  func close() {
    state.withLock { state in
      endListening(&state)
      guard let descriptor = state.descriptor else { return }
      state.descriptor = nil
      if larder_meeting_is_linked(descriptor) == 1, larder_meeting_is_heard(descriptor) == 0,
        larder_meeting_take_turn(descriptor) == 1
      {
        unlink(path)
      }
      _ = sysClose(descriptor)
    }
  }
}

private func sysClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
