public import Foundation

extension HTTPClient {
  /// Returns the response of an endpoint as a stream, unless nothing has changed.
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
  /// Store the new validators after the whole body was read and stored, and not before. Everything else is as in
  /// ``stream(_:)-(APIEndpoint)`` and ``refresh(_:as:since:scope:maximumAge:)``.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint to request, by GET.
  ///   - validators: The validators of the caller's data.
  ///   - scope: The account of the data and the version of its reader; validators of another scope are not used.
  ///   - maximumAge: The age after which everything is fetched, whatever the validators are.
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

  /// Writes the response of an endpoint to a file, unless the file exists and nothing has changed.
  ///
  /// ```swift
  /// switch try await client.download(.get("/v1/export"), to: file, since: stored) {
  /// case .unchanged(let validators): stored = validators
  /// case .changed(_, let validators): stored = validators
  /// }
  /// ```
  ///
  /// Everything else is as in ``download(_:to:progress:)-(APIEndpoint,_,_)`` and ``refresh(_:as:since:scope:maximumAge:)``.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint to request, by GET.
  ///   - file: The destination; its folder must exist. If there is no file, the validators are not used.
  ///   - validators: The validators of the file.
  ///   - scope: The account of the file and the version of its reader; validators of another scope are not used.
  ///   - maximumAge: The age after which the file is fetched, whatever the validators are.
  ///   - progress: Receives the number of bytes so far. Called on the transport's thread: return quickly.
  /// - Returns: The response, with an empty body, if a file was written.
  /// - Throws: ``HTTPError``; of the kind ``HTTPError/Kind/file(errno:)`` if the file cannot be written.
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
