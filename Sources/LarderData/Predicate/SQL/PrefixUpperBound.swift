import LarderSQLite

/// The bound above all texts that start with a prefix, in the order of bytes.
enum PrefixUpperBound {
  /// The prefix with its last byte raised by one: no byte of UTF-8 is 255, so nothing carries.
  static func bytes(of prefix: String) -> [UInt8]? {
    var bytes = Array(prefix.utf8)
    guard let last = bytes.popLast() else { return nil }
    bytes.append(last + 1)
    return bytes
  }

  static func bind(_ prefix: String, to statement: Statement, _ index: Int32) {
    if let end = bytes(of: prefix) {
      end.withUnsafeBufferPointer { statement.bindText(index, $0) }
    } else {
      // Each text starts with an empty one, and is less than any blob.
      statement.bind(index, [UInt8]())
    }
  }
}
