/// A pull parser that reads a document value by value, from a window that moves along.
///
/// The caller requests values in their order in the document. Values that are not requested are not created.
///
/// ```swift
/// var reader = JSONReader { buffer in try file.read(into: buffer) }
/// try reader.beginObject()
/// while let key = try reader.nextKey() {
///   if key == "magnitude" { magnitude = try reader.readDouble() } else { try reader.skipValue() }
/// }
/// try reader.finishDocument()
/// ```
///
/// The reader accepts RFC 8259 in UTF-8 to the letter, also in skipped values. A byte order mark at the beginning is skipped.
/// Where an object has a key twice, ``nextKey()`` returns it twice; types that read themselves use the first, as `JSONDecoder`
/// does.
///
/// Bytes come from one of three sources: a buffer with the whole document (`read(_:limits:_:)`), a function that returns more
/// bytes (``init(limits:windowBytes:source:)``), or `feed(_:)`. A fed reader that has no more bytes throws
/// ``JSONError/Code/needsInput``, and the call can be repeated: at most space, a comma, or a key whose colon has not arrived has
/// been skipped. That holds for calls that read one token, and for ``skipValue()``.
///
/// The reader keeps the bytes of the current token, and received bytes after it: no more than its window, unless a string is
/// longer.
public struct JSONReader: ~Copyable {
  @usableFromInline var position: UnsafePointer<UInt8>
  @usableFromInline var end: UnsafePointer<UInt8>
  /// The innermost open object or array.
  @usableFromInline var frame: UnsafeMutablePointer<Frame>
  var lastFrame: UnsafeMutablePointer<Frame>
  /// Whether no bytes follow `end`.
  @usableFromInline var isFinished: Bool
  var isSkipping = false
  /// Whether a key has been skipped whose colon has not arrived.
  var awaitsColon = false
  /// Whether the window has the record of a string that was scanned in part.
  var hasPartialString = false
  /// Whether the window has the record of a number that was scanned in part.
  var hasPartialNumber = false
  /// Between the values of JSON lines: whether a line has ended since the last value.
  var hasPassedLineEnd = false
  /// The lines that end before ``position``.
  var lines = LineCounter()
  var maximumStringBytes: Int
  var maximumNumberBytes: Int
  let window: Window

  private init(_ window: Window, isFinished: Bool) {
    self.window = window
    position = UnsafePointer(window.base)
    end = window.end
    frame = window.frames
    lastFrame = window.lastFrame
    self.isFinished = isFinished
    maximumStringBytes = window.limits.maximumStringBytes
    maximumNumberBytes = window.limits.maximumNumberBytes
  }

  /// Creates a reader that is fed.
  ///
  /// ```swift
  /// var reader = JSONReader()
  /// try reader.feed(chunk)
  /// ```
  ///
  /// - Parameters:
  ///   - limits: The limits of the document.
  ///   - windowBytes: The initial size of the window. The window grows for a token that is longer.
  public init(limits: JSONLimits = JSONLimits(), windowBytes: Int = JSONReader.defaultWindowBytes) {
    self.init(Window(source: .fed, chunkSize: windowBytes, limits: limits), isFinished: false)
  }

  /// Creates a reader that fetches bytes from a function.
  ///
  /// - Parameters:
  ///   - limits: The limits of the document.
  ///   - windowBytes: The initial size of the window. The window grows for a token that is longer.
  ///   - source: A function that writes one byte or more into the buffer and returns their number, or 0 at the end. The reader's
  ///     calls rethrow its errors.
  public init(
    limits: JSONLimits = JSONLimits(), windowBytes: Int = JSONReader.defaultWindowBytes,
    source: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
  ) {
    self.init(Window(source: .pulled(source), chunkSize: windowBytes, limits: limits), isFinished: false)
  }

  init(borrowing bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
    self.init(Window(bytes: bytes, limits: limits), isFinished: true)
    position += window.byteOrderMark(isFinished: true) ?? 0
  }

  /// The default size of the window: 64 KiB.
  public static var defaultWindowBytes: Int { Window.defaultChunkSize }

  /// Reads a whole document in memory. Only space may follow its value.
  ///
  /// ```swift
  /// let magnitudes = try JSONReader.read(bytes) { reader in try reader.readArray { try $0.readDouble() } }
  /// ```
  ///
  /// - Parameters:
  ///   - bytes: The document.
  ///   - limits: The limits of the document.
  ///   - body: A function that reads the document's value.
  /// - Throws: ``JSONError``, and errors of `body`.
  public static func read<Result>(
    _ bytes: UnsafeRawBufferPointer, limits: JSONLimits = .wholeDocument,
    _ body: (inout JSONReader) throws -> Result
  ) throws -> Result {
    if bytes.count > limits.maximumBytes { throw JSONError(code: .documentTooLarge) }
    // Binds the memory during the call; bytes can always be bound to UInt8.
    var reader = JSONReader(borrowing: bytes.bindMemory(to: UInt8.self), limits: limits)
    let result = try body(&reader)
    try reader.finishDocument()
    return result
  }

  /// Reads a whole document in an array of bytes. Only space may follow its value.
  ///
  /// - Throws: ``JSONError``, and errors of `body`.
  public static func read<Result>(
    _ bytes: [UInt8], limits: JSONLimits = .wholeDocument, _ body: (inout JSONReader) throws -> Result
  ) throws -> Result {
    try bytes.withUnsafeBytes { try read($0, limits: limits, body) }
  }

  /// The number of open objects and arrays.
  public var depth: Int { frame - window.frames }

  /// The number of bytes that have been read.
  public var offset: Int { window.offset + (position - UnsafePointer(window.base)) }

  /// The number of bytes in the window that have not been read.
  public var unreadBytes: Int { end - position }
}

// MARK: - Feeding

extension JSONReader {
  /// Feeds the next bytes. The reader copies them.
  ///
  /// - Throws: ``JSONError``, with ``JSONError/Code/documentTooLarge`` if the document exceeds ``JSONLimits/maximumBytes``, or
  ///   ``JSONError/Code/misuse`` for a reader that is not fed, or has been finished.
  public mutating func feed(_ bytes: UnsafeRawBufferPointer) throws {
    guard case .fed = window.source, !isFinished else {
      throw error(.misuse, at: position, "Only a reader that is fed, and not finished, can be fed.")
    }
    guard !bytes.isEmpty else { return }
    try checkSize(adding: bytes.count)
    reserveCapacity(for: bytes.count)
    window.append(bytes)
    end = window.end
    window.isExhausted = false
    skipByteOrderMark()
  }

  /// Feeds the next bytes. The reader copies them.
  ///
  /// - Throws: ``JSONError``, with ``JSONError/Code/documentTooLarge`` if the document exceeds ``JSONLimits/maximumBytes``, or
  ///   ``JSONError/Code/misuse`` for a reader that is not fed, or has been finished.
  public mutating func feed(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try feed($0) }
  }

  /// Marks the end of the document.
  public mutating func finish() {
    isFinished = true
    window.isExhausted = false
    skipByteOrderMark()
  }

  /// Skips a byte order mark at the beginning. A possible part of a mark is not readable until more bytes have arrived.
  private mutating func skipByteOrderMark() {
    guard window.offset == 0, position == UnsafePointer(window.base) else { return }
    let mark = window.byteOrderMark(isFinished: isFinished)
    end = mark == nil ? position : window.end
    position += mark ?? 0
  }

  private func checkSize(adding count: Int) throws {
    let (total, overflow) = (window.offset + window.count).addingReportingOverflow(count)
    if overflow || total > window.limits.maximumBytes { throw error(.documentTooLarge, at: end) }
  }

  /// Drops bytes that have been read. Keys that errors may name are kept.
  private mutating func reserveCapacity(for count: Int) {
    let used = position - UnsafePointer(window.base)
    if window.hasCapacity(for: count, used: used) { return }
    copyKeys()
    let dropped = window.reserveCapacity(for: count, used: used)
    position = UnsafePointer(window.base) + (used - dropped)
    end = window.end
  }

  private mutating func copyKeys() {
    for level in 0..<(depth + 1) {
      let frame = window.frames + level
      guard let key = frame.pointee.key else { continue }
      window.copyKey(JSONReader.unescaped(key, frame.pointee.latestLengthOrIndex), at: level)
      frame.pointee.key = nil
    }
  }

  /// Fetches bytes after `end`. `start` is the first byte that is still needed. Bytes may move: ``position`` is then that of
  /// `start`.
  ///
  /// - Returns: Whether more bytes have arrived; if not, the document ends here.
  @inline(never)
  mutating func fetchMore(from start: UnsafePointer<UInt8>) throws -> Bool {
    position = start
    if isFinished { return false }
    guard case .pulled(let source) = window.source else {
      window.isExhausted = true
      // The error has the reader's position. Unread bytes are not scanned, nor is the path built, since this error occurs
      // with each part that arrives.
      throw JSONError(
        code: .needsInput, offset: offset, line: lines.count + 1, column: max(offset - lines.start, 0) + 1)
    }
    // Requests as many bytes as are waiting, so that a token longer than the window is not scanned too often.
    let waiting = end - start
    let wanted = max(waiting, window.chunkSize / 2)
    reserveCapacity(for: wanted)
    var came = 0
    while came < wanted {
      let count = try window.pull(source)
      if count == 0 {
        isFinished = true
        break
      }
      came += count
      // A short read has all bytes that are available now: waiting bytes are processed at once if possible.
      if came >= position.distance(to: end) { break }
    }
    end = window.end
    if window.offset + window.count > window.limits.maximumBytes { throw error(.documentTooLarge, at: end) }
    skipByteOrderMark()
    // The bytes may be only a byte order mark, or part of one.
    if position == end, !isFinished { return try fetchMore(from: position) }
    return end - position > waiting
  }

  /// Fetches bytes that the document requires.
  @inline(never)
  mutating func requireMore(from start: UnsafePointer<UInt8>) throws {
    guard try fetchMore(from: start) else { throw error(.unexpectedEnd, at: end) }
  }
}

// MARK: - Marks

extension JSONReader {
  /// A position to which the reader can return. The bytes from there on stay until the window's pin is removed.
  struct Mark {
    let depth: Int
    let number: Int
    let offset: Int
    let lines: LineCounter
  }

  /// Marks the current position, and keeps the bytes from here on for a second reading.
  mutating func mark() -> Mark {
    window.pin = position - UnsafePointer(window.base)
    return Mark(depth: depth, number: frame.pointee.lengthOrIndex, offset: offset, lines: lines)
  }

  /// Returns to a mark. Objects and arrays that were open at the mark must not have been closed since.
  mutating func rewind(to mark: Mark) {
    frame = window.frames + mark.depth
    frame.pointee.lengthOrIndex = mark.number
    position = UnsafePointer(window.base) + (mark.offset - window.offset)
    window.isExhausted = isFinished ? false : window.isExhausted
    isSkipping = false
    window.suspendedSkip = nil
    awaitsColon = false
    lines = mark.lines
  }
}
