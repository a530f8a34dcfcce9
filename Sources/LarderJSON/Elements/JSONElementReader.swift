/// A reader of the elements of a stream, as soon as each has arrived. The stream is fed in chunks that may end anywhere.
///
/// ```swift
/// let reader = JSONElementReader(at: "features[*]")
/// try reader.feed(chunk)
/// while case .element(let quake) = try reader.next({ try Quake(reading: &$0) }) { save(quake) }
/// ```
///
/// The reader keeps the received part of one element, and the chunk. The document around the elements is skipped and validated; of
/// a repeated key of the path the first counts.
///
/// An element is read as soon as its beginning has arrived. If the rest has not, the reader searches for the element's end, looking
/// at each byte once, and then reads the element again.
///
/// If an element is valid JSON but does not match its type, the error is thrown once, and the next call continues after that
/// element. After an error of the text itself every call throws that error again, unless a ``JSONMalformedLinePolicy`` skips
/// malformed lines.
public final class JSONElementReader {
  /// The result of a call to ``next(_:)``.
  public enum Step<Element> {
    case element(Element)
    /// All bytes that were fed have been read: feed more, or finish.
    case needsInput
    /// The stream has ended and is complete.
    case end
  }

  private enum State {
    /// A value is expected that contains the remaining keys of the path.
    case expectingContainer(level: Int)
    /// The reader is in an object and searches for the key of a level.
    case searchingKey(level: Int)
    /// A value outside of the path is to be skipped; then the search continues.
    case skippingValue(level: Int)
    case betweenElements
    /// An element is expected.
    case atElement
    /// An element has arrived in part: its end is being searched.
    case awaitingElementEnd(JSONReader.Mark)
    /// An element did not match its type and is to be skipped.
    case skippingElement
    /// A whole line is expected. The number of bytes that have been searched for a line end is stored.
    case awaitingLineEnd(scanned: Int)
    /// A line is being skipped.
    case skippingLine
    /// The objects around the elements are being read to their ends.
    case closingContainers
    case skippingTrailingValue
    case expectingEnd
    case ended
    case failed(any Error)
  }

  private let path: JSONElementPath
  /// The keys of the path, in UTF-8.
  private let keys: [[UInt8]]
  private let limits: JSONLimits
  private let malformedLines: JSONMalformedLinePolicy
  // With exclusivity checks, since the code that reads an element may have access to this object, too.
  @usableFromInline var reader: JSONReader
  // Without exclusivity checks: no user code runs during these accesses, and there are many for each element.
  /// The beginning of the element that is being read.
  @exclusivity(unchecked) private var mark = JSONReader.Mark(depth: 0, number: 0, offset: 0, lines: LineCounter())
  @exclusivity(unchecked) private var state: State
  /// For lines: whether a line has ended since the last value.
  private var isFirst = true
  /// For lines that may be skipped: whether the reader's input is one line, and the number of malformed lines.
  private var isInLine = false
  private var malformedCount = 0
  /// Whether the stream has been fed completely.
  private var isFinished = false

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - path: The place of the elements.
  ///   - limits: The limits of the stream.
  ///   - windowBytes: The initial size of the window. The window grows for an element that is longer.
  ///   - malformedLines: The policy for malformed lines, which applies to ``JSONElementPath/lines`` only.
  public init(
    at path: JSONElementPath, limits: JSONLimits = JSONLimits(), windowBytes: Int = JSONReader.defaultWindowBytes,
    malformedLines: JSONMalformedLinePolicy = .fail
  ) {
    self.path = path
    self.limits = limits
    self.malformedLines = malformedLines
    reader = JSONReader(limits: limits, windowBytes: windowBytes)
    switch path.form {
    case .lines:
      keys = []
      state = .betweenElements
    case .array(let keys):
      self.keys = keys.map { Array($0.utf8) }
      state = .expectingContainer(level: 0)
    }
  }

  /// The number of bytes that were fed and have not been read.
  public var unreadBytes: Int { reader.unreadBytes }

  /// The number of bytes that have been read.
  package var offset: Int { reader.offset }

  /// Whether the stream cannot be read any further.
  package var hasFailed: Bool {
    if case .failed = state { true } else { false }
  }

  /// Feeds the next bytes of the stream.
  ///
  /// - Throws: ``JSONError`` with ``JSONError/Code/documentTooLarge`` if the stream exceeds ``JSONLimits/maximumBytes``.
  public func feed(_ bytes: UnsafeRawBufferPointer) throws {
    do { try reader.feed(bytes) } catch {
      state = .failed(error)
      throw error
    }
  }

  /// Feeds the next bytes of the stream.
  ///
  /// - Throws: ``JSONError`` with ``JSONError/Code/documentTooLarge`` if the stream exceeds ``JSONLimits/maximumBytes``.
  public func feed(_ bytes: some Sequence<UInt8>) throws {
    let fed: Void? = try bytes.withContiguousStorageIfAvailable { try feed(UnsafeRawBufferPointer($0)) }
    if fed == nil { try Array(bytes).withUnsafeBytes { try feed($0) } }
  }

  /// Marks the end of the stream.
  public func finish() {
    isFinished = true
    reader.finish()
  }

  /// The line in which the latest element begins, counted from 1.
  package var line: Int { mark.lines.count + 1 }

  /// Reads the next element.
  ///
  /// - Parameter read: A function that reads exactly one value. It is called again for an element that had not arrived completely.
  /// - Throws: ``JSONError`` if the text is malformed or exceeds a limit, and errors of `read`.
  /// - Returns: The element, or ``Step/needsInput`` or ``Step/end``.
  @inlinable
  public func next<Element>(_ read: (inout JSONReader) throws -> Element) throws -> Step<Element> {
    while true {
      switch try advanceToElement() {
      case .needsInput: return .needsInput
      case .end: return .end
      case .isAtElement:
        do {
          let element = try read(&reader)
          if try accept() { return .element(element) }
        } catch {
          try reject(error)
        }
      }
    }
  }

  @usableFromInline
  enum Preparation {
    case isAtElement
    case needsInput
    case end
  }

  /// Moves to the beginning of the next element.
  @usableFromInline
  func advanceToElement() throws -> Preparation {
    if case .failed(let error) = state { throw error }
    do {
      while true {
        if case .atElement = state {
          mark = reader.mark()
          return .isAtElement
        }
        if try !advance() { return .end }
      }
    } catch let error as JSONError where error.code == .needsInput {
      return .needsInput
    } catch {
      if case .skippingLine = state { throw error }
      state = .failed(error)
      throw error
    }
  }

  /// Accepts an element that has been read, and returns whether it had arrived completely.
  @usableFromInline
  func accept() throws -> Bool {
    if _slowPath(reader.window.isExhausted) {
      // A type may have handled the missing input as an error of its own, and returned a value nevertheless.
      reader.rewind(to: mark)
      state = .awaitingElementEnd(mark)
      return false
    }
    guard reader.depth == mark.depth, reader.offset > mark.offset else {
      throw fail(reader.misuse("A type that reads itself must read exactly one value."))
    }
    if _slowPath(isInLine) {
      guard reader.skipTrailingSpace() else {
        throw reader.error(.trailingContent, at: reader.position, JSONElementReader.oneValuePerLine)
      }
      exitLine()
    } else if _slowPath(reader.offset - mark.offset > limits.maximumElementBytes) {
      throw fail(tooLarge())
    }
    reader.window.pin = nil
    state = .betweenElements
    return true
  }

  /// Rejects an element that could not be read: it has not arrived completely, or does not match its type.
  @usableFromInline
  func reject(_ error: any Error) throws {
    if case .failed = state { throw error }
    if isInLine { throw skipMalformedLine(error) }
    let ranDry = reader.window.isExhausted
    reader.rewind(to: mark)
    if ranDry {
      state = .awaitingElementEnd(mark)
      return
    }
    state = .skippingElement
    throw (error as? JSONError)?.code.isDocumentError == true ? fail(error) : error
  }

  private func fail(_ error: any Error) -> any Error {
    state = .failed(error)
    return error
  }

  private func tooLarge() -> JSONError { reader.error(.elementTooLarge, at: reader.position) }

  /// Finds the end of an element that has arrived in part. The searched part stays in the window.
  private func findEnd(of mark: JSONReader.Mark) throws {
    do { try reader.skipValue() } catch {
      if reader.window.isExhausted, reader.offset + reader.unreadBytes - mark.offset > limits.maximumElementBytes {
        throw tooLarge()
      }
      throw error
    }
    if reader.offset - mark.offset > limits.maximumElementBytes { throw tooLarge() }
    reader.rewind(to: mark)
    state = .atElement
  }
}

// MARK: - Surroundings of the elements

extension JSONElementReader {
  /// Takes one step towards the next element. Returns `false` at the end.
  private func advance() throws -> Bool {
    switch state {
    case .expectingContainer(let level):
      if level == keys.count {
        guard try reader.peek() == .array else { throw noElementsError() }
        try reader.beginArray()
        state = .betweenElements
      } else {
        guard try reader.peek() == .object else { throw noElementsError() }
        try reader.beginObject()
        state = .searchingKey(level: level)
      }
    case .searchingKey(let level):
      guard let key = try reader.nextKey() else { throw noElementsError() }
      state = key.hasBytes(keys[level]) ? .expectingContainer(level: level + 1) : .skippingValue(level: level)
    case .skippingValue(let level):
      try reader.skipValue()
      state = .searchingKey(level: level)
    case .betweenElements: return try advanceBetweenElements()
    case .awaitingElementEnd(let mark): try findEnd(of: mark)
    case .awaitingLineEnd(let looked): try findLineEnd(looked)
    case .skippingLine: try skipLine()
    case .skippingElement:
      try reader.skipValue()
      reader.window.pin = nil
      state = .betweenElements
    case .closingContainers:
      if reader.depth == 0 {
        state = .expectingEnd
      } else if try reader.nextKey() != nil {
        state = .skippingTrailingValue
      }
    case .skippingTrailingValue:
      try reader.skipValue()
      state = .closingContainers
    case .expectingEnd:
      try reader.finishDocument()
      state = .ended
    case .ended: return false
    case .atElement, .failed: break
    }
    return true
  }

  /// Returns whether another element follows; otherwise moves towards the end.
  private func advanceBetweenElements() throws -> Bool {
    if case .lines = path.form {
      guard try reader.skipToNextLine(isFirst: isFirst) else {
        state = .ended
        return true
      }
      isFirst = false
      if malformedLines.limit == nil {
        state = .atElement
      } else {
        mark = reader.mark()
        state = .awaitingLineEnd(scanned: 0)
      }
    } else {
      state = try reader.nextElement() ? .atElement : .closingContainers
    }
    return true
  }

  private func noElementsError() -> JSONError {
    reader.error(
      .noElements, at: reader.position, "The path \(path) leads to no array here; compare it with the document.")
  }
}

// MARK: - Lines that may be skipped

extension JSONElementReader {
  fileprivate static let oneValuePerLine = "Each value of JSON lines must stand on a line of its own."

  /// Finds the end of the current line, and ends the reader's input there.
  private func findLineEnd(_ looked: Int) throws {
    let length = reader.lineLength(from: looked)
    if (length ?? reader.unreadBytes) > limits.maximumElementBytes { throw skipMalformedLine(tooLarge()) }
    if length == nil, !isFinished {
      state = .awaitingLineEnd(scanned: reader.unreadBytes)
      _ = try reader.fetchMore(from: reader.position)
    }
    reader.beginLine(length ?? reader.unreadBytes)
    isInLine = true
    state = .atElement
  }

  private func exitLine() {
    reader.endLine(isFinished: isFinished)
    isInLine = false
  }

  /// Skips a malformed line, and returns its error, with a note if the limit of skipped lines is exceeded.
  private func skipMalformedLine(_ error: any Error) -> any Error {
    if isInLine { exitLine() }
    reader.rewind(to: mark)
    if let error = error as? JSONError, error.code.isDocumentError, let limit = malformedLines.limit {
      if malformedCount == limit { return fail(error.exceedingLineLimit(limit)) }
      malformedCount += 1
    }
    malformedLines.onSkip?(JSONLineError(line: line, error: error))
    state = .skippingLine
    return error
  }

  /// Moves to the end of a line. The skipped bytes are not kept.
  private func skipLine() throws {
    reader.window.pin = nil
    while true {
      if let length = reader.lineLength(from: 0) {
        reader.position += length
        break
      }
      reader.position += reader.unreadBytes
      if try !reader.fetchMore(from: reader.position) { break }
    }
    state = .betweenElements
  }
}

extension JSONReader {
  /// Skips the space between values on lines. Returns `false` at the end of the stream.
  mutating func skipToNextLine(isFirst: Bool) throws -> Bool {
    // Skipped bytes may leave the window, so a flag records whether a line ended among them.
    while true {
      while position < end, ASCIIByte.isSpace(position.pointee) {
        if position.pointee == ASCIIByte.newline {
          hasPassedLineEnd = true
          lines.recordLineEnd(at: offset)
        }
        position += 1
      }
      if position < end {
        guard isFirst || hasPassedLineEnd else {
          throw numberError(at: position)
            ?? error(.trailingContent, at: position, JSONElementReader.oneValuePerLine)
        }
        hasPassedLineEnd = false
        return true
      }
      if try !fetchMore(from: position) { return false }
    }
  }
}

extension JSONError.Code {
  /// Whether the text itself is malformed or exceeds a limit, so that the rest of the document is unreliable.
  var isDocumentError: Bool {
    switch self {
    case .unexpectedEnd, .unexpectedCharacter, .trailingContent, .invalidLiteral, .invalidNumber, .invalidEscape,
      .loneSurrogate, .controlCharacter, .invalidUTF8, .tooDeep, .documentTooLarge, .elementTooLarge, .stringTooLong,
      .numberTooLong:
      true
    case .typeMismatch, .valueNotFound, .keyNotFound, .numberNotRepresentable, .invalidValue, .noElements, .needsInput,
      .misuse:
      false
    }
  }
}
