#if os(Linux)
  import CLarderSecrets
  import Dispatch
  import Synchronization

  /// A call of libsecret, and what ends it before its time: the clock, or a task that is cancelled.
  ///
  /// `@unchecked Sendable`, since GCancellable may be cancelled by any thread, and lives for as long as this.
  final class ServiceCall<R: Sendable>: @unchecked Sendable {
    typealias Work = @Sendable (UnsafeMutableRawPointer?, UnsafeMutablePointer<cls_failure>) -> (cls_outcome, R)
    typealias Outcome = Result<R, SecretError>

    private struct State {
      var endReason: SecretError?
      /// What is to be done, and who waits for it; nil before it waits for its turn, and from its turn on.
      var pendingWork: (work: Work, continuation: CheckedContinuation<Outcome, Never>)?
    }

    private let cancellable = cls_cancellable_make()
    private let state = Mutex(State())

    deinit { cls_cancellable_free(cancellable) }

    /// Ends it, whether it has its turn or still waits for it.
    func cancel(because error: SecretError) {
      let (waiting, reason) = state.withLock { state in
        if state.endReason == nil { state.endReason = error }
        defer { state.pendingWork = nil }
        return (state.pendingWork, state.endReason ?? error)
      }
      cls_cancellable_cancel(cancellable)
      waiting?.continuation.resume(returning: .failure(reason))
    }

    /// Calls when it is its turn, and says what came of it. The time that it waits counts.
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
        // Without the work, and the secret in it: of a call that has ended the queue keeps neither.
        queue.enqueue { [self] in performWork() }
      }
    }

    /// On a thread that may block.
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

    /// The characters of a C array, up to its zero.
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
