public import Foundation

/// What a request carries.
///
/// ```swift
/// .json(CreatePayment(amount: "12.00"))
/// .data(png, type: "image/png")
/// .form([URLQueryItem(name: "grant_type", value: "refresh_token")])
/// .file(video, type: "video/mp4")
/// .stream(length: nil, type: "application/x-ndjson") { lines }
/// ```
public struct RequestBody: Sendable {
  /// One part of a body after the other, nil at the end.
  public typealias ChunkProvider = @Sendable () async throws -> Data?

  enum Content: Sendable {
    case data(Data)
    case encodable(any Encodable & Sendable)
    case file(URL)
    case stream(length: Int64?, make: @Sendable () -> ChunkProvider)
  }

  var content: Content
  /// The media type that it is sent as, unless a header of the request says otherwise.
  public var contentType: String?
  /// Whether it can be sent again, byte for byte: without that, a request is not tried again once its body was begun.
  public var isReplayable: Bool

  /// Bytes.
  public static func data(_ data: Data, type: String = "application/octet-stream") -> RequestBody {
    RequestBody(content: .data(data), contentType: type, isReplayable: true)
  }

  /// Text in UTF-8.
  public static func text(_ text: String, type: String = "text/plain; charset=utf-8") -> RequestBody {
    .data(Data(text.utf8), type: type)
  }

  /// A value, encoded once by the client's encoder: each attempt sends the same bytes.
  public static func json(_ value: some Encodable & Sendable) -> RequestBody {
    RequestBody(content: .encodable(value), contentType: "application/json", isReplayable: true)
  }

  /// Fields as a form's (`application/x-www-form-urlencoded`).
  public static func form(_ items: [URLQueryItem]) -> RequestBody {
    .data(Data(PercentEncoding.query(items).utf8), type: "application/x-www-form-urlencoded")
  }

  /// The contents of a file, or of what a link leads to, read while they are sent. The file must not change meanwhile.
  ///
  /// What has no length, a pipe or a device, is sent as it comes, in chunks, and cannot be sent again.
  public static func file(_ url: URL, type: String = "application/octet-stream") -> RequestBody {
    RequestBody(content: .file(url), contentType: type, isReplayable: true)
  }

  /// A body that is made while it is sent: no more of it is asked for than the connection takes.
  ///
  /// - Parameters:
  ///   - length: How many bytes there will be, if that is known. Fewer or more fail the request.
  ///   - type: The media type.
  ///   - isReplayable: Whether `make` begins anew with the same bytes when it is called again.
  ///   - make: Begins the sequence, for each attempt.
  public static func stream<Sequence: AsyncSequence>(
    length: Int64? = nil, type: String, isReplayable: Bool = false, _ make: @escaping @Sendable () -> Sequence
  ) -> RequestBody
  where Sequence.Element == Data, Sequence: SendableMetatype, Sequence.AsyncIterator: SendableMetatype {
    RequestBody(
      content: .stream(length: length) {
        // One consumer, the task that feeds the transfer, calls for one part after the other.
        let iterator = SingleConsumer(make().makeAsyncIterator())
        return { try await iterator.next() }
      }, contentType: type, isReplayable: isReplayable)
  }
}

/// An iterator that one task at a time uses.
private final class SingleConsumer<Iterator: AsyncIteratorProtocol>: @unchecked Sendable
where Iterator.Element == Data {
  // Safe: the transfer's feeding task alone calls `next`, and awaits each call before the next one.
  private var iterator: Iterator

  init(_ iterator: Iterator) { self.iterator = iterator }

  func next() async throws -> Data? { try await iterator.next() }
}

extension RequestBody {
  /// How many bytes it has, where that is known before it is sent.
  var length: Int64? {
    switch content {
    case .data(let data): Int64(data.count)
    case .encodable: nil
    case .file(let url): url.fileLength
    case .stream(let length, _): length
    }
  }
}
