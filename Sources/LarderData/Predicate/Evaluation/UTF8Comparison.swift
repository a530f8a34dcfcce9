import CLarderSQLite
import Foundation
import LarderSupport

/// Comparisons of strings by their UTF-8 bytes.
enum UTF8Comparison {
  static func order(_ left: String, _ right: String) -> Int {
    var (left, right) = (left, right)
    return left.withUTF8 { a in
      right.withUTF8 { b in
        for (x, y) in zip(a, b) where x != y { return x < y ? -1 : 1 }
        return a.count < b.count ? -1 : a.count == b.count ? 0 : 1
      }
    }
  }

  /// Returns the order of decimal numbers in their stored form, by the same code as SQL's collation.
  static func decimalOrder(_ left: String, _ right: String) -> Int {
    var (left, right) = (left, right)
    return left.withUTF8 { a in
      right.withUTF8 { b in
        a.withMemoryRebound(to: CChar.self) { a in
          b.withMemoryRebound(to: CChar.self) { b in
            Int(
              larder_compare_decimals(
                a.baseAddress, Int32(clamping: a.count), b.baseAddress, Int32(clamping: b.count)))
          }
        }
      }
    }
  }

  static func contains(_ text: String, _ part: String) -> Bool {
    part.isEmpty || text.utf8.count >= part.utf8.count && !text.utf8.ranges(of: part.utf8).isEmpty
  }
}
