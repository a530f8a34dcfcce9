import Foundation
import SwiftData
import Testing

@testable import LarderData

/// SQL, the evaluator and Foundation give the same answer.
@Suite struct PredicateDifferentialTests {
  static let seed: UInt64 = ProcessInfo.processInfo.environment["LARDER_SEED"].flatMap { UInt64($0) } ?? 20_260_101

  @Test func everyCaseAgrees() throws {
    let laboratory = try Laboratory(seed: Self.seed)
    #expect(PredicateCase.all.count >= 60)
    for test in PredicateCase.all + PredicateCase.compared + PredicateCase.inSwift {
      let plan = try PredicatePlan(test.predicate.expression, laboratory.layout)
      let stored = try laboratory.stored(test.predicate, plan)
      let evaluated = try laboratory.evaluated(test.predicate, plan)
      #expect(stored == evaluated, "\(test.name), seed \(Self.seed): \(plan.whereSQL)")
      guard test.comparesWithFoundation else { continue }
      let expected = try laboratory.expected(test.predicate)
      #expect(stored.filter { $0.isMultiple(of: 2) } == expected, "\(test.name), seed \(Self.seed): \(plan.whereSQL)")
    }
  }

  /// A list has no order, and two equal sets may give their members in different ones.
  private static func contents(_ value: ParameterValue) -> Set<_StoredValue> {
    switch value {
    case .scalar(let value): [value]
    case .list(let values): values
    case .swift(let value): [.integer(Int64(value.hashValue))]
    }
  }

  @Test func memoryAndWalkAgree() throws {
    let laboratory = try Laboratory(seed: Self.seed, count: 60)
    for test in PredicateCase.all + PredicateCase.compared + PredicateCase.inSwift {
      let expression = test.predicate.expression
      let fast = try PredicatePlan(expression, laboratory.layout)
      let walked = try PredicatePlan(expression, laboratory.layout, readingMemory: false)
      #expect(fast.isReusable, "\(test.name)")
      #expect(fast.whereSQL == walked.whereSQL, "\(test.name)")
      #expect(fast.mask == walked.mask)
      #expect(
        try fast.parameterValues(expression).map(Self.contents)
          == walked.parameterValues(expression).map(Self.contents),
        "\(test.name)")
      #expect(try laboratory.stored(test.predicate, fast) == laboratory.stored(test.predicate, walked), "\(test.name)")
    }
  }
}
