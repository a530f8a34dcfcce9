/// What came of asking whether something has changed.
public enum Refreshed<Value: Sendable>: Sendable {
  /// It has not. Store the validators in the place of the former ones.
  case unchanged(Validators)
  /// It may have: this is what it is now, with what to ask by next time, if there is that.
  case changed(Value, Validators?)
}

extension Refreshed: Equatable where Value: Equatable {}

extension HTTPClient {
  /// Asks an endpoint for what it has, unless that is what the caller has.
  ///
  /// - Parameters:
  ///   - endpoint: What to ask; by GET. A condition of its own (`If-None-Match`, `If-Modified-Since`) is left out.
  ///   - type: What it answers.
  ///   - validators: What the caller's data came with.
  ///   - scope: Of whom the data is and what decodes it, as `"account 7, version 3"`; validators of another scope are
  ///     not used.
  ///   - maximumAge: After this time everything is fetched, whatever the validators say: some servers answer for ever
  ///     that nothing has changed.
  /// - Throws: ``HTTPError``.
  public func refresh<Value: Decodable & Sendable>(
    _ endpoint: some APIEndpoint, as type: Value.Type = Value.self, since validators: Validators?, scope: String = "",
    maximumAge: Duration = Validators.defaultMaximumAge
  ) async throws(HTTPError) -> Refreshed<Value> {
    var call = try makeCall(endpoint)
    let condition = ConditionalRequest(of: &call, since: validators, scope: scope, maximumAge: maximumAge)
    return try await call.response { (response) throws(HTTPError) in
      if let unchanged = condition.validatorsIfUnchanged(by: response.head) { return .unchanged(unchanged) }
      let value = try decode(type, from: response)
      return .changed(value, condition.validators(of: response.head))
    }
  }

  /// Asks an endpoint that knows what it answers.
  public func refresh<Value: Decodable & Sendable>(
    _ endpoint: Endpoint<Value>, since validators: Validators?, scope: String = "",
    maximumAge: Duration = Validators.defaultMaximumAge
  ) async throws(HTTPError) -> Refreshed<Value> {
    try await refresh(endpoint, as: Value.self, since: validators, scope: scope, maximumAge: maximumAge)
  }
}
