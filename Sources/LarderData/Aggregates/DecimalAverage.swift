import Foundation

/// Divides sums of Decimals where `/` fails: `/` returns NaN for very small numbers, and a sum may have more digits than
/// a Decimal can hold although the average does not.
enum DecimalAverage {
  /// 38: the number of digits that every Decimal can hold.
  private static let precision = 38
  /// 128: the maximum number of fraction digits of a Decimal.
  private static let maximumFractionDigits = 128
  /// −40: with more fraction digits than that, a quotient of 38 digits comes near the maximum.
  private static let leastSafeExponent = -40

  /// Returns the average of a sum.
  ///
  /// - Returns: nil where a Decimal cannot hold the number, or the text is not a number.
  static func of(_ total: String, count: Int) -> Decimal? {
    guard count > 0 else { return nil }
    if let sum = DecimalText.parse(total), sum.exponent >= leastSafeExponent {
      let quotient = sum / Decimal(count)
      if !quotient.isNaN { return quotient }
    }
    return divide(total, by: UInt64(count))
  }

  private static func divide(_ total: String, by count: UInt64) -> Decimal? {
    let isNegative = total.hasPrefix("-")
    let parts = (isNegative ? total.dropFirst() : total[...]).split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isDigit) }) else {
      return nil
    }
    let dividend = parts.joined().utf8.map { UInt64($0 - UInt8(ascii: "0")) }
    var places = (parts.count > 1 ? parts[1].utf8.count : 0) - dividend.count
    var (digits, remainder): ([UInt8], UInt64) = ([], 0)
    var next = 0
    // One digit more than in the result, for rounding the last digit.
    while next < dividend.count || remainder > 0 {
      let (product, overflows) = remainder.multipliedReportingOverflow(by: 10)
      guard !overflows else { return nil }
      let value = product + (next < dividend.count ? dividend[next] : 0)
      next += 1
      places += 1
      let digit = UInt8(value / count)
      remainder = value % count
      if digit > 0 || !digits.isEmpty { digits.append(digit) }
      if next >= dividend.count, digits.count > precision || places > maximumFractionDigits { break }
    }
    return number(digits, fractionDigits: places, isNegative)
  }

  /// Returns the number nearest to the digits.
  private static func number(_ digits: [UInt8], fractionDigits places: Int, _ isNegative: Bool) -> Decimal? {
    if digits.allSatisfy({ $0 == 0 }) { return digits.isEmpty && places > maximumFractionDigits ? nil : 0 }
    let surplus = max(digits.count - precision, places - maximumFractionDigits, 0)
    guard surplus <= digits.count else { return nil }
    var kept = Array(digits.dropLast(surplus))
    if surplus > 0, digits[digits.count - surplus] >= 5 {
      var place = kept.count - 1
      while place >= 0, kept[place] == 9 {
        kept[place] = 0
        place -= 1
      }
      if place >= 0 { kept[place] += 1 } else { kept.insert(1, at: 0) }
    }
    let left = places - surplus
    // A number that is rounded to zero has no near Decimal.
    guard kept.contains(where: { $0 > 0 }) else { return nil }
    var text = String(decoding: kept.map { $0 + UInt8(ascii: "0") }, as: UTF8.self)
    if left <= 0 {
      text += String(repeating: "0", count: -left)
    } else {
      if text.count <= left { text = String(repeating: "0", count: left - text.count + 1) + text }
      text.insert(".", at: text.index(text.endIndex, offsetBy: -left))
      while text.hasSuffix("0") { text.removeLast() }
      if text.hasSuffix(".") { text.removeLast() }
    }
    return DecimalText.parse(isNegative ? "-" + text : text)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
