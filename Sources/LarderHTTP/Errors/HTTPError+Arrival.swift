extension HTTPError {
  /// The same failure of a request which something before may have carried to the server: it is not "not sent".
  var afterArrival: HTTPError {
    guard delivery == .notSent else { return self }
    var known = self
    known.delivery = .maybeSent
    if case .notSent(let failure) = kind { known.kind = .maybeSent(failure) }
    return known
  }
}
