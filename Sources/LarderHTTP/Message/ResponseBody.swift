public import Foundation

/// Where a body's bytes come from; a transport's part of ``ResponseBody``.
public protocol ResponseBodySource: AnyObject, Sendable {
  /// The next bytes, nil at the end. One caller at a time.
  nonisolated(nonsending) func next() async throws(HTTPError) -> Data?
  /// Ends the transfer, if it has not ended.
  func cancel()
  /// What the exchange took; final once ``next()`` has returned nil or thrown.
  var metrics: HTTPMetrics { get }
}

/// A response's body, as it comes: an asynchronous sequence of pieces, decompressed.
///
/// No more is read from the network than a small buffer ahead of whoever iterates. It can be read once, by one task; a second
/// one that reads at the same time is told ``HTTPError/Kind/cancelled``. When nobody holds it any more, or iteration is cancelled, the transfer ends.
///
/// ```swift
/// let response = try await client.stream(.get("/v1/export"))
/// for try await piece in response.body { try parser.feed(piece) }
/// ```
public struct ResponseBody: AsyncSequence, Sendable {
  public typealias Element = Data
  public typealias Failure = HTTPError

  private let owner: Owner

  /// Ends the transfer when the last one who could read it is gone.
  private final class Owner: Sendable {
    let source: any ResponseBodySource
    init(_ source: any ResponseBodySource) { self.source = source }
    deinit { source.cancel() }
  }

  public init(_ source: any ResponseBodySource) { owner = Owner(source) }

  /// A body that is there already.
  public init(_ data: Data, metrics: HTTPMetrics = HTTPMetrics()) {
    owner = Owner(BufferedBody(data, metrics: metrics))
  }

  /// What the exchange took: known once the body was read to its end, which is when a ``CurlTransport`` has measured it.
  public var metrics: HTTPMetrics { owner.source.metrics }

  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  public struct Iterator: AsyncIteratorProtocol {
    /// Held, so that the transfer goes on.
    private let owner: Owner
    private let source: any ResponseBodySource

    fileprivate init(_ body: ResponseBody) {
      owner = body.owner
      source = body.owner.source
    }

    public mutating func next() async throws(HTTPError) -> Data? { try await source.next() }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws(HTTPError) -> Data? {
      try await source.next()
    }
  }

  /// The whole body.
  ///
  /// - Parameter limit: The most bytes; more are an error of the kind ``HTTPError/Kind/tooLarge(_:)``.
  @concurrent public func collect(upTo limit: Int = .max) async throws(HTTPError) -> Data {
    try await readAll(upTo: limit)
  }

  /// The same, where it is called.
  nonisolated(nonsending) func readAll(upTo limit: Int) async throws(HTTPError) -> Data {
    var whole = Data()
    while let piece = try await owner.source.next() {
      guard piece.count <= limit - whole.count else {
        owner.source.cancel()
        throw HTTPError(.tooLarge(.body(limit: limit)), delivery: .responded)
      }
      if whole.isEmpty { whole = piece } else { whole.append(piece) }
    }
    return whole
  }

  /// What comes, up to a number of bytes, and up to where the transfer fails if it does. Nothing more is read.
  nonisolated(nonsending) func readPrefix(_ count: Int) async -> Data {
    var beginning = Data()
    while beginning.count < count, let piece = try? await owner.source.next() {
      beginning.append(piece.prefix(count - beginning.count))
    }
    owner.source.cancel()
    return beginning
  }

  /// Ends the transfer without reading the rest.
  public func cancel() { owner.source.cancel() }
}
