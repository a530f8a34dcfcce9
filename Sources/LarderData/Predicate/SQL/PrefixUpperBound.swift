import LarderSQLite

/// The upper bound of all strings that start with a prefix, in the order of bytes.
enum PrefixUpperBound {
  /// Returns the prefix with its last byte incremented: no byte of UTF-8 is 255, so nothing carries.
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
      // Each string starts with the empty string, and is less than any blob.
      statement.bind(index, [UInt8]())
    }
  }
}
