// What has been passed when the bytes end between two tokens. Space may come without end, a byte at a time; so it is passed
// as it comes, that it need neither be kept nor looked through again.

/// A key whose colon has not come.
struct PendingKey {
  /// As it is written, without quotes.
  var bytes: [UInt8] = []
  /// Where it begins in the document.
  var offset = 0
}

extension JSONReader {
  /// Passes the comma that the reader stands at, and the space behind it, where nothing has come behind that.
  @inline(never)
  mutating func consumeComma(to stop: UnsafePointer<UInt8>) {
    countLines(position, stop)
    position = stop
    frame.pointee.markComma()
  }

  /// Keeps a key, and passes it and the space behind it, where nothing has come behind that.
  ///
  /// It is no key of the object yet: errors name the one before it.
  @inline(never)
  mutating func storePendingKey(_ key: UnsafePointer<UInt8>, to quote: UnsafePointer<UInt8>) {
    window.pendingKey = PendingKey(
      bytes: Array(UnsafeBufferPointer(start: key, count: quote - key)), offset: offset(of: key))
    awaitsColon = true
    countLines(position, key)
    countLines(quote, end)
    position = end
    frame.pointee.markComma()
  }

  /// Passes the colon behind a key that waits for it, and notes the key.
  @inline(never)
  mutating func consumeColon(afterPendingKey byte: UInt8) throws -> JSONKey {
    guard byte == ASCIIByte.colon else { throw unexpected(at: position, "a colon behind the key") }
    let key = window.pendingKey
    window.pendingKey = PendingKey()
    awaitsColon = false
    position += 1
    let place = key.offset - window.offset
    if place >= 0 {
      // The window has it still; who keeps the text looks for it there.
      frame.pointee.key = UnsafePointer(window.base) + place
    } else {
      frame.pointee.key = nil
      window.copyKey(key.bytes.withUnsafeBufferPointer { JSONReader.unescaped($0) }, at: depth)
    }
    frame.pointee.lengthOrIndex = key.bytes.count
    let output = window.scratch(key.bytes.count)
    let count = key.bytes.withUnsafeBufferPointer { bytes -> Int in
      guard let start = bytes.baseAddress else { return 0 }
      return EscapeDecoder.decode(start, start + bytes.count, to: output)
    }
    return JSONKey(start: UnsafePointer(output), count: count)
  }
}
