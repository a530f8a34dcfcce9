/// The result of a conditional request.
public enum Refreshed<Value: Sendable>: Sendable {
  /// The data has not changed. Store the validators in place of the earlier ones.
  case unchanged(Validators)
  /// The data may have changed: the new data, and the validators for the next request, if the response has any.
  case changed(Value, Validators?)
}

extension Refreshed: Equatable where Value: Equatable {}

extension HTTPClient {
  /// Requests an endpoint's data, unless the caller's copy is still current.
  ///
  /// ```swift
  /// switch try await client.refresh(.get("/v1/payments"), as: [PaymentDTO].self, since: stored) {
  /// case .unchanged(let validators): try store(validators)
  /// case .changed(let payments, let validators): try store(payments, validators)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint to request, by GET. A condition of its own (`If-None-Match`, `If-Modified-Since`) is removed.
  ///   - type: The type to decode.
  ///   - validators: The validators of the caller's data.
  ///   - scope: The account of the data and the version of its decoder, such as `"account 7, version 3"`. Validators of another
  ///     scope are not used.
  ///   - maximumAge: The age after which everything is fetched, whatever the validators are: some servers respond "unchanged"
  ///     for ever.
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

  /// Requests the data of an endpoint with a response type, unless the caller's copy is still current: as
  /// ``refresh(_:as:since:scope:maximumAge:)``.
  public func refresh<Value: Decodable & Sendable>(
    _ endpoint: Endpoint<Value>, since validators: Validators?, scope: String = "",
    maximumAge: Duration = Validators.defaultMaximumAge
  ) async throws(HTTPError) -> Refreshed<Value> {
    try await refresh(endpoint, as: Value.self, since: validators, scope: scope, maximumAge: maximumAge)
  }
}
