extension HTTPClient {
  /// Sends what an endpoint carries and tells how far that has come, and decodes its answer.
  ///
  /// ```swift
  /// let receipt: Receipt = try await client.upload(
  ///   .put("/v1/files/\(id)", body: .file(video, type: "video/mp4"))
  /// ) { progress in print(progress.fraction ?? 0) }
  /// ```
  ///
  /// Bytes are told as they are handed to the connection, of bytes in all: for a stream, where its length was given. That
  /// all of them were handed over does not mean that the server has them; that it answers does. Another attempt, and a
  /// redirect that keeps the body, begin at the body's beginning. Unless the endpoint says otherwise, it may take as long
  /// as something moves.
  ///
  /// - Parameters:
  ///   - endpoint: What to ask, and with which body. Without one nothing is told.
  ///   - type: What it answers.
  ///   - progress: Is told how much was sent. Called on the transport's thread: be brief.
  /// - Throws: ``HTTPError``, as ``request(_:as:)`` does.
  public func upload<Value: Decodable & SendableMetatype>(
    _ endpoint: some APIEndpoint, as type: Value.Type = Value.self,
    progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(HTTPError) -> Value {
    try await makeUploadCall(endpoint, progress).response { (response) throws(HTTPError) in
      try decode(type, from: response)
    }
  }

  /// Sends what an endpoint that knows its answer carries, and tells how far that has come.
  ///
  /// - Throws: ``HTTPError``, as ``request(_:)-(Endpoint<Value>)`` does.
  public func upload<Value: Decodable & SendableMetatype>(
    _ endpoint: Endpoint<Value>, progress: @escaping @Sendable (TransferProgress) -> Void
  ) async throws(HTTPError) -> Value {
    try await upload(endpoint, as: Value.self, progress: progress)
  }

  /// Sends what an endpoint carries and tells how far that has come; the answer says nothing but that it succeeded.
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

  /// Sends what an endpoint carries and tells how far that has come; the answer says nothing but that it succeeded.
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
