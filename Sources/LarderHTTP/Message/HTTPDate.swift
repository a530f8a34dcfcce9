import Foundation

/// The dates of header fields (RFC 9110, section 5.6.7): the current form, and the two obsolete ones.
enum HTTPDate {
  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

  /// Returns a date, or nil for other text. The name of the day is not checked.
  ///
  /// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`.
  ///
  /// - Parameter now: The current date: a year of two digits is at most fifty years after it.
  static func date(_ field: some StringProtocol, now: Date = Date()) -> Date? {
    // The longest form has 33 characters.
    guard field.utf8.count <= 40 else { return nil }
    let parts = field.split { $0 == " " || $0 == "," || $0 == "-" }.map { ASCIIText.lowercased($0) }
    switch parts.count {
    case 6 where parts[5] == "gmt" || parts[5] == "utc":
      return date(day: parts[1], month: parts[2], year: parts[3], time: parts[4], now: now)
    case 5: return date(day: parts[2], month: parts[1], year: parts[4], time: parts[3], now: now)
    default: return nil
    }
  }

  /// Returns a date in a form that some servers use: with a numeric zone, or without the name of the day (RFC 5322); or in
  /// ISO 8601. For waits alone: a date that is sent back to a server must be the server's own text.
  static func lenientDate(_ field: some StringProtocol, now: Date) -> Date? {
    guard field.utf8.count <= 40 else { return nil }
    if let date = isoDate(field) { return date }
    var parts = field.split { $0 == " " || $0 == "," }.map { ASCIIText.lowercased($0) }
    guard let last = parts.popLast(), let offset = offset(last) else { return nil }
    // The name of the day has no digits.
    if let first = parts.first, !first.utf8.contains(where: ASCIIText.isDigit) { parts.removeFirst() }
    guard parts.count == 4 else { return nil }
    return date(day: parts[0], month: parts[1], year: parts[2], time: parts[3], now: now)?.addingTimeInterval(-offset)
  }

  /// Returns the offset of a time zone from Greenwich, in seconds: `+0200`, `+02:00`; 0 for `GMT`, `UTC` and `Z`.
  private static func offset(_ zone: some StringProtocol) -> Double? {
    if ["gmt", "utc", "ut", "z"].contains(String(zone)) { return 0 }
    guard let sign = zone.utf8.first, sign == 0x2B || sign == 0x2D else { return nil }
    let digits = String(zone.dropFirst().filter { $0 != ":" })
    guard digits.utf8.count == 4, let number = ASCIIText.number(digits), number / 100 < 24, number % 100 < 60 else {
      return nil
    }
    return Double((number / 100 * 60 + number % 100) * 60) * (sign == 0x2D ? -1 : 1)
  }

  /// Returns the date of `2026-11-29T08:49:37Z`, optionally with a fraction of a second or an offset.
  private static func isoDate(_ field: some StringProtocol) -> Date? {
    let parts = ASCIIText.lowercased(field).split(separator: "t", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    let day = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard day.count == 3, day[0].utf8.count == 4, let month = ASCIIText.number(day[1]), (1...12).contains(month),
      let zone = parts[1].firstIndex(where: { $0 == "z" || $0 == "+" || $0 == "-" }),
      let offset = offset(parts[1][zone...])
    else { return nil }
    let clock = parts[1][..<zone].split(separator: ".", maxSplits: 1)
    guard let time = clock.first, clock.count == 1 || clock[1].utf8.allSatisfy(ASCIIText.isDigit) else { return nil }
    let whole = date(
      day: String(day[2]), month: months[Int(month) - 1], year: String(day[0]), time: String(time), now: Date())
    let fraction = clock.count == 2 ? Double("0." + clock[1].prefix(9)) ?? 0 : 0
    return whole?.addingTimeInterval(fraction - offset)
  }

  private static func date(day: String, month: String, year: String, time: String, now: Date) -> Date? {
    guard day.utf8.count <= 2, let day = ASCIIText.number(day), let month = months.firstIndex(of: month),
      let number = ASCIIText.number(year)
    else { return nil }
    let clock = time.split(separator: ":", omittingEmptySubsequences: false)
    guard clock.count == 3, clock.allSatisfy({ $0.utf8.count == 2 }),
      let hour = ASCIIText.number(clock[0]), let minute = ASCIIText.number(clock[1]),
      let second = ASCIIText.number(clock[2]), hour < 24, minute < 60, second <= 60
    else { return nil }
    let full: Int64
    switch year.utf8.count {
    case 2: full = nearest(number, to: civil(days: days(of: now)).year)
    case 4: full = number
    default: return nil
    }
    guard (1_000...9_999).contains(full), day >= 1, day <= daysIn(month: month + 1, year: full) else { return nil }
    let seconds = days(year: full, month: Int64(month + 1), day: day) * 86_400 + hour * 3_600 + minute * 60 + second
    return Date(timeIntervalSince1970: Double(seconds))
  }

  private static func daysIn(month: Int, year: Int64) -> Int64 {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  /// Returns the days since 1970 in the Gregorian calendar. Years begin in March here, so that the leap day is the last.
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Returns the year for two digits: at most fifty years after the current year, or else in the past.
  private static func nearest(_ digits: Int64, to year: Int64) -> Int64 {
    let candidate = year - year % 100 + digits
    return candidate > year + 50 ? candidate - 100 : candidate <= year - 50 ? candidate + 100 : candidate
  }

  private static func days(of date: Date) -> Int64 { seconds(of: date).day }

  /// Returns the days since 1970, and the seconds of the day. A date outside of the years 1 to 9999 is moved to the nearest one.
  private static func seconds(of date: Date) -> (day: Int64, rest: Int64) {
    let bounded = min(max(date.timeIntervalSince1970, -62_135_596_800), 253_402_300_799)
    let seconds = Int64(bounded.rounded(.down))
    let day = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
    return (day, seconds - day * 86_400)
  }

  /// Returns the inverse of `days(year:month:day:)`.
  private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    )
  }

  /// Returns a date in the form in which it is sent.
  static func text(_ date: Date) -> String {
    let (day, rest) = seconds(of: date)
    let civil = civil(days: day)
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][Int(((day % 7) + 7) % 7)]
    let name = months[Int(civil.month) - 1].capitalized
    return "\(weekday), \(two(civil.day)) \(name) \(civil.year) "
      + "\(two(rest / 3_600)):\(two(rest / 60 % 60)):\(two(rest % 60)) GMT"
  }
}
