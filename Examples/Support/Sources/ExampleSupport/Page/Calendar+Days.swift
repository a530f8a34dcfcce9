public import Foundation

extension Calendar {
  /// The Gregorian calendar at Greenwich: the same on every machine.
  public static let greenwich: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()

  /// The month's short name, whatever the machine's locale.
  public static func monthName(_ month: Int?) -> String {
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    return names[max(0, (month ?? 1) - 1) % names.count]
  }
}
