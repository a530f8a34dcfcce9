public import Foundation

/// The body of a request.
///
/// ```swift
/// .json(CreatePayment(amount: "12.00"))
/// .data(png, type: "image/png")
/// .form([URLQueryItem(name: "grant_type", value: "refresh_token")])
/// .file(video, type: "video/mp4")
/// .stream(length: nil, type: "application/x-ndjson") { lines }
/// ```
public struct RequestBody: Sendable {
  /// A function that returns one part of a body after the other, and nil at the end.
  public typealias ChunkProvider = @Sendable () async throws -> Data?

  enum Content: Sendable {
    case data(Data)
    case encodable(any Encodable & Sendable)
    case file(URL)
    case stream(length: Int64?, make: @Sendable () -> ChunkProvider)
  }

  var content: Content
  /// The media type that is sent, unless the request has a `Content-Type` of its own.
  public var contentType: String?
  /// Whether the body can be sent again, byte for byte. If not, the request is not retried once its body was started.
  public var isReplayable: Bool

  /// Returns a body of bytes.
  public static func data(_ data: Data, type: String = "application/octet-stream") -> RequestBody {
    RequestBody(content: .data(data), contentType: type, isReplayable: true)
  }

  /// Returns a body of text in UTF-8.
  public static func text(_ text: String, type: String = "text/plain; charset=utf-8") -> RequestBody {
    .data(Data(text.utf8), type: type)
  }

  /// Returns a body of a value, encoded once by the client's encoder: each attempt sends the same bytes.
  public static func json(_ value: some Encodable & Sendable) -> RequestBody {
    RequestBody(content: .encodable(value), contentType: "application/json", isReplayable: true)
  }

  /// Returns a body of form fields (`application/x-www-form-urlencoded`).
  public static func form(_ items: [URLQueryItem]) -> RequestBody {
    .data(Data(PercentEncoding.query(items).utf8), type: "application/x-www-form-urlencoded")
  }

  /// Returns a body of a file's contents, read while they are sent; symbolic links are followed. The file must not change
  /// during that time.
  ///
  /// A pipe or a device, which has no length, is sent in chunks as its data arrives, and cannot be sent again.
  public static func file(_ url: URL, type: String = "application/octet-stream") -> RequestBody {
    RequestBody(content: .file(url), contentType: type, isReplayable: true)
  }

  /// Returns a body that is produced while it is sent: no more of it is requested than the connection accepts.
  ///
  /// ```swift
  /// let body = RequestBody.stream(type: "application/x-ndjson") { lines }
  /// ```
  ///
  /// - Parameters:
  ///   - length: The number of bytes, if it is known. The request fails with fewer or more bytes.
  ///   - type: The media type.
  ///   - isReplayable: Whether another call of `make` produces the same bytes again.
  ///   - make: Returns the sequence, for each attempt.
  public static func stream<Sequence: AsyncSequence>(
    length: Int64? = nil, type: String, isReplayable: Bool = false, _ make: @escaping @Sendable () -> Sequence
  ) -> RequestBody
  where Sequence.Element == Data, Sequence: SendableMetatype, Sequence.AsyncIterator: SendableMetatype {
    RequestBody(
      content: .stream(length: length) {
        // The only consumer, the task that feeds the transfer, requests one part after the other.
        let iterator = SingleConsumer(make().makeAsyncIterator())
        return { try await iterator.next() }
      }, contentType: type, isReplayable: isReplayable)
  }
}

/// An iterator that only one task at a time uses.
private final class SingleConsumer<Iterator: AsyncIteratorProtocol>: @unchecked Sendable
where Iterator.Element == Data {
  // Safe: only the task that feeds the transfer calls `next`, and it awaits each call before the next one.
  private var iterator: Iterator

  init(_ iterator: Iterator) { self.iterator = iterator }

  func next() async throws -> Data? { try await iterator.next() }
}

extension RequestBody {
  /// The number of bytes, if it is known before they are sent.
  var length: Int64? {
    switch content {
    case .data(let data): Int64(data.count)
    case .encodable: nil
    case .file(let url): url.fileLength
    case .stream(let length, _): length
    }
  }
}
