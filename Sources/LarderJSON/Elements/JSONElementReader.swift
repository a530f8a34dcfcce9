/// Takes the elements out of a stream as soon as they have come, fed in chunks that may end anywhere.
///
/// ```swift
/// let reader = JSONElementReader(at: "features[*]")
/// try reader.feed(chunk)
/// while case .element(let quake) = try reader.next({ try Quake(reading: &$0) }) { save(quake) }
/// ```
///
/// It keeps what has come of one element, and the chunk. What stands around the elements is passed and checked; where a
/// key of the path comes twice, the first counts.
///
/// An element is read as soon as its beginning is there, in the hope that the rest is. Where it is not, its end is waited
/// for, byte by byte once, and then it is read again.
///
/// Where an element is JSON but not what was asked for, the error is thrown once, and the next call goes on behind it.
/// After an error of the text itself every call throws it again, unless ``JSONMalformedLinePolicy`` says otherwise of lines.
public final class JSONElementReader {
  /// What a call has come to.
  public enum Step<Element> {
    case element(Element)
    /// All that was fed is read: feed more, or finish.
    case needsInput
    /// The stream has ended as it should.
    case end
  }

  private enum State {
    /// A value is to come from which so many keys have still to be gone down.
    case expectingContainer(level: Int)
    /// In an object, looking for the key of a level.
    case searchingKey(level: Int)
    /// A value that is not on the way is to be passed, then the search goes on.
    case skippingValue(level: Int)
    case betweenElements
    /// An element is to come.
    case atElement
    /// An element has come in part: its end is looked for.
    case awaitingElementEnd(JSONReader.Mark)
    /// An element was not what was asked for: it is to be passed.
    case skippingElement
    /// A line is to come as a whole, of which so many bytes have no end of a line.
    case awaitingLineEnd(scanned: Int)
    /// A line is left out.
    case skippingLine
    /// The objects around the elements end, or go on.
    case closingContainers
    case skippingTrailingValue
    case expectingEnd
    case ended
    case failed(any Error)
  }

  private let path: JSONElementPath
  /// Those of the path, in bytes.
  private let keys: [[UInt8]]
  private let limits: JSONLimits
  private let malformedLines: JSONMalformedLinePolicy
  // Checked for overlapping access, as what reads an element may have come by this object, too.
  @usableFromInline var reader: JSONReader
  // What follows is not: nothing of a user's runs during an access, and they are many for each element.
  /// Where the element begins that is being read.
  @exclusivity(unchecked) private var mark = JSONReader.Mark(depth: 0, number: 0, offset: 0, lines: LineCounter())
  @exclusivity(unchecked) private var state: State
  /// Of lines: whether a line has ended since the last value.
  private var isFirst = true
  /// Of lines that may be left out: whether the reader sees one of them alone, and how many were no JSON.
  private var isInLine = false
  private var malformedCount = 0
  /// Whether nothing more is fed.
  private var isFinished = false

  /// - Parameters:
  ///   - path: Where the elements are.
  ///   - limits: How much a stream may ask for.
  ///   - windowBytes: What the window begins with; it grows with an element that is longer.
  ///   - malformedLines: What becomes of lines that are no JSON; of another path it says nothing.
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

  /// How many bytes are held that have come and are not yet read.
  public var unreadBytes: Int { reader.unreadBytes }

  /// How many bytes have been read.
  package var offset: Int { reader.offset }

  /// Whether the stream cannot be read any further.
  package var hasFailed: Bool {
    if case .failed = state { true } else { false }
  }

  /// Gives it the next bytes of the stream.
  ///
  /// - Throws: ``JSONError/Code/documentTooLarge``.
  public func feed(_ bytes: UnsafeRawBufferPointer) throws {
    do { try reader.feed(bytes) } catch {
      state = .failed(error)
      throw error
    }
  }

  /// Gives it the next bytes of the stream.
  ///
  /// - Throws: ``JSONError/Code/documentTooLarge``.
  public func feed(_ bytes: some Sequence<UInt8>) throws {
    let fed: Void? = try bytes.withContiguousStorageIfAvailable { try feed(UnsafeRawBufferPointer($0)) }
    if fed == nil { try Array(bytes).withUnsafeBytes { try feed($0) } }
  }

  /// Says that the stream has ended.
  public func finish() {
    isFinished = true
    reader.finish()
  }

  /// The line in which the latest element begins, counted from 1.
  package var line: Int { mark.lines.count + 1 }

  /// The next element.
  ///
  /// - Parameter read: Reads exactly one value. It is called a second time for an element that had not come as a whole.
  /// - Throws: ``JSONError``, and what `read` throws.
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

  /// Goes on to where an element begins.
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

  /// Whether an element that has been read was there as a whole.
  @usableFromInline
  func accept() throws -> Bool {
    if _slowPath(reader.window.isExhausted) {
      // A type may have taken the lack of input for something else, and made the best of it.
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

  /// An element could not be read: it has not come as a whole, or it is not what was asked for.
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

  /// Finds the end of an element that has come in part. What has been looked at stays.
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

// MARK: - Around them

extension JSONElementReader {
  /// A step on the way to the next element; false at the end.
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

  /// Whether there is another element, or the end has come.
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

// MARK: - Lines that may be left out

extension JSONElementReader {
  fileprivate static let oneValuePerLine = "Each value of JSON lines must stand on a line of its own."

  /// Finds the end of the line that has begun, and has the reader see nothing else.
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

  /// Leaves a line out, of which too many may have been left out already; returns the error that says so.
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

  /// Goes to the end of a line. What has come of it is not kept.
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
  /// Passes the space between values on lines; false at the end of all.
  mutating func skipToNextLine(isFirst: Bool) throws -> Bool {
    // What is passed may leave the window, and whether a line ended with it.
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
  /// Whether the text itself is wrong, or too much, so that nothing behind the place can be relied on.
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
