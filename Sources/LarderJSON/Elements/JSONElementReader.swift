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
/// After an error of the text itself every call throws it again, unless ``JSONMalformedLines`` says otherwise of lines.
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
    case before(level: Int)
    /// In an object, looking for the key of a level.
    case searching(level: Int)
    /// A value that is not on the way is to be passed, then the search goes on.
    case passing(level: Int)
    case between
    /// An element is to come.
    case atElement
    /// An element has come in part: its end is looked for.
    case awaiting(JSONReader.Mark)
    /// An element was not what was asked for: it is to be passed.
    case passingElement
    /// A line is to come as a whole, of which so many bytes have no end of a line.
    case awaitingLine(looked: Int)
    /// A line is left out.
    case passingLine
    /// The objects around the elements end, or go on.
    case leaving
    case passingRest
    case trailing
    case ended
    case failed(any Error)
  }

  private let path: JSONElementPath
  /// Those of the path, in bytes.
  private let keys: [[UInt8]]
  private let limits: JSONLimits
  private let malformedLines: JSONMalformedLines
  // Checked for overlapping access, as what reads an element may have come by this object, too.
  @usableFromInline var reader: JSONReader
  // What follows is not: nothing of a user's runs during an access, and they are many for each element.
  /// Where the element begins that is being read.
  @exclusivity(unchecked) private var mark = JSONReader.Mark(depth: 0, number: 0, offset: 0, lines: Lines())
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
    malformedLines: JSONMalformedLines = .fail
  ) {
    self.path = path
    self.limits = limits
    self.malformedLines = malformedLines
    reader = JSONReader(limits: limits, windowBytes: windowBytes)
    switch path.form {
    case .lines:
      keys = []
      state = .between
    case .array(let keys):
      self.keys = keys.map { Array($0.utf8) }
      state = .before(level: 0)
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
      switch try prepare() {
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
  func prepare() throws -> Preparation {
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
      if case .passingLine = state { throw error }
      state = .failed(error)
      throw error
    }
  }

  /// Whether an element that has been read was there as a whole.
  @usableFromInline
  func accept() throws -> Bool {
    if _slowPath(reader.window.ranDry) {
      // A type may have taken the lack of input for something else, and made the best of it.
      reader.rewind(to: mark)
      state = .awaiting(mark)
      return false
    }
    guard reader.depth == mark.depth, reader.offset > mark.offset else {
      throw fail(reader.misused("A type that reads itself must read exactly one value."))
    }
    if _slowPath(isInLine) {
      guard reader.passSpace() else {
        throw reader.error(.trailingContent, at: reader.position, JSONElementReader.oneToALine)
      }
      leaveLine()
    } else if _slowPath(reader.offset - mark.offset > limits.maximumElementBytes) {
      throw fail(tooLarge())
    }
    reader.window.pin = nil
    state = .between
    return true
  }

  /// An element could not be read: it has not come as a whole, or it is not what was asked for.
  @usableFromInline
  func reject(_ error: any Error) throws {
    if case .failed = state { throw error }
    if isInLine { throw leaveOut(error) }
    let ranDry = reader.window.ranDry
    reader.rewind(to: mark)
    if ranDry {
      state = .awaiting(mark)
      return
    }
    state = .passingElement
    throw (error as? JSONError)?.code.isOfText == true ? fail(error) : error
  }

  private func fail(_ error: any Error) -> any Error {
    state = .failed(error)
    return error
  }

  private func tooLarge() -> JSONError { reader.error(.elementTooLarge, at: reader.position) }

  /// Finds the end of an element that has come in part. What has been looked at stays.
  private func awaitEnd(of mark: JSONReader.Mark) throws {
    do { try reader.skipValue() } catch {
      if reader.window.ranDry, reader.offset + reader.unreadBytes - mark.offset > limits.maximumElementBytes {
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
    case .before(let level):
      if level == keys.count {
        guard try reader.peek() == .array else { throw nothing() }
        try reader.beginArray()
        state = .between
      } else {
        guard try reader.peek() == .object else { throw nothing() }
        try reader.beginObject()
        state = .searching(level: level)
      }
    case .searching(let level):
      guard let key = try reader.nextKey() else { throw nothing() }
      state = key.hasBytes(keys[level]) ? .before(level: level + 1) : .passing(level: level)
    case .passing(let level):
      try reader.skipValue()
      state = .searching(level: level)
    case .between: return try step()
    case .awaiting(let mark): try awaitEnd(of: mark)
    case .awaitingLine(let looked): try awaitLine(looked)
    case .passingLine: try passLine()
    case .passingElement:
      try reader.skipValue()
      reader.window.pin = nil
      state = .between
    case .leaving:
      if reader.depth == 0 {
        state = .trailing
      } else if try reader.nextKey() != nil {
        state = .passingRest
      }
    case .passingRest:
      try reader.skipValue()
      state = .leaving
    case .trailing:
      try reader.finishDocument()
      state = .ended
    case .ended: return false
    case .atElement, .failed: break
    }
    return true
  }

  /// Whether there is another element, or the end has come.
  private func step() throws -> Bool {
    if case .lines = path.form {
      guard try reader.passLineEnd(isFirst: isFirst) else {
        state = .ended
        return true
      }
      isFirst = false
      if malformedLines.limit == nil {
        state = .atElement
      } else {
        mark = reader.mark()
        state = .awaitingLine(looked: 0)
      }
    } else {
      state = try reader.nextElement() ? .atElement : .leaving
    }
    return true
  }

  private func nothing() -> JSONError {
    reader.error(
      .noElements, at: reader.position, "The path \(path) leads to no array here; compare it with the document.")
  }
}

// MARK: - Lines that may be left out

extension JSONElementReader {
  fileprivate static let oneToALine = "Each value of JSON lines must stand on a line of its own."

  /// Finds the end of the line that has begun, and has the reader see nothing else.
  private func awaitLine(_ looked: Int) throws {
    let length = reader.lineLength(from: looked)
    if (length ?? reader.unreadBytes) > limits.maximumElementBytes { throw leaveOut(tooLarge()) }
    if length == nil, !isFinished {
      state = .awaitingLine(looked: reader.unreadBytes)
      _ = try reader.more(from: reader.position)
    }
    reader.beginLine(length ?? reader.unreadBytes)
    isInLine = true
    state = .atElement
  }

  private func leaveLine() {
    reader.endLine(isFinished: isFinished)
    isInLine = false
  }

  /// Leaves a line out, of which too many may have been left out already; returns the error that says so.
  private func leaveOut(_ error: any Error) -> any Error {
    if isInLine { leaveLine() }
    reader.rewind(to: mark)
    if let error = error as? JSONError, error.code.isOfText, let limit = malformedLines.limit {
      if malformedCount == limit { return fail(error.beyondLimit(limit)) }
      malformedCount += 1
    }
    malformedLines.note?(JSONLineProblem(line: line, error: error))
    state = .passingLine
    return error
  }

  /// Goes to the end of a line. What has come of it is not kept.
  private func passLine() throws {
    reader.window.pin = nil
    while true {
      if let length = reader.lineLength(from: 0) {
        reader.position += length
        break
      }
      reader.position += reader.unreadBytes
      if try !reader.more(from: reader.position) { break }
    }
    state = .between
  }
}

extension JSONReader {
  /// Passes the space between values on lines; false at the end of all.
  mutating func passLineEnd(isFirst: Bool) throws -> Bool {
    // What is passed may leave the window, and whether a line ended with it.
    while true {
      while position < end, Character8.isSpace(position.pointee) {
        if position.pointee == Character8.newline {
          hasPassedLine = true
          lines.end(at: offset)
        }
        position += 1
      }
      if position < end {
        guard isFirst || hasPassedLine else {
          throw problem(at: position)
            ?? error(.trailingContent, at: position, JSONElementReader.oneToALine)
        }
        hasPassedLine = false
        return true
      }
      if try !more(from: position) { return false }
    }
  }
}

extension JSONError.Code {
  /// Whether the text itself is wrong, or too much, so that nothing behind the place can be relied on.
  var isOfText: Bool {
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
