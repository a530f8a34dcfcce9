import ExampleSupport
import Foundation

/// How the page writes numbers and times: the same on every machine.
enum Formats {
  static func magnitude(_ value: Double) -> String {
    decimal(value, places: 1)
  }

  /// A position in degrees with its hemispheres.
  static func position(longitude: Double, latitude: Double) -> String {
    let north = decimal(abs(latitude), places: 2) + "° " + (latitude < 0 ? "S" : "N")
    let east = decimal(abs(longitude), places: 2) + "° " + (longitude < 0 ? "W" : "E")
    return north + ", " + east
  }

  /// Day and time, in UTC.
  static func moment(_ date: Date) -> String {
    let parts = Calendar.greenwich.dateComponents([.month, .day, .hour, .minute, .second], from: date)
    return
      "\(parts.day ?? 0) \(Calendar.monthName(parts.month)), \(two(parts.hour)):\(two(parts.minute)):\(two(parts.second))"
  }

  /// Day, hour and minute, in UTC.
  static func minute(_ date: Date) -> String {
    String(moment(date).dropLast(3))
  }

  /// The day, in UTC.
  static func day(_ date: Date) -> String {
    let parts = Calendar.greenwich.dateComponents([.month, .day], from: date)
    return "\(parts.day ?? 0) \(Calendar.monthName(parts.month))"
  }

  /// As HTML's `datetime` wants it.
  static func machine(_ date: Date) -> String {
    date.formatted(.iso8601)
  }

  /// How long ago something was, in the largest unit that fits.
  static func ago(_ seconds: TimeInterval) -> String {
    switch max(0, seconds) {
    case ..<1.5: return "just now"
    case ..<90: return "\(Int(seconds.rounded())) s ago"
    case ..<5400: return "\(Int((seconds / 60).rounded())) min ago"
    case ..<(36 * 3600): return "\(Int((seconds / 3600).rounded())) h ago"
    case ..<(10_000 * 86_400): return "\(Int((seconds / 86_400).rounded())) days ago"
    default: return "long ago"
    }
  }

  private static func decimal(_ value: Double, places: Int) -> String {
    // A magnitude or a degree is small; a number that is not has no place in a table.
    guard value.isFinite, abs(value) < 1e9 else { return "?" }
    let factor = places == 1 ? 10 : 100
    let scaled = Int((value * Double(factor)).rounded())
    let (whole, fraction) = abs(scaled).quotientAndRemainder(dividingBy: factor)
    let digits = places == 2 && fraction < 10 ? "0\(fraction)" : "\(fraction)"
    return (scaled < 0 ? "\u{2212}" : "") + "\(whole).\(digits)"
  }

  private static func two(_ value: Int?) -> String {
    let value = value ?? 0
    return value < 10 ? "0\(value)" : "\(value)"
  }
}
