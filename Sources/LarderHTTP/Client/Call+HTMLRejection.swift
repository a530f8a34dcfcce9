import Foundation

extension Call {
  /// A success that is no page where JSON was asked for: a network's portal answers everything, and must not be taken for
  /// the API by anybody who reads it.
  nonisolated(nonsending) func rejectUnexpectedHTML(_ response: StreamedResponse) async throws(HTTPError)
    -> StreamedResponse
  {
    // Looked at first, since most answers are none, and each is asked.
    guard let field = response.headers["Content-Type"], MediaType.mayBeHTML(field) else { return response }
    let type = MediaType(field)
    guard type.isHTML, request.acceptsOnlyJSON, request.method != .head else { return response }
    let body = await response.body.readPrefix(HTTPError.errorBodyLimit)
    // Nothing is no page, whatever it is called.
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
  /// Whether JSON is wanted, and no page: what is a page all the same is of somebody else.
  fileprivate var acceptsOnlyJSON: Bool {
    let accepted = ASCIIText.lowercased(headers.combinedValue(for: "Accept") ?? "")
    return accepted.contains("json") && !accepted.contains("html")
  }
}
