import ExampleSupport
import Foundation

/// How days are written and read: the same on every machine.
enum Days {
  /// Beyond the year 9999, and far within what a calendar can count.
  private static let farthest = 3e11

  private static func parts(_ date: Date) -> DateComponents? {
    guard abs(date.timeIntervalSinceReferenceDate) < farthest else { return nil }
    return Calendar.greenwich.dateComponents([.year, .month, .day], from: date)
  }

  /// A day as forms and `datetime` have it: 2026-09-30.
  static func machine(_ date: Date) -> String {
    guard let parts = parts(date), let year = parts.year, (1...9999).contains(year) else { return "" }
    func padded(_ number: Int?, _ width: Int) -> String {
      let digits = "\(number ?? 0)"
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return "\(padded(year, 4))-\(padded(parts.month, 2))-\(padded(parts.day, 2))"
  }

  /// Reads what ``machine(_:)`` writes; nil for anything else, and for days that there never were.
  static func date(_ text: String) -> Date? {
    guard text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) != nil else { return nil }
    let numbers = text.split(separator: "-").compactMap { Int($0) }
    guard numbers.count == 3 else { return nil }
    let date = Calendar.greenwich.date(from: DateComponents(year: numbers[0], month: numbers[1], day: numbers[2]))
    // A calendar takes the 31st of June for the 1st of July.
    return date.flatMap { machine($0) == text ? $0 : nil }
  }

  /// A day as people write it: 30 Sep 2026.
  static func words(_ date: Date) -> String {
    guard let parts = parts(date) else { return "some day" }
    return "\(parts.day ?? 0) \(Calendar.monthName(parts.month)) \(parts.year ?? 0)"
  }
}
