// Objects and arrays: the structure around values.

extension JSONReader {
  /// Moves the reader to the next byte that is no space, and returns that byte.
  @inline(__always)
  mutating func nextByte() throws -> UInt8 {
    if _fastPath(position < end) {
      let byte = position.pointee
      if _fastPath(byte > 0x20) { return byte }
    }
    return try nextByteAfterSpace()
  }

  @inline(never)
  private mutating func nextByteAfterSpace() throws -> UInt8 {
    while true {
      while position < end {
        let byte = position.pointee
        if !ASCIIByte.isSpace(byte) { return byte }
        if byte == ASCIIByte.newline { lines.recordLineEnd(at: offset) }
        position += 1
      }
      try requireMore(from: position)
    }
  }

  // MARK: Objects

  /// Opens the next object.
  ///
  /// - Throws: ``JSONError``, with ``JSONError/Code/typeMismatch`` if the next value is of another kind.
  public mutating func beginObject() throws {
    guard try nextByte() == ASCIIByte.openBrace else { throw mismatch("an object") }
    try open(isObject: true)
  }

  /// Returns the next key of the open object. At the object's end, closes it and returns `nil`.
  ///
  /// Read or skip the key's value before the next call.
  ///
  /// - Throws: ``JSONError``, with ``JSONError/Code/misuse`` if no object is open.
  public mutating func nextKey() throws -> JSONKey? {
    while true {
      var byte = try nextByte()
      // Also true where an earlier call skipped the comma and then ran out of bytes.
      let isFirst = frame.pointee.lengthOrIndex < 0
      if isFirst, _slowPath(awaitsColon) { return try consumeColon(afterPendingKey: byte) }
      var pointer = position
      if isFirst ? byte == ASCIIByte.quote : byte == ASCIIByte.comma {
        if !isFirst {
          pointer += 1
          if _slowPath(pointer == end || pointer.pointee != ASCIIByte.quote) {
            pointer = endOfSpace(pointer)
            if pointer == end {
              consumeComma(to: pointer)
              try requireMore(from: position)
              continue
            }
            byte = pointer.pointee
            if byte != ASCIIByte.quote { throw unexpected(at: pointer, "a key in quotes") }
          }
        }
        pointer += 1
        let start = pointer
        if _fastPath(end - start >= 8) {
          let word = Words.load(start)
          let mark = Words.special(word)
          if mark != 0 {
            let count = Words.countBefore(mark)
            pointer += count
            if _fastPath(pointer.pointee == ASCIIByte.quote) {
              if try consumeColon(after: pointer, key: start) {
                return JSONKey(start: start, count: count, word: Words.prefix(word, count))
              }
              continue
            }
          }
        }
        let scan = try findEnd(of: start, from: pointer)
        if scan.isIncomplete {
          if !isFirst { consumeComma(to: start - 1) }
          try requireEnd(of: start, scan)
          continue
        }
        if try !consumeColon(after: scan.end, key: start) { continue }
        if _slowPath(scan.hasEscapes) {
          let text = unescape(start, scan.end)
          return JSONKey(start: text.start, count: text.count)
        }
        return JSONKey(start: start, count: scan.end - start)
      }
      if byte == ASCIIByte.closeBrace {
        guard frame.pointee.isObject else { throw misuse("nextKey() is called where no object is open.") }
        if _slowPath(frame.pointee.lengthOrIndex < -1) { throw unexpected(at: position, "a key in quotes") }
        close()
        return nil
      }
      guard frame.pointee.isObject else { throw misuse("nextKey() is called where no object is open.") }
      if frame.pointee.lengthOrIndex < -1 { throw unexpected(at: position, "a key in quotes") }
      throw unexpected(at: position, isFirst ? "a key in quotes or the object's end" : "a comma or the object's end")
    }
  }

  /// Skips the colon after a key, and records the key.
  ///
  /// - Returns: Whether the colon has arrived; if not, the key is pending, and more bytes have been fetched.
  @inline(__always)
  private mutating func consumeColon(after quote: UnsafePointer<UInt8>, key: UnsafePointer<UInt8>) throws -> Bool {
    guard _fastPath(frame.pointee.isObject) else { throw misuse("nextKey() is called where no object is open.") }
    if _slowPath(quote - key > maximumStringBytes) { throw error(.stringTooLong, at: key) }
    var pointer = quote + 1
    if _slowPath(pointer == end || pointer.pointee != ASCIIByte.colon) {
      pointer = endOfSpace(pointer)
      if pointer == end {
        storePendingKey(key, to: quote)
        try requireMore(from: position)
        return false
      }
      if pointer.pointee != ASCIIByte.colon { throw unexpected(at: pointer, "a colon behind the key") }
    }
    // Between the reader's position and the key there is a comma and a quote; all other bytes are space.
    if _slowPath(key - position > 2) { countLines(position, key) }
    if _slowPath(pointer != quote + 1) { countLines(quote, pointer) }
    position = pointer + 1
    frame.pointee.key = key
    frame.pointee.lengthOrIndex = quote - key
    return true
  }

  /// Returns the first byte from a pointer on that is no space, or the end.
  @inline(never)
  private func endOfSpace(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
    var pointer = start
    while pointer < end, ASCIIByte.isSpace(pointer.pointee) { pointer += 1 }
    return pointer
  }

  // MARK: Arrays

  /// Opens the next array.
  ///
  /// - Throws: ``JSONError``, with ``JSONError/Code/typeMismatch`` if the next value is of another kind.
  public mutating func beginArray() throws {
    guard try nextByte() == ASCIIByte.openBracket else { throw mismatch("an array") }
    try open(isObject: false)
  }

  /// Returns whether the open array has another element, which the caller then reads or skips. At the array's end, closes it.
  ///
  /// - Throws: ``JSONError``, with ``JSONError/Code/misuse`` if no array is open.
  public mutating func nextElement() throws -> Bool {
    while true {
      let byte = try nextByte()
      if _slowPath(frame.pointee.isObject || depth == 0) {
        throw misuse("nextElement() is called where no array is open.")
      }
      // Also true where an earlier call skipped the comma and then ran out of bytes.
      let isFirst = frame.pointee.lengthOrIndex < 0
      if byte == ASCIIByte.closeBracket {
        if _slowPath(frame.pointee.lengthOrIndex < -1) { throw unexpected(at: position, "a value behind the comma") }
        close()
        return false
      }
      if isFirst {
        frame.pointee.lengthOrIndex = frame.pointee.latestLengthOrIndex + 1
        return true
      }
      guard byte == ASCIIByte.comma else { throw unexpected(at: position, "a comma or the array's end") }
      var pointer = position + 1
      if pointer == end || pointer.pointee <= 0x20 {
        pointer = endOfSpace(pointer)
        if pointer == end {
          consumeComma(to: pointer)
          try requireMore(from: position)
          continue
        }
      }
      if pointer.pointee == ASCIIByte.closeBracket { throw unexpected(at: pointer, "a value behind the comma") }
      if pointer != position + 1 { countLines(position, pointer) }
      position = pointer
      frame.pointee.lengthOrIndex += 1
      return true
    }
  }

  // MARK: Depth

  @inline(__always)
  mutating func open(isObject: Bool) throws {
    if _slowPath(frame == lastFrame) { try growFrames() }
    position += 1
    frame += 1
    frame.pointee = Frame(isObject: isObject)
  }

  @inline(__always)
  mutating func close() {
    position += 1
    frame -= 1
  }

  @inline(never)
  private mutating func growFrames() throws {
    let depth = depth
    if depth >= window.limits.maximumDepth { throw error(.tooDeep, at: position) }
    window.growFrames()
    frame = window.frames + depth
    lastFrame = window.lastFrame
  }

  // MARK: The end

  /// Reads the rest of a document after its value, which may only be space.
  ///
  /// - Throws: ``JSONError``, with ``JSONError/Code/trailingContent`` if other text follows.
  public mutating func finishDocument() throws {
    if depth != 0 { throw misuse("finishDocument() is called while an object or array is open.") }
    while true {
      let stop = endOfSpace(position)
      countLines(position, stop)
      position = stop
      if position < end { throw numberError(at: position) ?? error(.trailingContent, at: position) }
      if try !fetchMore(from: position) { return }
    }
  }
}
