import Foundation
import SwiftData
import Testing

@testable import LarderData

/// Predicates that are put together at run time.
@Suite struct CombiningTests {
  private let laboratory: Laboratory
  init() throws { laboratory = try Laboratory(seed: 11, count: 120) }

  private func rows(_ predicate: Predicate<Specimen>) throws -> Set<Int> {
    let plan = try PredicatePlan(predicate.expression, laboratory.layout)
    let stored = try laboratory.stored(predicate, plan)
    #expect(try stored == laboratory.evaluated(predicate, plan))
    #expect(try stored.filter { $0.isMultiple(of: 2) } == laboratory.expected(predicate))
    return Set(stored)
  }

  private let first = #Predicate<Specimen> { $0.count > 1 }
  private let second = #Predicate<Specimen> { $0.rank == nil }
  private let third = #Predicate<Specimen> { $0.tags.contains("a") }

  @Test func joinedPredicatesMeanWhatTheirPartsDo() throws {
    let (one, two, three) = (try rows(first), try rows(second), try rows(third))
    let all = Set(laboratory.values.indices)
    #expect(try rows(first.and(second)) == one.intersection(two))
    #expect(try rows(first.or(second)) == one.union(two))
    #expect(try rows(first.negated) == all.subtracting(one))
    #expect(try rows(first.and(third)) == one.intersection(three))
    #expect(try rows(.all([first, second, third])) == one.intersection(two).intersection(three))
    #expect(try rows(.any([first, second, third])) == one.union(two).union(three))
    #expect(try rows(.all([])) == all)
    #expect(try rows(.any([])) == [])
    #expect(try rows(first.and(second.or(third)).negated) == all.subtracting(one.intersection(two.union(three))))
    let plan = try PredicatePlan(first.and(second).expression, laboratory.layout)
    #expect(plan.whereSQL == #"(("count" > ?1) AND ("rank" IS NULL))"#)
  }

  private func byCount(_ number: Int) -> Predicate<Specimen> { #Predicate { $0.count == number } }

  @Test func manyAreNotTooDeep() throws {
    let numbers = (0..<3_000).map { byCount($0) }
    let found = try rows(.any(numbers))
    #expect(found == Set(laboratory.specimens.indices.filter { (0..<3_000).contains(laboratory.specimens[$0].count) }))
    #expect(try rows(.all(numbers.map { $0.negated })) == Set(laboratory.values.indices).subtracting(found))
  }

  @Test func expressionsCanBeAsked() throws {
    let sum = #Expression<Specimen, Int> { $0.tags.count + ($0.notes ?? []).count }
    let size = #Expression<Specimen, Double> { $0.weight * 2 }
    let limit = 3
    let many = sum.matches(#Predicate { $0 > limit })
    #expect(
      try rows(many)
        == Set(
          laboratory.specimens.indices.filter {
            laboratory.specimens[$0].tags.count + (laboratory.specimens[$0].notes ?? []).count > limit
          }))
    let large = size.matches(#Predicate { $0 > 2 && $0 < 100 })
    #expect(try rows(large.and(many)) == rows(large).intersection(rows(many)))
    let plan = try PredicatePlan(large.expression, laboratory.layout)
    #expect(plan.whereSQL == #"((("weight" * ?1) > ?2) AND (("weight" * ?1) < ?3))"#)
  }

  private func combined(_ number: Int, _ name: String) -> Predicate<Specimen> {
    #Predicate<Specimen> { $0.count > number }.and(#Predicate<Specimen> { $0.name == name })
  }

  @Test func combinationsAlikeShareAPlan() throws {
    let cache = PlanCache()
    let plan = try cache.plan(for: combined(1, "a").expression, laboratory.layout)
    let other = combined(2, "b")
    #expect(try cache.plan(for: other.expression, laboratory.layout) === plan)
    #expect(try plan.boundValues(other.expression) == [.scalar(.integer(2)), .scalar(.text("b"))])
    let swapped = #Predicate<Specimen> { $0.name == "b" }.and(#Predicate<Specimen> { $0.count > 1 })
    #expect(try cache.plan(for: swapped.expression, laboratory.layout) !== plan)
  }

  /// Key path objects made anew at each call, as those that are put together or decoded.
  @Test func keyPathsMadeAnewShareAPlan() throws {
    let cache = PlanCache()
    func predicate(_ keyPath: KeyPath<Specimen, String>, _ value: String) -> Predicate<Specimen> {
      let sendable = unsafeBitCast(keyPath, to: (any KeyPath<Specimen, String> & Sendable).self)
      return Predicate { variable in
        PredicateExpressions.build_Equal(
          lhs: PredicateExpressions.build_KeyPath(root: variable, keyPath: sendable),
          rhs: PredicateExpressions.build_Arg(value))
      }
    }
    func fresh() -> KeyPath<Specimen, String> {
      (\Specimen.self as KeyPath<Specimen, Specimen>).appending(path: \Specimen.name)
    }
    let plan = try cache.plan(for: predicate(fresh(), "a").expression, laboratory.layout)
    for number in 0..<100 {
      let next = predicate(fresh(), "\(number)")
      #expect(try cache.plan(for: next.expression, laboratory.layout) === plan)
      #expect(try plan.equalityValue(next.expression) == .text("\(number)"))
    }
  }
}
