// State for input that ends between two tokens. Space may be endless and arrive one byte at a time, so the reader skips it as it
// arrives, and neither keeps nor scans it again.

/// A key whose colon has not arrived.
struct PendingKey {
  /// The key in the text, without quotes.
  var bytes: [UInt8] = []
  /// The offset of the key in the document.
  var offset = 0
}

extension JSONReader {
  /// Skips the comma at the reader's position, and the space after it, where the input ends there.
  @inline(never)
  mutating func consumeComma(to stop: UnsafePointer<UInt8>) {
    countLines(position, stop)
    position = stop
    frame.pointee.markComma()
  }

  /// Stores a key, and skips the key and the space after it, where the input ends there.
  ///
  /// The key does not belong to the object yet: errors name the key before it.
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

  /// Skips the colon of the pending key, and records the key.
  @inline(never)
  mutating func consumeColon(afterPendingKey byte: UInt8) throws -> JSONKey {
    guard byte == ASCIIByte.colon else { throw unexpected(at: position, "a colon behind the key") }
    let key = window.pendingKey
    window.pendingKey = PendingKey()
    awaitsColon = false
    position += 1
    let place = key.offset - window.offset
    if place >= 0 {
      // The window still has the key, and code that keeps the text reads the key there.
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
