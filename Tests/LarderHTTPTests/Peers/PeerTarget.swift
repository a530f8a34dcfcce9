import Foundation

/// What makes two addresses the same that are written differently (RFC 3986, section 6.2.2).
enum PeerTarget {
  private typealias Step = (reason: PeerDifference, take: @Sendable (String) -> String)
  private static let illegal: Step = (.illegalCharacters, encoded)
  private static let escapes: Step = (.escapedUnreserved, unescaped)
  private static let digits: Step = (.hexDigits, uppercased)
  private static let dots: Step = (.dotSegments, undotted)
  private static let query: Step = (.emptyQuery, { $0.hasSuffix("?") ? String($0.dropLast()) : $0 })

  /// The fewest steps after which both are the same. A segment of dots may be taken out before others are found to be such.
  static func reasons(_ ours: String, _ theirs: String, written: String) -> [PeerDifference] {
    let isAddress = encoded(written) == written
    for size in 1...5 {
      for order in [[illegal, escapes, digits, dots, query], [illegal, dots, escapes, digits, query]] {
        for chosen in 0..<(1 << order.count) where chosen.nonzeroBitCount == size {
          let steps = order.enumerated().filter { chosen & 1 << $0.offset != 0 }.map(\.element)
          // Of what is no address, Foundation encodes the percent signs, too.
          let isOnce = isAddress || steps.first?.reason != .illegalCharacters
          let left = isOnce ? ours : ours.replacingOccurrences(of: "%25", with: "%")
          let isSame = steps.reduce(left) { $1.take($0) } == steps.reduce(theirs) { $1.take($0) }
          if isSame { return steps.map(\.reason) }
        }
      }
    }
    return []
  }

  private static func encoded(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      let character = Character(Unicode.Scalar(byte))
      let isAllowed =
        byte < 0x80 && (character.isLetter || character.isNumber || "-._~!$&'()*+,;=:@/?%#".contains(character))
      result += isAllowed ? String(character) : String(format: "%%%02X", byte)
    }
    return result
  }

  /// Runs through the escapes of a text.
  private static func mapEscapes(_ text: String, _ change: (UInt8, Substring) -> String) -> String {
    var result = ""
    var rest = text[...]
    while let first = rest.first {
      if first == "%", let byte = UInt8(rest.dropFirst().prefix(2), radix: 16), rest.count > 2 {
        result += change(byte, rest.prefix(3))
        rest = rest.dropFirst(3)
      } else {
        result.append(first)
        rest = rest.dropFirst()
      }
    }
    return result
  }

  private static func unescaped(_ text: String) -> String {
    mapEscapes(text) { byte, escape in
      let character = Character(Unicode.Scalar(byte))
      let isUnreserved = byte < 0x80 && (character.isLetter || character.isNumber || "-._~".contains(character))
      return isUnreserved ? String(character) : String(escape)
    }
  }

  private static func uppercased(_ text: String) -> String { mapEscapes(text) { $1.uppercased() } }

  /// RFC 3986, section 5.2.4.
  private static func undotted(_ text: String) -> String {
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var kept: [Substring] = []
    let segments = parts[0].split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (place, segment) in zip(segments.indices, segments) {
      let isLast = place == segments.endIndex - 1
      switch segment {
      case ".": if isLast { kept.append("") }
      case "..":
        if !kept.isEmpty { kept.removeLast() }
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    // One of them takes what is then empty at the beginning out as well.
    let path = kept.drop { $0.isEmpty }
    return "/" + path.joined(separator: "/") + (parts.count > 1 ? "?" + parts[1] : "")
  }
}
