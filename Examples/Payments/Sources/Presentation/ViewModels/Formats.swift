import ExampleSupport
import Foundation

/// How the page writes amounts, times and account numbers.
enum Formats {
  /// At least two digits after the point, and never fewer than there are: nobody's money is rounded.
  static func amount(_ amount: Decimal, _ currency: String) -> String {
    let parts = "\(amount.magnitude)".split(separator: ".").map(String.init)
    let whole = parts.first ?? "0"
    let fraction = parts.count > 1 ? parts[1] : ""
    let padded = fraction + String(repeating: "0", count: max(0, 2 - fraction.count))
    var groups = ""
    for (index, digit) in whole.enumerated() {
      if index > 0, (whole.count - index).isMultiple(of: 3) { groups += "," }
      groups.append(digit)
    }
    return "\(amount < 0 ? "\u{2212}" : "")\(groups).\(padded)\u{A0}\(currency)"
  }

  /// The last four digits, for whoever knows the number; of one that has hardly more, nothing.
  static func lastDigits(_ accountNumber: String) -> String {
    accountNumber.count > 4 ? String(accountNumber.suffix(4)) : ""
  }

  /// The time of day where this machine is, which is where the page is read.
  static func time(_ date: Date, in zone: TimeZone = .current) -> String {
    let parts = parts(date, zone)
    return "\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second))"
  }

  /// The day, and the time to the minute.
  static func moment(_ date: Date, in zone: TimeZone = .current) -> String {
    let parts = parts(date, zone)
    return "\(parts.day ?? 0) \(Calendar.monthName(parts.month)) \(parts.year ?? 0), "
      + "\(two(parts.hour)):\(two(parts.minute))"
  }

  /// As HTML's `datetime` wants it.
  static func machine(_ date: Date) -> String { date.formatted(.iso8601) }

  private static func parts(_ date: Date, _ zone: TimeZone) -> DateComponents {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    return calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
  }

  private static func two(_ value: Int?) -> String {
    let value = value ?? 0
    return value < 10 ? "0\(value)" : "\(value)"
  }
}
