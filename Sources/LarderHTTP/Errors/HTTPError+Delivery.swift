extension HTTPError.Kind {
  /// How a connection failed, where the request got as far as that.
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
  /// The same failure of a request which something before may have carried to the server: it is not "not sent".
  var asMaybeSent: HTTPError {
    guard delivery == .notSent else { return self }
    var known = self
    known.delivery = .maybeSent
    if case .notSent(let failure) = kind { known.kind = .maybeSent(failure) }
    return known
  }
}
