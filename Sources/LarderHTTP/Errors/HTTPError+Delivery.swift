extension HTTPError.Kind {
  /// Creates the kind of a connection's failure, by the delivery of the request.
  init(_ failure: ConnectionFailure, _ delivery: HTTPError.Delivery) {
    self =
      switch delivery {
      case .notSent: .notSent(failure)
      case .maybeSent: .maybeSent(failure)
      case .responded: .interrupted(failure.duringResponse)
      }
  }
}

extension HTTPError {
  /// The same failure of a request that an earlier step may have carried to the server: it no longer counts as "not sent".
  var asMaybeSent: HTTPError {
    guard delivery == .notSent else { return self }
    var known = self
    known.delivery = .maybeSent
    if case .notSent(let failure) = kind { known.kind = .maybeSent(failure) }
    return known
  }
}
