public import Foundation

/// A source of a body's bytes: a transport's part of ``ResponseBody``.
public protocol ResponseBodySource: AnyObject, Sendable {
  /// Returns the next bytes, or nil at the end. One caller at a time.
  ///
  /// - Throws: ``HTTPError`` if the transfer fails or is cancelled.
  nonisolated(nonsending) func next() async throws(HTTPError) -> Data?
  /// Ends the transfer, if it has not ended.
  func cancel()
  /// The metrics of the exchange; final once ``next()`` has returned nil or thrown.
  var metrics: HTTPMetrics { get }
}

/// The body of a response: an asynchronous sequence of pieces as they arrive, decompressed.
///
/// No more is read from the network than a small buffer ahead of the reader. The body can be read once, by one task; a second
/// task that reads at the same time receives ``HTTPError/Kind/cancelled``. The transfer ends when the last reference to the
/// body is released, or its iteration is cancelled.
///
/// ```swift
/// let response = try await client.stream(.get("/v1/export"))
/// for try await piece in response.body { try parser.feed(piece) }
/// ```
public struct ResponseBody: AsyncSequence, Sendable {
  public typealias Element = Data
  public typealias Failure = HTTPError

  private let owner: Owner

  /// A reference shared by the body and its iterators, which ends the transfer when the last of them is released.
  private final class Owner: Sendable {
    let source: any ResponseBodySource
    init(_ source: any ResponseBodySource) { self.source = source }
    deinit { source.cancel() }
  }

  /// Creates a body that reads from a source, for a transport.
  public init(_ source: any ResponseBodySource) { owner = Owner(source) }

  /// Creates a body from data in memory.
  public init(_ data: Data, metrics: HTTPMetrics = HTTPMetrics()) {
    owner = Owner(BufferedBody(data, metrics: metrics))
  }

  /// The metrics of the exchange: known once the body was read to its end, when a ``CurlTransport`` has measured them.
  public var metrics: HTTPMetrics { owner.source.metrics }

  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// The iterator of a body.
  public struct Iterator: AsyncIteratorProtocol {
    /// Retained, so that the transfer continues.
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

  /// Reads and returns the whole body.
  ///
  /// ```swift
  /// let data = try await response.body.collect(upTo: 1 << 20)
  /// ```
  ///
  /// - Parameter limit: The highest number of bytes.
  /// - Throws: ``HTTPError`` of the kind ``HTTPError/Kind/tooLarge(_:)`` for a longer body, or that of the transfer.
  @concurrent public func collect(upTo limit: Int = .max) async throws(HTTPError) -> Data {
    try await readAll(upTo: limit)
  }

  /// Reads and returns the whole body, in the caller's isolation.
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

  /// Reads up to a number of bytes, or up to a failure of the transfer, and ends the transfer.
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
