/// A date and time of RFC 3339, `1985-04-12T23:20:50.52Z`: the form that most APIs call ISO 8601.
struct RFC3339Date: Equatable {
  /// Seconds since the beginning of 1970.
  var seconds: Int64
  var nanoseconds: Int64
  /// Whether the text has a fraction of a second.
  var hasFraction = false

  /// Creates a date, or returns `nil` where the text has another form or an impossible date: a thirteenth month, a 30 February, a
  /// 25th hour. A leap second is the first second of the next minute. Digits beyond nanoseconds are dropped.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count >= 20 else { return nil }
    func digits(_ place: Int, _ count: Int) -> Int64? {
      guard place + count <= bytes.count else { return nil }
      var number: Int64 = 0
      for index in place..<place + count {
        let digit = bytes[index] &- ASCIIByte.zero
        if digit > 9 { return nil }
        number = number * 10 + Int64(digit)
      }
      return number
    }
    func has(_ character: UInt8, _ place: Int) -> Bool { bytes[place] == character }
    guard let year = digits(0, 4), has(ASCIIByte.minus, 4), let month = digits(5, 2), has(ASCIIByte.minus, 7),
      let day = digits(8, 2), has(UInt8(ascii: "T"), 10) || has(UInt8(ascii: "t"), 10), let hour = digits(11, 2),
      has(ASCIIByte.colon, 13), let minute = digits(14, 2), has(ASCIIByte.colon, 16), let second = digits(17, 2),
      1...12 ~= month, day >= 1, day <= RFC3339Date.days(month, year), hour < 24, minute < 60, second <= 60
    else { return nil }
    var place = 19
    nanoseconds = 0
    if has(ASCIIByte.point, place) {
      place += 1
      let first = place
      var unit: Int64 = 100_000_000
      while place < bytes.count, ASCIIByte.isDigit(bytes[place]) {
        nanoseconds += Int64(bytes[place] - ASCIIByte.zero) * unit
        unit /= 10
        place += 1
      }
      if place == first || place == bytes.count { return nil }
      hasFraction = true
    }
    var offset: Int64 = 0
    switch bytes[place] {
    case UInt8(ascii: "Z"), UInt8(ascii: "z"):
      guard place + 1 == bytes.count else { return nil }
    case ASCIIByte.plus, ASCIIByte.minus:
      guard place + 6 == bytes.count, let hours = digits(place + 1, 2), has(ASCIIByte.colon, place + 3),
        let minutes = digits(place + 4, 2), hours < 24, minutes < 60
      else { return nil }
      offset = (hours * 60 + minutes) * 60 * (bytes[place] == ASCIIByte.minus ? -1 : 1)
    default: return nil
    }
    seconds = RFC3339Date.day(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
  }

  private static func days(_ month: Int64, _ year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Returns the days since 1 January 1970 in the proleptic Gregorian calendar. Years begin in March, so that the leap day is their
  /// last.
  private static func day(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
