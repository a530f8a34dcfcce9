/// Reads a document value by value, from a window of it that moves along.
///
/// Whoever knows what is coming asks for it, in the order in which it comes; nothing is made that is not asked for.
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
/// What it takes is RFC 8259 in UTF-8 to the letter, in what is skipped too; a byte order mark at the beginning is passed.
/// Where an object has a key twice, ``nextKey()`` yields it twice; types that read themselves take the first, as
/// `JSONDecoder` does.
///
/// Bytes come from one of three places: a buffer that holds the whole document (`read(_:limits:_:)`), a function that is
/// asked for more (``init(limits:windowBytes:source:)``), or `feed(_:)`, by which they are given to it. A fed reader that
/// has no more throws ``JSONError/Code/needsInput``, and the call can be made again: no more has been passed than space, a
/// comma, or a key whose colon is still to come. That holds for the calls that read one token, and for ``skipValue()``.
///
/// The reader keeps the bytes of the token that it reads, and what has come after it: no more than its window, unless a
/// string is longer than that.
public struct JSONReader: ~Copyable {
  @usableFromInline var position: UnsafePointer<UInt8>
  @usableFromInline var end: UnsafePointer<UInt8>
  /// The innermost object or array that is open.
  @usableFromInline var frame: UnsafeMutablePointer<Frame>
  var lastFrame: UnsafeMutablePointer<Frame>
  /// Whether nothing comes after `end`.
  @usableFromInline var isFinished: Bool
  var isSkipping = false
  /// A key has been passed, and the colon behind it has not come.
  var awaitsColon = false
  /// The window knows of a string that has been looked through in part.
  var hasPartialString = false
  /// The same of a number.
  var hasPartialNumber = false
  /// Between the values of JSON lines: whether a line has ended since the last.
  var hasPassedLineEnd = false
  /// Those that end before ``position``.
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

  /// A reader of what it is fed.
  ///
  /// ```swift
  /// var reader = JSONReader()
  /// reader.feed(chunk)
  /// ```
  public init(limits: JSONLimits = JSONLimits(), windowBytes: Int = JSONReader.defaultWindowBytes) {
    self.init(Window(source: .fed, chunkSize: windowBytes, limits: limits), isFinished: false)
  }

  /// A reader that asks for more when it needs it.
  ///
  /// - Parameters:
  ///   - limits: How much a document may ask for.
  ///   - windowBytes: What the window begins with; it grows with a token that is longer.
  ///   - source: Writes one byte or more into the buffer and returns how many, or 0 when there are no more. What it throws, the
  ///     reader's calls throw.
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

  /// 64 KiB.
  public static var defaultWindowBytes: Int { Window.defaultChunkSize }

  /// Reads one whole document that is in memory; nothing but space may follow its value.
  ///
  /// ```swift
  /// let magnitudes = try JSONReader.read(bytes) { reader in try reader.readArray { try $0.readDouble() } }
  /// ```
  ///
  /// - Throws: ``JSONError``, and what `body` throws.
  public static func read<Result>(
    _ bytes: UnsafeRawBufferPointer, limits: JSONLimits = .wholeDocument,
    _ body: (inout JSONReader) throws -> Result
  ) throws -> Result {
    if bytes.count > limits.maximumBytes { throw JSONError(code: .documentTooLarge) }
    // Bound for the time of the call; bytes are always bound to UInt8 without harm.
    var reader = JSONReader(borrowing: bytes.bindMemory(to: UInt8.self), limits: limits)
    let result = try body(&reader)
    try reader.finishDocument()
    return result
  }

  /// The same, of bytes in an array.
  public static func read<Result>(
    _ bytes: [UInt8], limits: JSONLimits = .wholeDocument, _ body: (inout JSONReader) throws -> Result
  ) throws -> Result {
    try bytes.withUnsafeBytes { try read($0, limits: limits, body) }
  }

  /// How many objects and arrays are open.
  public var depth: Int { frame - window.frames }

  /// How many bytes have been read.
  public var offset: Int { window.offset + (position - UnsafePointer(window.base)) }

  /// How many bytes the reader holds that are not yet read.
  public var unreadBytes: Int { end - position }
}

// MARK: - Feeding

extension JSONReader {
  /// Gives a reader that is fed its next bytes. They are copied.
  ///
  /// - Throws: ``JSONError`` with ``JSONError/Code/documentTooLarge``, or ``JSONError/Code/misuse`` for a reader that is not fed,
  ///   or has been finished.
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

  /// The same, of bytes in an array.
  public mutating func feed(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try feed($0) }
  }

  /// Says that nothing more comes.
  public mutating func finish() {
    isFinished = true
    window.isExhausted = false
    skipByteOrderMark()
  }

  /// Passes a mark at the beginning. What may be half of one is not there to be read until more has come.
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

  /// Drops what has been read. Keys that errors may have to name are kept.
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

  /// Gets bytes after `end`, where `start` is the first that is still needed. Positions move: ``position`` is then that of
  /// `start`.
  ///
  /// - Returns: Whether there are more; if not, the document ends here.
  @inline(never)
  mutating func fetchMore(from start: UnsafePointer<UInt8>) throws -> Bool {
    position = start
    if isFinished { return false }
    guard case .pulled(let source) = window.source else {
      window.isExhausted = true
      // Its place is where the reader stands. What has come behind that is not looked through, nor the path made, with each
      // part that comes.
      throw JSONError(
        code: .needsInput, offset: offset, line: lines.count + 1, column: max(offset - lines.start, 0) + 1)
    }
    // As many again as are waiting, so that a token which is longer than the window is not looked at too often.
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
      // A short read is what there is for now: what is waiting should not wait longer, unless it has to.
      if came >= position.distance(to: end) { break }
    }
    end = window.end
    if window.offset + window.count > window.limits.maximumBytes { throw error(.documentTooLarge, at: end) }
    skipByteOrderMark()
    // A byte order mark, or half of one, may be all that came.
    if position == end, !isFinished { return try fetchMore(from: position) }
    return end - position > waiting
  }

  /// Gets bytes that must be there.
  @inline(never)
  mutating func requireMore(from start: UnsafePointer<UInt8>) throws {
    guard try fetchMore(from: start) else { throw error(.unexpectedEnd, at: end) }
  }
}

// MARK: - Again

extension JSONReader {
  /// A place to go back to. The bytes from it on stay until the window's pin is taken away.
  struct Mark {
    let depth: Int
    let number: Int
    let offset: Int
    let lines: LineCounter
  }

  /// Keeps the bytes from here on, so that they can be read again.
  mutating func mark() -> Mark {
    window.pin = position - UnsafePointer(window.base)
    return Mark(depth: depth, number: frame.pointee.lengthOrIndex, offset: offset, lines: lines)
  }

  /// Goes back to a mark. Nothing between may have closed what was open there.
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
