#if os(Linux)
  /// How a body is to be decoded.
  struct ContentDecoding: Sendable {
    /// In the order in which they were applied; nil where they cannot be taken off.
    let codings: [ContentCoding]?
    /// What of them is not known here.
    let unknown: String?
    /// Whether nothing at all may be the body. Where nothing but the end of the connection says where it ends, it may as well
    /// have been cut off before it began.
    let mayBeEmpty: Bool

    /// Nil where there is nothing to take off, or nobody to do it: whoever asks for encodings himself gets the body as it
    /// comes, and of a part of what is encoded (206) nobody knows how it began.
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
