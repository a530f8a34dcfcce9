/// The elements of a stream, one after another, while the rest of it is on its way.
///
/// ```swift
/// for try await quake in JSONElements(of: Quake.self, at: "features[*]", in: response.body) {
///   …
/// }
/// ```
///
/// Chunks are collections of bytes, such as `[UInt8]` or `Data`, and may end anywhere. No more is kept than an element that
/// has come in part, and a chunk. The next chunk is asked for when all elements of the last have been taken, so who reads
/// slowly is sent no more than he can take.
///
/// The sequence ends with the stream, or with the first error. Where one bad element should not end it, use
/// ``JSONElementReader``, which goes on behind it.
public struct JSONElements<Chunks: AsyncSequence, Element>: AsyncSequence where Chunks.Element: Sequence<UInt8> {
  package let chunks: Chunks
  private let path: JSONElementPath
  private let limits: JSONLimits
  package let makeRead: () -> (inout JSONReader) throws -> Element

  /// - Parameter makeRead: Makes what reads the elements of one pass, which may keep something from one to the next.
  init(
    _ chunks: Chunks, at path: JSONElementPath, limits: JSONLimits,
    makeRead: @escaping () -> (inout JSONReader) throws -> Element
  ) {
    self.chunks = chunks
    self.path = path
    self.limits = limits
    self.makeRead = makeRead
  }

  /// Elements that read themselves.
  public init(
    of type: Element.Type, at path: JSONElementPath, in chunks: Chunks, limits: JSONLimits = JSONLimits()
  ) where Element: JSONReadable {
    self.init(chunks, at: path, limits: limits) { { reader in try Element(reading: &reader) } }
  }

  /// Elements that a function reads.
  public init(
    at path: JSONElementPath, in chunks: Chunks, limits: JSONLimits = JSONLimits(),
    read: @escaping (inout JSONReader) throws -> Element
  ) {
    self.init(chunks, at: path, limits: limits) { read }
  }

  /// What takes the elements out of one pass over the chunks.
  package func makeReader() -> JSONElementReader { JSONElementReader(at: path, limits: limits) }

  public func makeAsyncIterator() -> Iterator {
    Iterator(chunks: chunks.makeAsyncIterator(), reader: makeReader(), read: makeRead())
  }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var chunks: Chunks.AsyncIterator
    fileprivate let reader: JSONElementReader
    fileprivate let read: (inout JSONReader) throws -> Element
    fileprivate var isDone = false

    /// The next element.
    ///
    /// - Throws: ``JSONError``; what the element's type throws, and what the chunks throw.
    public mutating func next() async throws -> Element? {
      if isDone { return nil }
      do {
        while true {
          switch try reader.next(read) {
          case .element(let element): return element
          case .end:
            isDone = true
            return nil
          case .needsInput:
            if let chunk = try await chunks.next() { try reader.feed(chunk) } else { reader.finish() }
          }
        }
      } catch {
        isDone = true
        throw error
      }
    }
  }
}
