// What has been passed when the bytes end between two tokens. Space may come without end, a byte at a time; so it is passed
// as it comes, that it need neither be kept nor looked through again.

/// A key whose colon has not come.
struct WaitingKey {
  /// As it is written, without quotes.
  var bytes: [UInt8] = []
  /// Where it begins in the document.
  var offset = 0
}

extension JSONReader {
  /// Passes the comma that the reader stands at, and the space behind it, where nothing has come behind that.
  @inline(never)
  mutating func passComma(to stop: UnsafePointer<UInt8>) {
    passLines(position, stop)
    position = stop
    frame.pointee.passComma()
  }

  /// Keeps a key, and passes it and the space behind it, where nothing has come behind that.
  ///
  /// It is no key of the object yet: errors name the one before it.
  @inline(never)
  mutating func letWait(_ key: UnsafePointer<UInt8>, to quote: UnsafePointer<UInt8>) {
    window.waitingKey = WaitingKey(
      bytes: Array(UnsafeBufferPointer(start: key, count: quote - key)), offset: offset(of: key))
    awaitsColon = true
    passLines(position, key)
    passLines(quote, end)
    position = end
    frame.pointee.passComma()
  }

  /// Passes the colon behind a key that waits for it, and notes the key.
  @inline(never)
  mutating func passColon(behindWaiting byte: UInt8) throws -> JSONKey {
    guard byte == Character8.colon else { throw unexpected(at: position, "a colon behind the key") }
    let key = window.waitingKey
    window.waitingKey = WaitingKey()
    awaitsColon = false
    position += 1
    let place = key.offset - window.offset
    if place >= 0 {
      // The window has it still; who keeps the text looks for it there.
      frame.pointee.key = UnsafePointer(window.base) + place
    } else {
      frame.pointee.key = nil
      window.keepKey(key.bytes.withUnsafeBufferPointer { JSONReader.written($0) }, at: depth)
    }
    frame.pointee.number = key.bytes.count
    let output = window.scratch(key.bytes.count)
    let count = key.bytes.withUnsafeBufferPointer { bytes -> Int in
      guard let start = bytes.baseAddress else { return 0 }
      return Escapes.write(start, start + bytes.count, to: output)
    }
    return JSONKey(start: UnsafePointer(output), count: count)
  }
}
