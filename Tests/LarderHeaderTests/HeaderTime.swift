import Foundation

enum HeaderTime {
  /// The instant of RFC 9110's examples: Sun, 06 Nov 1994 08:49:37 GMT.
  static let now = Date(timeIntervalSince1970: 784_111_777)
}
