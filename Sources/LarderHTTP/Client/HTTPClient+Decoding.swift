import Foundation

extension HTTPClient {
  func decode<Value: Decodable>(_ type: Value.Type, from response: HTTPResponse) throws(HTTPError) -> Value {
    if response.status == 204 || response.body.isEmpty {
      // A 304 says "unchanged", and not "no value".
      if !response.isUnchanged, let nothing = (type as? any NilRepresentable.Type)?.nilValue as? Value {
        return nothing
      }
      var failure = HTTPError(.noContent, delivery: .responded)
      failure.metrics = response.metrics
      throw failure
    }
    let media = MediaType(response.headers["Content-Type"])
    // A body that is declared as HTML is rejected, whatever its content; one with another type, or none, may be JSON.
    if media.isHTML || (!media.isJSON && !response.body.looksLikeJSON) { throw notJSON(response) }
    do {
      return try configuration.decoder.decode(type, from: response.body)
    } catch {
      // A decoder may accept more than JSON, such as JSON5. Only strict JSON counts here.
      let problem =
        (error as? DecodingError)?.mayMeanInvalidJSON == true ? JSONValidator.errorPosition(in: response.body) : nil
      var failure = failure(
        problem == nil ? .undecodable(path: (error as? DecodingError)?.path ?? "") : .notJSON(mediaType: media.name),
        of: response, underlying: error)
      failure.textPosition = problem
      throw failure
    }
  }

  func acceptsHTML(_ endpoint: some APIEndpoint) -> Bool {
    (endpoint.headers["Accept"] ?? configuration.headers["Accept"] ?? "").contains("html")
  }

  /// Rejects a page: a network's portal responds to every request with its own, and a deletion with such a response did not
  /// happen.
  func rejectHTML(_ response: HTTPResponse, unless isWanted: Bool) throws(HTTPError) {
    if MediaType(response.headers["Content-Type"]).isHTML, !response.body.isEmpty, !isWanted { throw notJSON(response) }
  }

  private func notJSON(_ response: HTTPResponse) -> HTTPError {
    failure(.notJSON(mediaType: MediaType(response.headers["Content-Type"]).name), of: response)
  }

  private func failure(
    _ kind: HTTPError.Kind, of response: HTTPResponse, underlying: (any Error)? = nil
  ) -> HTTPError {
    var failure = HTTPError(kind, delivery: .responded, underlying: underlying)
    failure.metrics = response.metrics
    // A copy: the whole body may be large, and errors are kept.
    failure.body = Data(Array(response.body.prefix(HTTPError.errorBodyLimit)))
    return failure
  }
}

/// A type with a value for "no body".
private protocol NilRepresentable {
  static var nilValue: Self { get }
}

extension Optional: NilRepresentable {
  fileprivate static var nilValue: Wrapped? { nil }
}

extension DecodingError {
  /// Whether the error may mean that the body was no JSON at all.
  fileprivate var mayMeanInvalidJSON: Bool {
    if case .dataCorrupted(let context) = self { context.codingPath.isEmpty } else { false }
  }
}

extension Data {
  /// Whether the first character is one that JSON may begin with (RFC 8259, section 2).
  fileprivate var looksLikeJSON: Bool {
    guard let first = first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return false }
    return switch first {
    case 0x7B, 0x5B, 0x22, 0x2D, 0x30...0x39, 0x74, 0x66, 0x6E: true
    default: false
    }
  }
}
