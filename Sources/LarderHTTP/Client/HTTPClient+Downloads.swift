public import Foundation

extension HTTPClient {
  /// Writes the response of an endpoint to a file, without holding it in memory.
  ///
  /// ```swift
  /// try await client.download(.get("/v1/export"), to: folder.appending(path: "export.json"))
  /// ```
  ///
  /// The file appears, or replaces an earlier one, once the whole response is on the disk; a failure leaves the earlier file
  /// as it was. Unless the endpoint sets deadlines and limits, the download may take any time as long as data arrives, and be
  /// of any size. An attempt that breaks off is repeated from the beginning.
  ///
  /// If the name is a symbolic link, the file that it points to is written. A destination that is no plain file, such as a
  /// device or a pipe, is an error with the number `ENOTSUP`, nothing is sent, and the destination is not replaced. To read a
  /// body and drop it, use a stream.
  ///
  /// Until it is complete, the response is written to a file in the same folder, such as `.export.json.0.part`; a name that
  /// would be too long is shortened. The partial file of a killed process is removed by the next download to the same file; that
  /// of a running process stays. Hosts that share the folder need locks (`flock`) that work between them for this. If a host
  /// loses its partial file to another without such locks, its download fails with the number `ESTALE`.
  ///
  /// If the endpoint has a condition, such as `If-None-Match`, and the server responds "unchanged", the file stays as it is,
  /// and ``HTTPResponse/isUnchanged`` of the response is true. A page, such as a network portal's, is an error if `Accept` asks
  /// for JSON, which is the default of clients.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint to request.
  ///   - file: The destination; its folder must exist.
  ///   - progress: Receives the number of bytes so far. Called on the transport's thread: return quickly.
  /// - Returns: The response, with an empty body.
  /// - Throws: ``HTTPError``; of the kind ``HTTPError/Kind/file(errno:)`` if the file cannot be written.
  @discardableResult
  public func download(
    _ endpoint: some APIEndpoint, to file: URL, progress: (@Sendable (TransferProgress) -> Void)? = nil
  ) async throws(HTTPError) -> HTTPResponse {
    var call = try makeStreamingCall(endpoint)
    call.request.downloadProgress = progress
    return try await call.download(to: file)
  }
}
