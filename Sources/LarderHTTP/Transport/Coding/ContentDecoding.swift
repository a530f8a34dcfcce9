#if os(Linux)
  /// The decoding of a response's body.
  struct ContentDecoding: Sendable {
    /// The codings, in the order in which they were applied; nil if they cannot be decoded.
    let codings: [ContentCoding]?
    /// The name of an unknown coding.
    let unknown: String?
    /// Whether an empty body is valid. If only the end of the connection marks the end of the body, an empty one may have been cut
    /// off before its beginning.
    let mayBeEmpty: Bool

    /// Creates a decoding; nil if there is none to do. A request with its own `Accept-Encoding` receives the body as it is, and a
    /// part of an encoded body (206) cannot be decoded without its beginning.
    init?(of head: RawResponseHead, to request: HTTPRequest) {
      guard request.headers["Accept-Encoding"] == nil, head.status != 206,
        let field = head.headers.combinedValue(for: "Content-Encoding")
      else { return nil }
      mayBeEmpty = head.framing.length != nil || head.framing.isChunked
      codings = ContentCoding.codings(in: field)
      unknown = codings == nil ? ContentCoding.unknown(in: field) : nil
      if codings?.isEmpty == true { return nil }
    }
  }
#endif
