import ExampleSupport
import Foundation
import Testing

@testable import trips

@Suite struct FormFieldsTests {
  @Test func fieldsAreReadInTheirOrder() {
    let fields = FormFields(Data("a=1&b=x+y%21&a=2&c&d=%C3%A4&e=a%3Db%26c=d".utf8))
    #expect(fields["a"] == "1" && fields.all("a") == ["1", "2"])
    #expect(fields["b"] == "x y!" && fields["c"] == "" && fields["d"] == "ä" && fields["e"] == "a=b&c=d")
    #expect(fields["f"] == nil && fields.all("f").isEmpty)
  }

  @Test(arguments: ["%", "a=%", "a=%4", "a=%zz", "a=%+1", "&&&", "=", "a==b", "a=%ff%fe"])
  func nonsenseDoesNotTrap(text: String) {
    _ = FormFields(Data(text.utf8))["a"]
  }

  @Test func everyPairOfBytesAfterAPercentSignIsRead() {
    for first in UInt8.min ... .max {
      for second in UInt8.min ... .max {
        let values = FormFields(Data("first=1&a=%".utf8 + [first, second] + "&last=3".utf8))
        #expect(values["first"] == "1" && values["last"] == "3", "\(first) \(second)")
      }
    }
  }

  @Test func daysAreReadAsTheyAreWritten() {
    for text in ["2001-01-01", "2024-02-29", "0001-01-01", "9999-12-31"] {
      #expect(Days.date(text).map(Days.machine) == text)
    }
    for text in ["", "2023-02-29", "2023-13-01", "2023-1-1", "20230101", "２０２３-01-01", "0000-01-01", "soon"] {
      #expect(Days.date(text) == nil, "\(text)")
    }
  }
}
