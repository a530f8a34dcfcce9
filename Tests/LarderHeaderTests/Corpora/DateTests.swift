import Foundation
import Testing

@testable import LarderHTTP

@Suite struct DateTests {
  @Test(arguments: DateCorpus.all.map(\.field)) func corpus(_ field: String) {
    let expected = DateCorpus.all.first { $0.field == field }?.seconds
    let found = HTTPDate.date(ASCIIText.trimmed(field), now: HeaderTime.now).map { Int64($0.timeIntervalSince1970) }
    #expect(found == expected, "\(field)")
  }

  @Test func thereAreAHundred() { #expect(DateCorpus.all.count >= 100) }

  /// RFC 9110, section 5.6.7: what seems more than fifty years ahead is of the past, whenever that is asked.
  @Test(arguments: [1994, 2026, 2049, 2050, 2051, 2099, 2100])
  func yearsOfTwoDigits(_ year: Int) throws {
    let now = try #require(HTTPDate.date("Mon, 15 Jun \(year) 12:00:00 GMT"))
    for digits in 0..<100 {
      let text = digits < 10 ? "0\(digits)" : "\(digits)"
      let date = try #require(HTTPDate.date("Monday, 15-Jun-\(text) 12:00:00 GMT", now: now))
      let full = try #require(Int(HTTPDate.text(date).split(separator: " ")[3]))
      #expect(full % 100 == digits && full - year <= 50 && year - full < 50)
    }
  }

  /// Dates that no field can have are written as the nearest that one can.
  @Test func whatHasNoYearOfFourDigits() {
    #expect(HTTPDate.text(.distantFuture) == "Mon, 01 Jan 4001 00:00:00 GMT")
    #expect(HTTPDate.text(Date(timeIntervalSince1970: 1e300)) == "Fri, 31 Dec 9999 23:59:59 GMT")
    #expect(HTTPDate.text(Date(timeIntervalSince1970: -1e300)).hasSuffix("00:00:00 GMT"))
  }
}
