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

/// Where the processes that have a database open meet: they tell each other of commits, and queue for writing.
///
/// It is an empty file beside the database, `store.db-signal`, made by the first who listens, or who finds another process
/// writing; where neither happens there is none. Telling is a write to it, and nobody is told who does not listen: that
/// is a lock on one of its bytes, which ends with its process, however that ends. Whose turn it is to wait for the write
/// lock says a lock on another byte.
///
/// None of it is needed for the database to stay sound, nor for a commit to be seen: whoever listens looks from time to
/// time, too, since a process can be killed between its commit and telling of it.
// @unchecked: everything that changes is behind the lock.
public final class CrossProcessSignal: @unchecked Sendable {
  /// The end of the file's name.
  public static let suffix = "-signal"

  private let path: String
  private let database: String
  private let queue = DispatchQueue(label: "larder.meeting", qos: .utility)

  private struct State {
    var descriptor: Int32?
    /// When it was last looked whether the file is there.
    var lastFileCheck: Int64 = 0
    var listener: Listener?
    /// Until when nobody here waits for a turn: somebody was stopped while he had it.
    var turnsDisabledUntil: Int64 = 0
  }

  private struct Listener {
    let handler: @Sendable () -> Void
    let timer: any DispatchSourceTimer
    /// nil where nothing tells: the timer is all there is.
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

  /// How often others were told.
  package var sentSignalCount: Int { sentSignals.load(ordering: .relaxed) }
  /// How often whoever listens was woken.
  package var handlerCallCount: Int { handlerCalls.load(ordering: .relaxed) }

  // MARK: Telling

  /// Tells those who listen that something was committed.
  public func signalCommit() {
    state.withLock { state in
      guard let descriptor = descriptor(&state, creates: false), larder_meeting_is_heard(descriptor) == 1 else {
        return
      }
      larder_meeting_tell(descriptor)
      sentSignals.add(1, ordering: .relaxed)
    }
  }

  /// The file; nil where there is none. Whether there is one by now, and the same one, is looked at from time to time.
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

  /// 10 ms: a process that writes all the time finds soon enough that another waits, and pays for it once in a hundred
  /// commits.
  private static let fileCheckInterval: Int64 = 10_000_000

  // MARK: Listening

  /// 2 s: the longest that a commit goes unnoticed whose process was killed before it told, or does not tell.
  static let pollInterval = DispatchTimeInterval.seconds(2)
  /// 250 ms, where nothing tells.
  static let pollIntervalWithoutEvents = DispatchTimeInterval.milliseconds(250)

  /// Has a closure called, on a queue of its own, when others may have committed something, and soon after the call.
  /// Replaces the one before.
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

  public func endListening() { state.withLock { endListening(&$0) } }

  private func endListening(_ state: inout State) {
    guard let listener = state.listener else { return }
    state.listener = nil
    listener.timer.cancel()
    listener.fileEvents?.cancel()
    if let descriptor = state.descriptor { _ = larder_meeting_listen(descriptor, 0) }
  }

  /// Says that somebody listens, and has the system tell.
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
    // The first look comes when everybody knows that there is somebody to be told.
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
      // Somebody may have cleaned up, or there was no file to be had.
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

  /// Waits for the turn to wait for the write lock, in short pauses of random length. Pauses become shorter: who has waited
  /// longer asks more often than who has just written.
  ///
  /// Who has it is the next to write, once the one who writes is done; so nobody who writes again and again keeps others
  /// from it. Without a turn, after the limit or where there is no meeting, one writes all the same.
  ///
  /// A turn that is taken must be ended by ``endTurn()``.
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
    /// There are no turns.
    case none
    case acquired(waited: Duration)
    /// The limit passed first.
    case timedOut(waited: Duration)
  }

  /// 10 s: so long one writes without turns after one that did not end.
  private static let turnSuspension: Int64 = 10_000_000_000
  /// 4 ms, in microseconds.
  private static let maximumTurnPause: Int64 = 4_000
  /// 250 µs, in microseconds.
  private static let minimumTurnPause: Int64 = 250

  package func endTurn() {
    state.withLock { if let descriptor = $0.descriptor { larder_meeting_end_turn(descriptor) } }
  }

  /// Whether another process waits for the write lock; what this one finds out some 10 ms late.
  var hasWaitingWriter: Bool {
    state.withLock { state in descriptor(&state, creates: false).map { larder_meeting_is_turn_taken($0) == 1 } ?? false
    }
  }

  /// Somebody else writes: from now on there is a queue.
  package func enableTurns() { state.withLock { _ = descriptor(&$0, creates: true) } }

  // MARK: The end

  /// Ends listening, and takes the file away unless somebody else is there.
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
