#if os(Linux)
  import CLarderSecrets
  import Dispatch
  import Synchronization

  /// A call of libsecret, which a time-out or the cancellation of its task can end early.
  ///
  /// `@unchecked Sendable`, since any thread may cancel a GCancellable, and it lives as long as this object.
  final class ServiceCall<R: Sendable>: @unchecked Sendable {
    typealias Work = @Sendable (UnsafeMutableRawPointer?, UnsafeMutablePointer<cls_failure>) -> (cls_outcome, R)
    typealias Outcome = Result<R, SecretError>

    private struct State {
      var endReason: SecretError?
      /// The work and its waiting caller; `nil` before the call is enqueued, and from its start on.
      var pendingWork: (work: Work, continuation: CheckedContinuation<Outcome, Never>)?
    }

    private let cancellable = cls_cancellable_make()
    private let state = Mutex(State())

    deinit { cls_cancellable_free(cancellable) }

    /// Cancels the call, whether it is running or still waiting.
    func cancel(because error: SecretError) {
      let (waiting, reason) = state.withLock { state in
        if state.endReason == nil { state.endReason = error }
        defer { state.pendingWork = nil }
        return (state.pendingWork, state.endReason ?? error)
      }
      cls_cancellable_cancel(cancellable)
      waiting?.continuation.resume(returning: .failure(reason))
    }

    /// Runs the work on the queue, and returns its outcome. The time-out includes the wait in the queue.
    func run(on queue: BlockingQueue, timeout: Duration, _ work: @escaping Work) async -> Outcome {
      let timer = DispatchWorkItem { [weak self] in self?.cancel(because: .timedOut) }
      DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + timeout.inSeconds, execute: timer)
      defer { timer.cancel() }
      return await withCheckedContinuation { continuation in
        let ended = state.withLock { state in
          if state.endReason == nil { state.pendingWork = (work, continuation) }
          return state.endReason
        }
        if let ended { return continuation.resume(returning: .failure(ended)) }
        // The closure does not capture the work, nor its secret, so that the queue keeps neither after the call has ended.
        queue.enqueue { [self] in performWork() }
      }
    }

    /// Performs the work, on a thread that may block.
    private func performWork() {
      let waiting = state.withLock { state in
        defer { state.pendingWork = nil }
        return state.pendingWork
      }
      guard let (work, continuation) = waiting else { return }
      var failure = cls_failure()
      let (outcome, result) = work(cancellable, &failure)
      continuation.resume(returning: makeOutcome(outcome, result, failure))
    }

    private func makeOutcome(_ outcome: cls_outcome, _ result: R, _ failure: cls_failure) -> Outcome {
      switch outcome {
      case CLS_DONE: .success(result)
      case CLS_NO_LIBRARY: .failure(.unavailable(.library))
      case CLS_NO_BUS: .failure(.unavailable(.bus))
      case CLS_NO_SERVICE: .failure(.unavailable(.service))
      case CLS_NO_KEYRING: .failure(.unavailable(.keyring))
      case CLS_LOCKED: .failure(.locked)
      case CLS_DISMISSED: .failure(.userDeclined)
      case CLS_CANCELLED: .failure(state.withLock { $0.endReason } ?? .timedOut)
      default: .failure(.service(domain: Self.text(failure.domain), code: Int(failure.code)))
      }
    }

    /// Returns the characters of a C array, up to its zero.
    private static func text<Characters>(_ characters: Characters) -> String {
      withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
  }

  extension Duration {
    fileprivate var inSeconds: Double {
      Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
  }
#endif
