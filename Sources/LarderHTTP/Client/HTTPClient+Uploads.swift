extension HTTPClient {
  /// Sends the body of an endpoint, reports the progress, and decodes the response.
  ///
  /// ```swift
  /// let receipt: Receipt = try await client.upload(
  ///   .put("/v1/files/\(id)", body: .file(video, type: "video/mp4"))
  /// ) { progress in print(progress.fraction ?? 0) }
  /// ```
  ///
  /// The progress counts the bytes that were passed to the connection, out of all bytes; for a stream the total is known only
  /// if its length was given. All bytes passed does not mean that the server has them; only its response does. Another attempt,
  /// and a redirect that keeps the body, start at the beginning of the body. Unless the endpoint sets deadlines, the upload may
  /// take any time as long as data moves.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint to request, with its body. Without a body there is no progress.
  ///   - type: The type to decode.
  ///   - progress: Receives the number of bytes sent. Called on the transport's thread: return quickly.
  /// - Throws: ``HTTPError``, as ``request(_:as:)`` does.
  public func upload<Value: Decodable & SendableMetatype>(
    _ endpoint: some APIEndpoint, as type: Value.Type = Value.self,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(HTTPError) -> Value {
    try await makeUploadCall(endpoint, progress).response { (response) throws(HTTPError) in
      try decode(type, from: response)
    }
  }

  /// Sends the body of an endpoint, reports the progress, and decodes the response as the endpoint's type.
  ///
  /// - Throws: ``HTTPError``, as ``request(_:)-(Endpoint<Value>)`` does.
  public func upload<Value: Decodable & SendableMetatype>(
    _ endpoint: Endpoint<Value>, progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(HTTPError) -> Value {
    try await upload(endpoint, as: Value.self, progress: progress)
  }

  /// Sends the body of an endpoint, and reports the progress. The response is only checked for success.
  ///
  /// - Throws: ``HTTPError``.
  @_disfavoredOverload
  public func upload(
    _ endpoint: some APIEndpoint, progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(HTTPError) {
    let isPageWanted = acceptsHTML(endpoint)
    try await makeUploadCall(endpoint, progress).response { (response) throws(HTTPError) in
      try rejectHTML(response, unless: isPageWanted)
    }
  }

  /// Sends the body of an endpoint, and reports the progress. The response is only checked for success.
  ///
  /// - Throws: ``HTTPError``.
  public func upload(
    _ endpoint: Endpoint<Void>, progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(HTTPError) {
    let plain: any APIEndpoint = endpoint
    try await upload(plain, progress: progress)
  }

  private func makeUploadCall(
    _ endpoint: some APIEndpoint, _ progress: @escaping @Sendable (TransferProgress) -> Void
  ) throws(HTTPError) -> Call {
    var call = try makeCall(endpoint)
    if endpoint.deadlines == nil { call.request.deadlines.total = nil }
    call.request.uploadProgress = progress
    return call
  }
}
