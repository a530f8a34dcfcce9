import Foundation

/// Tells two states of a trip apart, so that an edit of an old one does not replace a newer one unseen.
///
/// It is made of what the trip says, by FNV-1a: the same in every process, which a `Hasher`'s value is not.
struct TripVersion: RawRepresentable, Hashable, Sendable {
  let rawValue: String
}

extension Trip {
  var version: TripVersion {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ text: String) {
      // The length comes first, or "ab", "c" would be "a", "bc".
      for byte in Array("\(text.utf8.count) ".utf8) + Array(text.utf8) {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
      }
    }
    func add(_ list: [String]) {
      add("\(list.count)")
      for text in list { add(text) }
    }
    add([id, name, "\(startDate.timeIntervalSinceReferenceDate)", "\(endDate.timeIntervalSinceReferenceDate)"])
    add(people)
    add(tags)
    add(legs.flatMap { [$0.id.uuidString, $0.origin, $0.destination, $0.means.rawValue] })
    return TripVersion(rawValue: String(hash, radix: 16))
  }
}
