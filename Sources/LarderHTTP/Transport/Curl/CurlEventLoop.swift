#if os(Linux)
  internal import CCurl
  internal import CLarderHTTP
  internal import Foundation
  internal import Synchronization

  /// The thread that runs a transport's transfers, and the state that only this thread accesses.
  ///
  /// Other threads communicate with it through a mailbox, and wake it only while it sleeps.
  final class CurlEventLoop: @unchecked Sendable {
    // Safe to share: everything outside of the mailbox's and the pool's mutex is accessed by the thread alone, after `run`
    // has begun, and `options` never changes.

    enum Command {
      case add(CurlTransfer)
      case cancel(CurlTransfer)
      case resume(CurlTransfer)
    }

    private struct Mailbox {
      var commands: [Command] = []
      var isAsleep = false
      var isStopping = false
      var isCancellingAll = false
      var hasStarted = false
      var hasFailed = false
    }

    let options: CurlTransport.Options
    private let mailbox = Mutex(Mailbox())
    private let pool = CurlHandlePool()
    // The properties below that each event accesses have no checks for overlapping access: no access lasts while a user's code
    // runs.
    private var poller: OpaquePointer?
    private var multi: OpaqueMulti?
    /// The running transfers; each knows its index.
    @exclusivity(unchecked) private var active: [CurlTransfer] = []
    /// Transfers whose readers are notified at the end of the turn, when more data may have arrived.
    @exclusivity(unchecked) private var transfersToNotify: [CurlTransfer] = []
    @exclusivity(unchecked) private var isTimerSet = false
    @exclusivity(unchecked) private var timerDeadline: Int64 = 0
    /// A lower bound of all transfers' deadlines.
    @exclusivity(unchecked) private var earliestDeadline = Int64.max
    /// The time at which the turn began; a turn is short.
    @exclusivity(unchecked) private(set) var now: Int64 = 0

    typealias OpaqueMulti = UnsafeMutableRawPointer

    init(options: CurlTransport.Options) { self.options = options }

    deinit {
      if let poller { clh_poller_close(poller) }
    }

    // MARK: - Calls from other threads

    func checkOutHandle(_ setting: CurlHandleConfiguration?) throws(HTTPError) -> CurlHandle {
      try pool.checkOut(setting)
    }

    /// Returns a handle that no transfer was started with.
    func checkInHandle(_ handle: CurlHandle) { pool.checkIn(handle) }

    func add(_ transfer: CurlTransfer) throws(HTTPError) {
      let isAccepted = mailbox.withLock { box in
        guard !box.isStopping, !box.hasFailed else { return false }
        if !box.hasStarted {
          box.hasStarted = true
          guard start() else {
            box.hasFailed = true
            return false
          }
        }
        post(.add(transfer), to: &box)
        return true
      }
      if !isAccepted {
        transfer.releaseUnstarted()
        throw HTTPError(.notSent(.shutDown), delivery: .notSent)
      }
    }

    func cancel(_ transfer: CurlTransfer) { mailbox.withLock { post(.cancel(transfer), to: &$0) } }
    func resume(_ transfer: CurlTransfer) { mailbox.withLock { post(.resume(transfer), to: &$0) } }

    func stop(cancellingTransfers abandoning: Bool) {
      mailbox.withLock { box in
        box.isStopping = true
        if abandoning { box.isCancellingAll = true }
        wake(&box)
      }
    }

    /// Makes a handle report its new connections, and their closing. The loop is unretained, since all connections end with its
    /// multi handle.
    func observeConnections(of handle: UnsafeMutableRawPointer) -> CURLcode {
      clh_set_socket_functions(
        handle,
        { context, socket, _ in
          guard let context, let poller = Unmanaged<CurlEventLoop>.fromOpaque(context).takeUnretainedValue().poller
          else {
            return Int32(CURL_SOCKOPT_ERROR)
          }
          return Int32(clh_poller_know(poller, socket) == 0 ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR)
        },
        { context, socket in
          if let context, let poller = Unmanaged<CurlEventLoop>.fromOpaque(context).takeUnretainedValue().poller {
            clh_poller_forget(poller, socket)
          }
          return close(socket)
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func post(_ command: Command, to box: inout Mailbox) {
      box.commands.append(command)
      wake(&box)
    }

    private func wake(_ box: inout Mailbox) {
      guard box.isAsleep, let poller else { return }
      box.isAsleep = false
      clh_poller_wake(poller)
    }

    /// Starts the thread. Called under the mailbox's lock.
    private func start() -> Bool {
      guard clh_global_init() == 0, let poller = clh_poller_open() else { return false }
      self.poller = poller
      guard let multi = curl_multi_init() else { return false }
      self.multi = multi
      let context = Unmanaged.passUnretained(self).toOpaque()
      // Unretained: the thread retains the loop while it runs, and frees the multi handle before it ends.
      clh_multi_set_socket_function(
        multi,
        { handle, socket, what, context, _ in
          guard let context else { return 0 }
          let loop = Unmanaged<CurlEventLoop>.fromOpaque(context).takeUnretainedValue()
          guard let poller = loop.poller else { return -1 }
          if what == CURL_POLL_REMOVE { loop.recordIdleConnection(socket, after: handle) }
          return clh_poller_watch(poller, socket, what) == 0 ? 0 : -1
        }, context)
      clh_multi_set_timer_function(
        multi,
        { _, milliseconds, context in
          guard let context else { return 0 }
          let loop = Unmanaged<CurlEventLoop>.fromOpaque(context).takeUnretainedValue()
          loop.isTimerSet = milliseconds >= 0
          loop.timerDeadline = clh_now() + Int64(milliseconds) * 1_000_000
          return 0
        }, context)
      clh_multi_set_long(multi, CURLMOPT_MAXCONNECTS, options.maximumIdleConnections)
      clh_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, options.maximumConnectionsPerHost)
      let thread = Thread { [self] in
        // Not by Foundation, which loses the name if this thread runs before the starting thread continues. Debuggers and `top`
        // show the name.
        clh_begin_thread("larder-http")
        run()
      }
      thread.start()
      return true
    }

    /// Records an idle connection, unless its transfer is only paused. The version of its last response shows whether the server
    /// may send data unasked.
    private func recordIdleConnection(_ socket: curl_socket_t, after handle: UnsafeMutableRawPointer?) {
      guard let poller, let handle, active.first(where: { $0.handle == handle })?.isPaused != true else { return }
      var version = 0
      clh_get_long(handle, CURLINFO_HTTP_VERSION, &version)
      // Without a response, only a connection of HTTP/2 is kept.
      let isSilent = version == Int(CURL_HTTP_VERSION_1_1) || version == Int(CURL_HTTP_VERSION_1_0)
      clh_poller_keep(poller, socket, isSilent)
    }

    /// Marks the transfers whose streams the server has not processed, on this thread.
    private func observeStreams() {
      clh_watch_streams(
        { context, handle in
          guard let context else { return }
          let loop = Unmanaged<CurlEventLoop>.fromOpaque(context).takeUnretainedValue()
          loop.active.first { $0.handle == handle }?.wasNotProcessed = true
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    // MARK: - The thread

    private func run() {
      guard let multi, let poller else { return }
      observeStreams()
      var ready = [clh_ready](repeating: clh_ready(), count: 64)
      while processCommands() {
        now = clh_now()
        let count = clh_poller_wait(poller, pollTimeout(), &ready, Int32(ready.count))
        mailbox.withLock { $0.isAsleep = false }
        now = clh_now()
        var running: Int32 = 0
        for index in 0..<Int(max(0, count)) {
          curl_multi_socket_action(multi, ready[index].descriptor, ready[index].events, &running)
        }
        if isTimerSet, timerDeadline <= now {
          isTimerSet = false
          curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
        }
        finishCompletedTransfers()
        enforceDeadlines()
        notifyReaders()
      }
      for transfer in active { finish(transfer, with: transfer.shutdownResult()) }
      notifyReaders()
      pool.close()
      curl_multi_cleanup(multi)
      clh_watch_streams(nil, nil)
    }

    /// Performs the posted commands; false when the thread must end.
    private func processCommands() -> Bool {
      while true {
        let (commands, isEnding) = mailbox.withLock { box in
          let commands = box.commands
          box.commands.removeAll(keepingCapacity: true)
          let isEnding = box.isStopping && commands.isEmpty && (box.isCancellingAll || active.isEmpty)
          // A command posted from now on wakes the poller.
          if commands.isEmpty, !isEnding { box.isAsleep = true }
          return (commands, isEnding)
        }
        if isEnding { return false }
        if commands.isEmpty { return true }
        now = clh_now()
        for command in commands { perform(command) }
        notifyReaders()
      }
    }

    private func perform(_ command: Command) {
      switch command {
      case .add(let transfer):
        guard let multi, let handle = transfer.start(at: now) else { return transfer.releaseUnstarted() }
        transfer.activeIndex = active.count
        active.append(transfer)
        let code = curl_multi_add_handle(multi, handle)
        if code != CURLM_OK {
          finish(transfer, with: .failure(HTTPError(.notSent(.other(code: Int(code.rawValue))), delivery: .notSent)))
        } else {
          scheduleDeadline(of: transfer)
        }
      case .cancel(let transfer):
        // Its readers have been notified already.
        guard transfer.activeIndex != nil else { return }
        finish(transfer, with: transfer.cancellationResult())
      case .resume(let transfer):
        guard transfer.activeIndex != nil, let handle = transfer.handle else { return }
        // libcurl delivers its kept data within this call. A failure of the call is reported nowhere else.
        let code = curl_easy_pause(handle, transfer.updatePauseFlags(at: now))
        if code != CURLE_OK { finish(transfer, with: transfer.result(of: code)) }
      }
    }

    /// Returns the time without scheduled work, in nanoseconds; negative for no limit.
    private func pollTimeout() -> Int64 {
      var until = earliestDeadline
      if isTimerSet { until = min(until, timerDeadline) }
      return until == .max ? -1 : max(0, until - now)
    }

    private func finishCompletedTransfers() {
      guard let multi else { return }
      var result = CURLE_OK
      while let handle = clh_next_finished(multi, &result) {
        guard let transfer = CurlTransfer.transfer(of: handle) else { continue }
        finish(transfer, with: transfer.result(of: result))
      }
    }

    private func finish(_ transfer: CurlTransfer, with result: Result<HTTPMetrics, HTTPError>) {
      guard let multi, let handle = transfer.reusableHandle(after: result), let place = transfer.activeIndex else {
        return
      }
      transfer.activeIndex = nil
      let last = active.removeLast()
      if last !== transfer {
        active[place] = last
        last.activeIndex = place
      }
      curl_multi_remove_handle(multi, handle.pointer)
      transfer.finish(result)
      pool.checkIn(handle)
      scheduleNotification(of: transfer)
    }

    /// Updates the earliest deadline for a transfer's new one.
    func scheduleDeadline(of transfer: CurlTransfer) {
      earliestDeadline = min(earliestDeadline, transfer.nextDeadline().time)
    }

    private func enforceDeadlines() {
      guard earliestDeadline <= now else { return }
      earliestDeadline = .max
      for transfer in active {
        let deadline = transfer.nextDeadline()
        if deadline.time <= now {
          finish(transfer, with: transfer.deadlineResult(deadline.phase))
        } else {
          earliestDeadline = min(earliestDeadline, deadline.time)
        }
      }
    }

    func scheduleNotification(of transfer: CurlTransfer) {
      guard !transfer.isNotificationScheduled else { return }
      transfer.isNotificationScheduled = true
      transfersToNotify.append(transfer)
    }

    private func notifyReaders() {
      for transfer in transfersToNotify {
        transfer.isNotificationScheduled = false
        transfer.notifyReader()
      }
      transfersToNotify.removeAll(keepingCapacity: true)
    }
  }
#endif
