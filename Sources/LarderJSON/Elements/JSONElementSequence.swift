/// The elements of a stream, one after another, while the rest of it is on its way.
///
/// ```swift
/// for try await quake in JSONElementSequence(of: Quake.self, at: "features[*]", in: response.body) {
///   …
/// }
/// ```
///
/// Chunks are collections of bytes, such as `[UInt8]` or `Data`, and may end anywhere. No more is kept than an element that
/// has come in part, and a chunk. The next chunk is asked for when all elements of the last have been taken, so who reads
/// slowly is sent no more than he can take.
///
/// The sequence ends with the stream, or with the first error. Where one bad line of JSON lines should not end it, say so by
/// ``JSONMalformedLinePolicy``; where one bad element should not, use ``JSONElementReader``, which goes on behind it.
public struct JSONElementSequence<Chunks: AsyncSequence, Element>: AsyncSequence where Chunks.Element: Sequence<UInt8> {
  package let chunks: Chunks
  private let path: JSONElementPath
  private let limits: JSONLimits
  private let malformedLines: JSONMalformedLinePolicy
  package let makeReadFunction: () -> (inout JSONReader) throws -> Element

  /// - Parameter makeRead: Makes what reads the elements of one pass, which may keep something from one to the next.
  init(
    _ chunks: Chunks, at path: JSONElementPath, limits: JSONLimits, malformedLines: JSONMalformedLinePolicy,
    makeReadFunction makeRead: @escaping () -> (inout JSONReader) throws -> Element
  ) {
    self.chunks = chunks
    self.path = path
    self.limits = limits
    self.malformedLines = malformedLines
    self.makeReadFunction = makeRead
  }

  /// Elements that read themselves.
  public init(
    of type: Element.Type, at path: JSONElementPath, in chunks: Chunks, limits: JSONLimits = JSONLimits(),
    malformedLines: JSONMalformedLinePolicy = .fail
  ) where Element: JSONReadable {
    self.init(chunks, at: path, limits: limits, malformedLines: malformedLines) {
      { reader in try type.init(reading: &reader) }
    }
  }

  /// Elements that a function reads.
  public init(
    at path: JSONElementPath, in chunks: Chunks, limits: JSONLimits = JSONLimits(),
    malformedLines: JSONMalformedLinePolicy = .fail, read: @escaping (inout JSONReader) throws -> Element
  ) {
    self.init(chunks, at: path, limits: limits, malformedLines: malformedLines) { read }
  }

  /// What takes the elements out of one pass over the chunks.
  package func makeReader() -> JSONElementReader {
    JSONElementReader(at: path, limits: limits, malformedLines: malformedLines)
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(
      chunks: chunks.makeAsyncIterator(), reader: makeReader(), read: makeReadFunction(),
      skipsMalformedLines: malformedLines.limit != nil && path == .lines)
  }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var chunks: Chunks.AsyncIterator
    fileprivate let reader: JSONElementReader
    fileprivate let read: (inout JSONReader) throws -> Element
    /// Whether a line that is not what was asked for does not end the sequence.
    fileprivate let skipsMalformedLines: Bool
    fileprivate var isDone = false

    /// The next element.
    ///
    /// - Throws: ``JSONError``; what the element's type throws, and what the chunks throw.
    public mutating func next() async throws -> Element? {
      if isDone { return nil }
      do {
        while true {
          switch try nextStep() {
          case nil: break
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

    /// Nil for a line that is left out.
    private func nextStep() throws -> JSONElementReader.Step<Element>? {
      do { return try reader.next(read) } catch {
        if skipsMalformedLines, !reader.hasFailed { return nil }
        throw error
      }
    }
  }
}
