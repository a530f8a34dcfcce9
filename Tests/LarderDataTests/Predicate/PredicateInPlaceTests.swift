import Foundation
import LarderData
import SwiftData
import Testing

/// A descriptor's predicate is read where it lies: what is read is the predicate's own expression.
@Suite struct PredicateInPlaceTests {
  @Test func thisFoundationsPredicatesCanBeReadInPlace() { #expect(InlinePredicateReader.isReadable) }

  @Test func whatIsReadIsThePredicatesOwnExpression() throws {
    let name = "Ōtaki"
    let predicates: [Predicate<Specimen>?] = [
      nil, #Predicate { _ in true }, #Predicate { $0.name == name }, #Predicate { $0.count > 2 && $0.name != name },
    ]
    for predicate in predicates {
      let descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)])
      guard let predicate else {
        #expect(descriptor.expression == nil)
        continue
      }
      let read = try #require(descriptor.expression)
      #expect(type(of: read) == type(of: predicate.expression))
      #expect("\(read)" == "\(predicate.expression)")
    }
  }
}
