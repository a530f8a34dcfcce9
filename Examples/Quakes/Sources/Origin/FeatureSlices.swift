import Foundation

/// Cuts the feed's bytes into its features, so that the replay serves the very bytes that were recorded.
enum FeatureSlices {
  /// The bytes of each object in the array `features`, in their order; empty if there is no such array.
  static func cut(_ feed: Data) -> [Data] {
    guard let start = feed.firstRange(of: Data(#""features":["#.utf8))?.upperBound else { return [] }
    var slices: [Data] = []
    var depth = 0
    var isInString = false
    var isEscaped = false
    var sliceStart = start
    for index in start..<feed.endIndex {
      let byte = feed[index]
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"):
        if depth == 0 { sliceStart = index }
        depth += 1
      case UInt8(ascii: "}"):
        depth -= 1
        if depth == 0 { slices.append(Data(feed[sliceStart...index])) }
      case UInt8(ascii: "]") where depth == 0: return slices
      default: break
      }
    }
    return slices
  }

  /// A feature's bytes with another magnitude; as they are if they have none.
  static func replacingMagnitude(in feature: Data, by magnitude: Double) -> Data {
    guard let name = feature.firstRange(of: Data(#""mag":"#.utf8)),
      let end = feature[name.upperBound...].firstIndex(of: UInt8(ascii: ","))
    else { return feature }
    return feature[..<name.upperBound] + Data("\(magnitude)".utf8) + feature[end...]
  }
}
