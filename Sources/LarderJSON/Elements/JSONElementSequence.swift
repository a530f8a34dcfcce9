/// The elements of a stream, one after another, while the rest of the stream is still arriving.
///
/// ```swift
/// for try await quake in JSONElementSequence(of: Quake.self, at: "features[*]", in: response.body) {
///   …
/// }
/// ```
///
/// Chunks are collections of bytes, such as `[UInt8]` or `Data`, and may end anywhere. The sequence keeps one chunk and the
/// received
/// part of one element. It requests the next chunk after all elements of the last one have been consumed, so a slow consumer slows
/// down the sender.
///
/// The sequence ends with the stream, or with the first error. To continue after a malformed line of JSON lines, pass a
/// ``JSONMalformedLinePolicy``. To continue after an element that does not match its type, use ``JSONElementReader``.
public struct JSONElementSequence<Chunks: AsyncSequence, Element>: AsyncSequence where Chunks.Element: Sequence<UInt8> {
  package let chunks: Chunks
  private let path: JSONElementPath
  private let limits: JSONLimits
  private let malformedLines: JSONMalformedLinePolicy
  package let makeReadFunction: () -> (inout JSONReader) throws -> Element

  /// - Parameter makeRead: Creates the function that reads the elements of one pass, which may keep state between elements.
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

  /// Creates a sequence of elements that read themselves.
  ///
  /// - Parameters:
  ///   - type: The type of the elements.
  ///   - path: The place of the elements in the stream.
  ///   - chunks: The bytes of the stream, in chunks of any length.
  ///   - limits: The limits of the stream.
  ///   - malformedLines: The policy for malformed lines of JSON lines.
  public init(
    of type: Element.Type, at path: JSONElementPath, in chunks: Chunks, limits: JSONLimits = JSONLimits(),
    malformedLines: JSONMalformedLinePolicy = .fail
  ) where Element: JSONReadable {
    self.init(chunks, at: path, limits: limits, malformedLines: malformedLines) {
      { reader in try type.init(reading: &reader) }
    }
  }

  /// Creates a sequence of elements that a function reads.
  ///
  /// - Parameters:
  ///   - path: The place of the elements in the stream.
  ///   - chunks: The bytes of the stream, in chunks of any length.
  ///   - limits: The limits of the stream.
  ///   - malformedLines: The policy for malformed lines of JSON lines.
  ///   - read: A function that reads exactly one value. It is called again for an element that had not arrived completely.
  public init(
    at path: JSONElementPath, in chunks: Chunks, limits: JSONLimits = JSONLimits(),
    malformedLines: JSONMalformedLinePolicy = .fail, read: @escaping (inout JSONReader) throws -> Element
  ) {
    self.init(chunks, at: path, limits: limits, malformedLines: malformedLines) { read }
  }

  /// Returns an element reader for one pass over the chunks.
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
    /// Whether a line that does not match its type is skipped instead of ending the sequence.
    fileprivate let skipsMalformedLines: Bool
    fileprivate var isDone = false

    /// Returns the next element, or `nil` at the end.
    ///
    /// - Throws: ``JSONError`` if the stream is malformed or exceeds a limit, errors of the element's type, and errors of the
    ///   chunks.
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

    /// Returns the next step, or `nil` for a line that is skipped.
    private func nextStep() throws -> JSONElementReader.Step<Element>? {
      do { return try reader.next(read) } catch {
        if skipsMalformedLines, !reader.hasFailed { return nil }
        throw error
      }
    }
  }
}
