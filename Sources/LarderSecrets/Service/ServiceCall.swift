#if os(Linux)
  import CLarderSecrets
  import Dispatch
  import Synchronization

  /// What ends a call of libsecret before its time: the clock, or a task that is cancelled.
  ///
  /// `@unchecked Sendable`, since GCancellable may be cancelled by any thread, and lives for as long as this.
  final class ServiceCall: @unchecked Sendable {
    private let cancellable = cls_cancellable_make()
    private let reason = Mutex<SecretError?>(nil)

    deinit { cls_cancellable_free(cancellable) }

    func end(because error: SecretError) {
      reason.withLock { if $0 == nil { $0 = error } }
      cls_cancellable_cancel(cancellable)
    }

    /// Calls, on a thread that may block, and says what came of it.
    func run<R>(
      timeout: Duration, _ work: (UnsafeMutableRawPointer?, UnsafeMutablePointer<cls_failure>) -> (cls_outcome, R)
    ) throws(SecretError) -> R {
      if let ended = reason.withLock({ $0 }) { throw ended }
      let timer = DispatchWorkItem { [weak self] in self?.end(because: .timedOut) }
      DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + timeout.inSeconds, execute: timer)
      defer { timer.cancel() }
      var failure = cls_failure()
      let (outcome, result) = work(cancellable, &failure)
      switch outcome {
      case CLS_DONE: return result
      case CLS_NO_LIBRARY: throw .unavailable(.library)
      case CLS_NO_BUS: throw .unavailable(.bus)
      case CLS_NO_SERVICE: throw .unavailable(.service)
      case CLS_NO_KEYRING: throw .unavailable(.keyring)
      case CLS_LOCKED: throw .locked
      case CLS_DISMISSED: throw .refused
      case CLS_CANCELLED: throw reason.withLock { $0 } ?? .timedOut
      default: throw .service(domain: Self.text(failure.domain), code: Int(failure.code))
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
