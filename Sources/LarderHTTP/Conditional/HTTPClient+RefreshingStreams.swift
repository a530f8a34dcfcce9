public import Foundation

extension HTTPClient {
  /// The response to an endpoint, its body as it comes, unless nothing has changed.
  ///
  /// ```swift
  /// switch try await client.stream(.get("/feed"), since: stored) {
  /// case .unchanged(let validators): try store(validators)
  /// case .changed(let response, let validators):
  ///   for try await piece in response.body { try add(piece) }
  ///   try store(validators)
  /// }
  /// ```
  ///
  /// Keep the new validators when the whole body was read and stored, and not before. Everything else is as
  /// ``stream(_:)-(APIEndpoint)`` and ``refresh(_:as:since:scope:maximumAge:)`` say.
  ///
  /// - Parameters:
  ///   - endpoint: What to ask; by GET.
  ///   - validators: What the caller's data came with.
  ///   - scope: Of whom the data is and what reads it; validators of another scope are not used.
  ///   - maximumAge: After this time everything is fetched, whatever the validators say.
  /// - Throws: ``HTTPError``.
  public func stream(
    _ endpoint: some APIEndpoint, since validators: Validators?, scope: String = "",
    maximumAge: Duration = Validators.defaultMaximumAge
  ) async throws(HTTPError) -> Refreshed<StreamedResponse> {
    var call = try makeStreamingCall(endpoint)
    let condition = ConditionalRequest(of: &call, since: validators, scope: scope, maximumAge: maximumAge)
    let response = try await call.stream()
    if let unchanged = condition.validatorsIfUnchanged(by: response.head) { return .unchanged(unchanged) }
    return .changed(response, condition.validators(of: response.head))
  }

  /// Writes the response of an endpoint to a file, unless the file is there and nothing has changed.
  ///
  /// ```swift
  /// switch try await client.download(.get("/v1/export"), to: file, since: stored) {
  /// case .unchanged(let validators): stored = validators
  /// case .changed(_, let validators): stored = validators
  /// }
  /// ```
  ///
  /// Everything else is as ``download(_:to:progress:)-(APIEndpoint,_,_)`` and ``refresh(_:as:since:scope:maximumAge:)`` say.
  ///
  /// - Parameters:
  ///   - endpoint: What to ask; by GET.
  ///   - file: Where to write; its folder must be there. Where there is no file, the validators are not used.
  ///   - validators: What the file came with.
  ///   - scope: Of whom the file is and what reads it; validators of another scope are not used.
  ///   - maximumAge: After this time the file is fetched, whatever the validators say.
  ///   - progress: Is told how much has come. Called on the transport's thread: be brief.
  /// - Returns: The response, with an empty body, where a file was written.
  /// - Throws: ``HTTPError``; of the kind ``HTTPError/Kind/file(errno:)`` where the file cannot be written.
  public func download(
    _ endpoint: some APIEndpoint, to file: URL, since validators: Validators?, scope: String = "",
    maximumAge: Duration = Validators.defaultMaximumAge, progress: (@Sendable (TransferProgress) -> Void)? = nil
  ) async throws(HTTPError) -> Refreshed<HTTPResponse> {
    var call = try makeStreamingCall(endpoint)
    call.request.downloadProgress = progress
    let isThere = FileManager.default.fileExists(atPath: file.path(percentEncoded: false))
    let condition = ConditionalRequest(
      of: &call, since: isThere ? validators : nil, scope: scope, maximumAge: maximumAge)
    let response = try await call.download(to: file)
    if let unchanged = condition.validatorsIfUnchanged(by: response.head) { return .unchanged(unchanged) }
    return .changed(response, condition.validators(of: response.head))
  }
}
