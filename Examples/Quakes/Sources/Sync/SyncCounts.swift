import Foundation

/// What a round of synchronisation did to the store.
struct SyncCounts: Codable, Hashable, Sendable {
  var inserted = 0
  var updated = 0
  var unchanged = 0
}

extension SyncCounts: CustomStringConvertible {
  var description: String {
    "\(inserted.formattedForPeople) inserted, \(updated.formattedForPeople) updated, "
      + "\(unchanged.formattedForPeople) unchanged"
  }
}

extension Int {
  /// With a comma between thousands, whatever the machine's locale.
  var formattedForPeople: String {
    let digits = String(magnitude)
    var result = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { result.append(",") }
      result.append(digit)
    }
    return (self < 0 ? "-" : "") + result
  }
}
