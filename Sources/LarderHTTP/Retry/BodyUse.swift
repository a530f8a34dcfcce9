internal import Synchronization

/// Whether the body of a call was begun that cannot be begun again.
final class BodyUse: Sendable {
  private let begun = Atomic(false)

  /// Whether another attempt would have no body.
  var isUsedUp: Bool { begun.load(ordering: .acquiring) }

  /// The request with a body that tells when it is begun, if that matters.
  ///
  /// What a failure says of the delivery is not enough: a transport may have taken all of a body before it connects.
  func watching(_ request: HTTPRequest) -> HTTPRequest {
    guard let body = request.body, !body.isReplayable, case .stream(let length, let make) = body.content else {
      return request
    }
    var watched = request
    watched.body?.content = .stream(length: length) { [self] in
      begun.store(true, ordering: .releasing)
      return make()
    }
    return watched
  }
}
