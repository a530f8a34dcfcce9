internal import Synchronization

/// Whether the body of a call was begun that cannot be begun again.
final class BodyConsumption: Sendable {
  private let hasStarted = Atomic(false)

  /// Whether another attempt would have no body.
  var isConsumed: Bool { hasStarted.load(ordering: .acquiring) }

  /// Gives a request a body that tells when it is begun; nil where that does not matter.
  ///
  /// What a failure says of the delivery is not enough: a transport may have taken all of a body before it connects.
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
