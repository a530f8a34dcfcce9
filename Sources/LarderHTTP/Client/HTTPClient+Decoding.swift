import Foundation

extension HTTPClient {
  func decode<Value: Decodable>(_ type: Value.Type, from response: HTTPResponse) throws(HTTPError) -> Value {
    let media = MediaType(response.headers["Content-Type"])
    // What calls itself a page is none of ours, whatever is in it; what has another type, or none, may be JSON.
    if media.isPage || (!media.isJSON && !response.body.looksLikeJSON) { throw notJSON(response) }
    do {
      return try configuration.decoder.decode(type, from: response.body)
    } catch {
      var failure = HTTPError(
        .undecodable(path: (error as? DecodingError)?.path ?? ""), delivery: .answered, underlying: error)
      failure.metrics = response.metrics
      throw failure
    }
  }

  func notJSON(_ response: HTTPResponse) -> HTTPError {
    var failure = HTTPError(
      .notJSON(mediaType: MediaType(response.headers["Content-Type"]).name), delivery: .answered)
    failure.metrics = response.metrics
    return failure
  }
}

extension Data {
  /// Whether the first character is one with which JSON may begin (RFC 8259, section 2).
  fileprivate var looksLikeJSON: Bool {
    guard let first = first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return false }
    return switch first {
    case 0x7B, 0x5B, 0x22, 0x2D, 0x30...0x39, 0x74, 0x66, 0x6E: true
    default: false
    }
  }
}

extension DecodingError {
  /// The way to the value that failed, by keys and indexes: `payments[3].amount`. Keys of dictionaries whose keys are
  /// data, such as names or addresses, cannot be told from members, and are shown.
  fileprivate var path: String {
    let context: Context =
      switch self {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
        .dataCorrupted(let context):
        context
      @unknown default: Context(codingPath: [], debugDescription: "")
      }
    var text = ""
    for key in context.codingPath {
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += (text.isEmpty ? "" : ".") + key.stringValue
      }
    }
    if case .keyNotFound(let key, _) = self { text += (text.isEmpty ? "" : ".") + key.stringValue }
    return text
  }
}
