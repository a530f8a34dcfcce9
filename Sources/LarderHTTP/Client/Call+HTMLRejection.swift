import Foundation

extension Call {
  /// Returns a successful response, unless it is a page where JSON was asked for: a network's portal responds to every request,
  /// and its page must not be taken for the API's response.
  nonisolated(nonsending) func rejectUnexpectedHTML(_ response: StreamedResponse) async throws(HTTPError)
    -> StreamedResponse
  {
    // A cheap test first: few responses are pages, and each response is tested.
    guard let field = response.headers["Content-Type"], MediaType.mayBeHTML(field) else { return response }
    let type = MediaType(field)
    guard type.isHTML, request.acceptsOnlyJSON, request.method != .head else { return response }
    let body = await response.body.readPrefix(HTTPError.errorBodyLimit)
    // An empty body is no page, whatever its media type.
    if body.isEmpty {
      return StreamedResponse(head: response.head, body: ResponseBody(Data(), metrics: response.body.metrics))
    }
    var error = HTTPError(.notJSON(mediaType: type.name), delivery: .responded).withResponseHead(response.head)
    error.body = body
    error.metrics = response.body.metrics
    throw error
  }
}

extension HTTPRequest {
  /// Whether the request accepts JSON and no pages, so that a page must come from another server.
  fileprivate var acceptsOnlyJSON: Bool {
    let accepted = ASCIIText.lowercased(headers.combinedValue(for: "Accept") ?? "")
    return accepted.contains("json") && !accepted.contains("html")
  }
}
