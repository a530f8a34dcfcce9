#if os(Linux)
  internal import CCurl
  internal import CLarderHTTP
  internal import Foundation
  internal import Synchronization

  /// The thread on which a transport's transfers run, and what it alone touches.
  ///
  /// Others speak to it through a mailbox, and wake it only where it sleeps.
  final class CurlLoop: @unchecked Sendable {
    // Safe to share: what is not behind the mailbox's or the pool's mutex is touched by the thread alone, after `run`
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
      var isAbandoning = false
      var hasBegun = false
      var hasFailed = false
    }

    let options: CurlTransport.Options
    private let mailbox = Mutex(Mailbox())
    private let pool = CurlHandlePool()
    // Of the following, what is touched for each event is not checked for overlapping access: no access lasts while
    // something of a user's runs.
    private var poller: OpaquePointer?
    private var multi: OpaqueMulti?
    /// Each knows its place.
    @exclusivity(unchecked) private var active: [CurlTransfer] = []
    /// Transfers whose readers are to be told at the end of the turn, when more may be there.
    @exclusivity(unchecked) private var changed: [CurlTransfer] = []
    @exclusivity(unchecked) private var isTimerSet = false
    @exclusivity(unchecked) private var timer: Int64 = 0
    /// No deadline of a transfer comes before this.
    @exclusivity(unchecked) private var earliestDeadline = Int64.max
    /// The time at which the turn began: what a turn takes is short.
    @exclusivity(unchecked) private(set) var now: Int64 = 0

    typealias OpaqueMulti = UnsafeMutableRawPointer

    init(options: CurlTransport.Options) { self.options = options }

    deinit {
      if let poller { clh_poller_close(poller) }
    }

    // MARK: - From other threads

    func handle(_ setting: CurlSetting?) throws(HTTPError) -> CurlHandle { try pool.take(setting) }

    /// For a handle that no transfer was begun with.
    func giveBack(_ handle: CurlHandle) { pool.put(handle) }

    func add(_ transfer: CurlTransfer) throws(HTTPError) {
      let isAccepted = mailbox.withLock { box in
        guard !box.isStopping, !box.hasFailed else { return false }
        if !box.hasBegun {
          box.hasBegun = true
          guard begin() else {
            box.hasFailed = true
            return false
          }
        }
        post(.add(transfer), to: &box)
        return true
      }
      if !isAccepted {
        transfer.neverBegan()
        throw HTTPError(.notSent(.shutDown), delivery: .notSent)
      }
    }

    func cancel(_ transfer: CurlTransfer) { mailbox.withLock { post(.cancel(transfer), to: &$0) } }
    func resume(_ transfer: CurlTransfer) { mailbox.withLock { post(.resume(transfer), to: &$0) } }

    func stop(abandoning: Bool) {
      mailbox.withLock { box in
        box.isStopping = true
        if abandoning { box.isAbandoning = true }
        wake(&box)
      }
    }

    /// Has a transfer tell of the connections that are made for it, and of their ends. Unretained: all of them end with the
    /// set.
    func watchConnections(of handle: UnsafeMutableRawPointer) -> CURLcode {
      clh_set_socket_functions(
        handle,
        { context, socket, _ in
          guard let context, let poller = Unmanaged<CurlLoop>.fromOpaque(context).takeUnretainedValue().poller else {
            return Int32(CURL_SOCKOPT_ERROR)
          }
          return Int32(clh_poller_know(poller, socket) == 0 ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR)
        },
        { context, socket in
          if let context, let poller = Unmanaged<CurlLoop>.fromOpaque(context).takeUnretainedValue().poller {
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

    /// Under the mailbox's lock, before the thread is there.
    private func begin() -> Bool {
      guard clh_global_init() == 0, let poller = clh_poller_open() else { return false }
      self.poller = poller
      guard let multi = curl_multi_init() else { return false }
      self.multi = multi
      let context = Unmanaged.passUnretained(self).toOpaque()
      // Unretained: the thread holds the loop for as long as it runs, and frees the set before it ends.
      clh_multi_set_socket_function(
        multi,
        { handle, socket, what, context, _ in
          guard let context else { return 0 }
          let loop = Unmanaged<CurlLoop>.fromOpaque(context).takeUnretainedValue()
          guard let poller = loop.poller else { return -1 }
          if what == CURL_POLL_REMOVE { loop.keep(socket, after: handle) }
          return clh_poller_watch(poller, socket, what) == 0 ? 0 : -1
        }, context)
      clh_multi_set_timer_function(
        multi,
        { _, milliseconds, context in
          guard let context else { return 0 }
          let loop = Unmanaged<CurlLoop>.fromOpaque(context).takeUnretainedValue()
          loop.isTimerSet = milliseconds >= 0
          loop.timer = clh_now() + Int64(milliseconds) * 1_000_000
          return 0
        }, context)
      clh_multi_set_long(multi, CURLMOPT_MAXCONNECTS, options.idleConnections)
      clh_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, options.connectionsPerHost)
      let thread = Thread { [self] in
        // Not by Foundation, which forgets it where this thread runs before the one that started it goes on. Debuggers and
        // `top` show it.
        clh_begin_thread("larder-http")
        run()
      }
      thread.start()
      return true
    }

    /// A connection is kept, where its transfer is not paused. What its last answer came by says whether its server speaks
    /// unasked.
    private func keep(_ socket: curl_socket_t, after handle: UnsafeMutableRawPointer?) {
      guard let poller, let handle, active.first(where: { $0.handle == handle })?.isPaused != true else { return }
      var version = 0
      clh_get_long(handle, CURLINFO_HTTP_VERSION, &version)
      // Where no answer came, it is kept by HTTP/2 alone.
      let isSilent = version == Int(CURL_HTTP_VERSION_1_1) || version == Int(CURL_HTTP_VERSION_1_0)
      clh_poller_keep(poller, socket, isSilent)
    }

    /// Has the transfers know which of their streams were not handled, on this thread.
    private func watchStreams() {
      clh_watch_streams(
        { context, handle in
          guard let context else { return }
          let loop = Unmanaged<CurlLoop>.fromOpaque(context).takeUnretainedValue()
          loop.active.first { $0.handle == handle }?.wasNotHandled = true
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    // MARK: - The thread

    private func run() {
      guard let multi, let poller else { return }
      watchStreams()
      var ready = [clh_ready](repeating: clh_ready(), count: 64)
      while takeCommands() {
        now = clh_now()
        let count = clh_poller_wait(poller, sleepingTime(), &ready, Int32(ready.count))
        mailbox.withLock { $0.isAsleep = false }
        now = clh_now()
        var running: Int32 = 0
        for index in 0..<Int(max(0, count)) {
          curl_multi_socket_action(multi, ready[index].descriptor, ready[index].events, &running)
        }
        if isTimerSet, timer <= now {
          isTimerSet = false
          curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
        }
        collectFinished()
        keepDeadlines()
        tellReaders()
      }
      for transfer in active { end(transfer, with: transfer.abandoned()) }
      tellReaders()
      pool.close()
      curl_multi_cleanup(multi)
      clh_watch_streams(nil, nil)
    }

    /// False when the thread is to end.
    private func takeCommands() -> Bool {
      while true {
        let (commands, isEnding) = mailbox.withLock { box in
          let commands = box.commands
          box.commands.removeAll(keepingCapacity: true)
          let isEnding = box.isStopping && commands.isEmpty && (box.isAbandoning || active.isEmpty)
          // Whoever posts from now on wakes the poller.
          if commands.isEmpty, !isEnding { box.isAsleep = true }
          return (commands, isEnding)
        }
        if isEnding { return false }
        if commands.isEmpty { return true }
        now = clh_now()
        for command in commands { follow(command) }
        tellReaders()
      }
    }

    private func follow(_ command: Command) {
      switch command {
      case .add(let transfer):
        guard let multi, let handle = transfer.begin(at: now) else { return transfer.neverBegan() }
        transfer.place = active.count
        active.append(transfer)
        let code = curl_multi_add_handle(multi, handle)
        if code != CURLM_OK {
          end(transfer, with: .failure(HTTPError(.notSent(.other(code: Int(code.rawValue))), delivery: .notSent)))
        } else {
          watch(transfer)
        }
      case .cancel(let transfer):
        // Its readers know already.
        guard transfer.place != nil else { return }
        end(transfer, with: transfer.cancelled())
      case .resume(let transfer):
        guard transfer.place != nil, let handle = transfer.handle else { return }
        // What libcurl had kept is handed over here. Where that is refused, nothing else tells of it.
        let code = curl_easy_pause(handle, transfer.pauses(at: now))
        if code != CURLE_OK { end(transfer, with: transfer.result(of: code)) }
      }
    }

    /// How long nothing is to be done, in nanoseconds; negative for ever.
    private func sleepingTime() -> Int64 {
      var until = earliestDeadline
      if isTimerSet { until = min(until, timer) }
      return until == .max ? -1 : max(0, until - now)
    }

    private func collectFinished() {
      guard let multi else { return }
      var result = CURLE_OK
      while let handle = clh_next_finished(multi, &result) {
        guard let transfer = CurlTransfer.of(handle) else { continue }
        end(transfer, with: transfer.result(of: result))
      }
    }

    private func end(_ transfer: CurlTransfer, with result: Result<HTTPMetrics, HTTPError>) {
      guard let multi, let handle = transfer.handle(after: result), let place = transfer.place else { return }
      transfer.place = nil
      let last = active.removeLast()
      if last !== transfer {
        active[place] = last
        last.place = place
      }
      curl_multi_remove_handle(multi, handle.pointer)
      transfer.finish(result)
      pool.put(handle)
      tellLater(transfer)
    }

    /// A transfer has another deadline than before.
    func watch(_ transfer: CurlTransfer) {
      earliestDeadline = min(earliestDeadline, transfer.nextDeadline().time)
    }

    private func keepDeadlines() {
      guard earliestDeadline <= now else { return }
      earliestDeadline = .max
      for transfer in active {
        let deadline = transfer.nextDeadline()
        if deadline.time <= now {
          end(transfer, with: transfer.missed(deadline.phase))
        } else {
          earliestDeadline = min(earliestDeadline, deadline.time)
        }
      }
    }

    func tellLater(_ transfer: CurlTransfer) {
      guard !transfer.isToBeTold else { return }
      transfer.isToBeTold = true
      changed.append(transfer)
    }

    private func tellReaders() {
      for transfer in changed {
        transfer.isToBeTold = false
        transfer.tellReader()
      }
      changed.removeAll(keepingCapacity: true)
    }
  }
#endif
