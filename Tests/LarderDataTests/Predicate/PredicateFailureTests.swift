import Foundation
import LarderSQLite
import SwiftData
import Testing

@testable import LarderData

/// What can't be decided fails alike in SQL and in memory; what isn't supported says so by its name.
@Suite struct PredicateFailureTests {
  @Test func arithmeticFailsInBothHalves() throws {
    let laboratory = try Laboratory(seed: 3)
    let (zero, huge) = (0, UInt.max)
    let failing: [(PredicateFailure, Predicate<Specimen>)] = [
      (.overflow, #Predicate { $0.count + 1 > 0 }), (.overflow, #Predicate { $0.count * 3 > 0 }),
      (.overflow, #Predicate { $0.count - 2 > 0 }), (.overflow, #Predicate { -$0.count > 0 }),
      (.overflow, #Predicate { $0.small + 1 > 0 }), (.overflow, #Predicate { $0.unsigned - 1 > 0 }),
      (.overflow, #Predicate { $0.unsigned + huge > 0 }), (.overflow, #Predicate { huge - $0.unsigned > 0 }),
      (.overflow, #Predicate { huge / $0.unsigned > 0 }), (.overflow, #Predicate { huge % $0.unsigned > 0 }),
      (.overflow, #Predicate { !($0.unsigned % huge > 0) }),
      (.divisionByZero, #Predicate { 7 / $0.count > 0 }), (.divisionByZero, #Predicate { 7 % $0.count > 0 }),
      (.divisionByZero, #Predicate { $0.count / zero > 0 }), (.unexpectedNil, #Predicate { $0.rank! > 0 }),
      (.unexpectedNil, #Predicate { $0.nickname! == "a" }),
    ]
    for (failure, predicate) in failing {
      let plan = try PredicatePlan(predicate.expression, laboratory.layout)
      #expect(throws: failure, "\(plan.whereSQL)") { try laboratory.evaluated(predicate, plan) }
      let stored = #expect(throws: SQLiteError.self, "\(plan.whereSQL)") { try laboratory.stored(predicate, plan) }
      #expect(stored.flatMap { PredicateFailure($0) } == failure)
    }
  }

  @Test func whatSwiftDoesNotEvaluateCannotFail() throws {
    let laboratory = try Laboratory(seed: 4)
    let (zero, skip) = (0, true)
    for predicate in [
      #Predicate<Specimen> { skip || $0.count / zero > 0 }, #Predicate { $0.rank == nil || $0.rank! > 3 },
    ] {
      let plan = try PredicatePlan(predicate.expression, laboratory.layout)
      #expect(try laboratory.stored(predicate, plan) == laboratory.evaluated(predicate, plan))
    }
  }

  @Test func unsupportedExpressionsNameThemselves() throws {
    let cases: [(String, Predicate<Specimen>)] = [
      ("computed or transient", #Predicate { $0.shout == "A" })
    ]
    for (name, predicate) in cases {
      let error = #expect(throws: SwiftDataError.self) { try PredicatePlan(predicate.expression, Specimen._$layout) }
      #expect(error == .unsupportedPredicate)
      let explanation = error?.explanation ?? ""
      #expect(explanation.contains(name), "\(explanation)")
    }
  }

  @Test func capturedValuesThatCannotBeHadAreErrors() throws {
    let laboratory = try Laboratory(seed: 5, count: 3)
    let (words, index, none, notANumber) = (["a"], 3, nil as [String]?, Double.nan)
    for predicate in [
      #Predicate<Specimen> { $0.name == words[index] }, #Predicate { none!.contains($0.name) },
      #Predicate { $0.weight == notANumber },
    ] {
      let plan = try PredicatePlan(predicate.expression, laboratory.layout)
      #expect(throws: PredicateFailure.self) { try laboratory.stored(predicate, plan) }
      #expect(throws: PredicateFailure.self) { try laboratory.evaluated(predicate, plan) }
    }
  }
}
