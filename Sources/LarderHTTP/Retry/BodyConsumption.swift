internal import Synchronization

/// Whether a call's body that cannot be sent twice has been started.
final class BodyConsumption: Sendable {
  private let hasStarted = Atomic(false)

  /// Whether another attempt would have no body.
  var isConsumed: Bool { hasStarted.load(ordering: .acquiring) }

  /// Replaces a request's body with one that records its start; nil if the body can be sent again.
  ///
  /// The delivery of a failure is not enough: a transport may have read all of a body before it connects.
  init?(of request: inout HTTPRequest) {
    guard let body = request.body, !body.isReplayable, case .stream(let length, let make) = body.content else {
      return nil
    }
    request.body?.content = .stream(length: length) { [self] in
      hasStarted.store(true, ordering: .releasing)
      return make()
    }
  }
}
