import Foundation
import LarderData
import SwiftData
import Testing

/// What Foundation lacks of strings on Linux.
@Suite struct StringExpressionTests {
  /// Programs that read predicates give each node a conformance of its own.
  @Test func methodsOfStringsAreTypesOfTheirOwn() throws {
    let contains = #Predicate<String> { $0.localizedStandardContains("x") }
    let same = ComparisonResult.orderedSame
    let compared = #Predicate<String> { $0.localizedCompare("x") == same }
    let insensitive = #Predicate<String> { $0.caseInsensitiveCompare("X") == same }
    #expect((contains.expression as? any Named)?.name == "contains")
    #expect(try contains.evaluate("aXb") && compared.evaluate("x") && insensitive.evaluate("x"))
    #expect(try !contains.evaluate("ab") && !compared.evaluate("y") && !insensitive.evaluate("y"))
  }

  /// The reason why there is no `String.StandardComparator.localizedStandard`; see conformance.md.
  @Test func noLocalizedComparatorCanBeMade() throws {
    let coded = String(decoding: try JSONEncoder().encode(String.StandardComparator.lexical), as: UTF8.self)
    #expect(coded.contains(#""isLocalized":false"#))
    let localized = coded.replacing(#""isLocalized":false"#, with: #""isLocalized":true"#)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(String.StandardComparator.self, from: Data(localized.utf8))
    }
  }
}

private protocol Named { var name: String { get } }

extension PredicateExpressions.StringLocalizedStandardContains: Named {
  fileprivate var name: String { "contains" }
}
extension PredicateExpressions.StringLocalizedCompare: Named {
  fileprivate var name: String { "compare" }
}
extension PredicateExpressions.StringCaseInsensitiveCompare: Named {
  fileprivate var name: String { "insensitive" }
}
