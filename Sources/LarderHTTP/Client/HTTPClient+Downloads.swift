public import Foundation

extension HTTPClient {
  /// Writes the response of an endpoint to a file, without holding it in memory.
  ///
  /// ```swift
  /// try await client.download(.get("/v1/export"), to: folder.appending(path: "export.json"))
  /// ```
  ///
  /// The file is there when the whole response is on the disk, and in place of one that was there before; whatever
  /// fails leaves that one as it was. Unless the endpoint says otherwise, it may take as long as something moves, and be
  /// of any size. An attempt that breaks off is made again from the beginning.
  ///
  /// Where the name is a link's, the file that it leads to is written. What is no plain file, a device or a pipe, is an error
  /// with the number `ENOTSUP`, and nothing is sent: no file takes its place. To read a body and drop it, stream it.
  ///
  /// Until then it is written beside the file, as `.export.json.0.part`. What a process that was killed has left of that goes
  /// with the next download to the same file; what another one is writing stays. Hosts that share the folder need locks
  /// (`flock`) that hold between them for that; where one has lost its file to another for want of them, its download fails
  /// with the number `ESTALE`. The name of that file is shortened where it would be too long.
  ///
  /// Where the endpoint has a condition (`If-None-Match`, say) and the server answers that nothing has changed, the file
  /// stays as it is, and the response says so by ``HTTPResponse/isUnchanged``. A page, as a network's portal answers, is
  /// an error where `Accept` asks for JSON, which is what clients ask for unless they are told otherwise.
  ///
  /// - Parameters:
  ///   - endpoint: What to ask.
  ///   - file: Where to write; its folder must be there.
  ///   - progress: Is told how much has come. Called on the transport's thread: be brief.
  /// - Returns: The response, with an empty body.
  /// - Throws: ``HTTPError``; of the kind ``HTTPError/Kind/file(errno:)`` where the file cannot be written.
  @discardableResult
  public func download(
    _ endpoint: some APIEndpoint, to file: URL, progress: (@Sendable (TransferProgress) -> Void)? = nil
  ) async throws(HTTPError) -> HTTPResponse {
    var call = try makeStreamingCall(endpoint)
    call.request.downloadProgress = progress
    return try await call.download(to: file)
  }
}
