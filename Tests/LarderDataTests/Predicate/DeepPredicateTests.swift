import Foundation
import SwiftData
import Testing

@testable import LarderData

@Model
final class Voucher {
  var number: Int
  var isUsed = false

  init(number: Int) { self.number = number }
}

/// Predicates that a program puts together, of many parts and of many levels.
@Suite struct DeepPredicateTests {
  /// The room that threads of Swift's pool have.
  private static let smallStack = 512 << 10

  private static func filled() throws -> ModelContext {
    let context = ModelContext(
      try ModelContainer(for: Voucher.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    for number in 0..<10 { context.insert(Voucher(number: number)) }
    try context.save()
    context.insert(Voucher(number: 10))
    return context
  }

  /// Runs a test on a thread with a stack of so many bytes.
  private func onThread<Result: Sendable>(
    _ bytes: Int, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      let thread = Thread { continuation.resume(with: Swift.Result { try body() }) }
      thread.stackSize = bytes
      thread.start()
    }
  }

  private static func equals(_ number: Int) -> Predicate<Voucher> { #Predicate { $0.number == number } }

  @Test(arguments: [smallStack, 8 << 20])
  func joinedInALoopTheyAreAnswered(_ stack: Int) async throws {
    let counts = try await onThread(stack) {
      let context = try Self.filled()
      var (any, all, before, negated) = (Self.equals(-1), Self.equals(-1).negated, Self.equals(-1), Self.equals(3))
      for number in 5..<2_000 {
        any = any.or(Self.equals(number))
        all = all.and(Self.equals(number).negated)
        before = Self.equals(number).or(before)
        negated = negated.negated
      }
      return try [any, all, before, negated].map { try context.fetchCount(FetchDescriptor(predicate: $0)) }
    }
    #expect(counts == [6, 5, 6, 10])
  }

  /// `||` and `&&` in turn, so that each lies within the other.
  @Test(arguments: [smallStack, 8 << 20])
  func joinedInTurnTheyAreAnswered(_ stack: Int) async throws {
    let (found, evaluated) = try await onThread(stack) {
      let context = try Self.filled()
      var wanted = Self.equals(3)
      for number in 0..<900 {
        let other = Self.equals(number)
        wanted = number.isMultiple(of: 2) ? wanted.or(other) : wanted.and(other.negated)
      }
      let all = try context.fetch(FetchDescriptor<Voucher>())
      return (
        try context.fetch(FetchDescriptor(predicate: wanted)).map(\.number).sorted(),
        try all.filter { try wanted.evaluate($0) }.map(\.number).sorted()
      )
    }
    #expect(found == evaluated)
    #expect(found == [0, 2, 4, 6, 8, 10])
  }

  /// Nothing is lost where the last reference goes, however deep.
  @Test func whatIsTooDeepThrowsAndIsLetGo() async throws {
    let code = try await onThread(Self.smallStack) {
      let context = try Self.filled()
      var wanted = Self.equals(3)
      for number in 0..<20_000 {
        wanted = number.isMultiple(of: 2) ? wanted.or(Self.equals(number)) : wanted.and(Self.equals(number).negated)
      }
      let error = #expect(throws: SwiftDataError.self) { try context.fetchCount(FetchDescriptor(predicate: wanted)) }
      #expect(error?.localizedDescription.contains("Predicate.all") == true)
      return error == .unsupportedPredicate
    }
    #expect(code)
  }

  private static func plus<Left: StandardPredicateExpression<Int>>(
    _ left: Left, _ number: Int
  ) -> any StandardPredicateExpression<Int> {
    PredicateExpressions.build_Arithmetic(lhs: left, rhs: PredicateExpressions.build_Arg(number), op: .add)
  }

  private static func isLarge<Value: StandardPredicateExpression<Int>>(
    _ value: Value, _ least: Int
  ) -> any StandardPredicateExpression<Bool> {
    PredicateExpressions.build_Comparison(lhs: value, rhs: PredicateExpressions.build_Arg(least), op: .greaterThan)
  }

  /// Expressions that a program builds itself, in which each is a part of the next one's type.
  private static func sum(of count: Int, isLargerThan least: Int) -> Predicate<Voucher> {
    Predicate { variable in
      var value: any StandardPredicateExpression<Int> = PredicateExpressions.build_KeyPath(
        root: variable, keyPath: \.number)
      for number in 0..<count { value = plus(value, number % 2) }
      return isLarge(value, least)
    }
  }

  @Test(arguments: [smallStack, 8 << 20])
  func longSumsAreAnswered(_ stack: Int) async throws {
    let counts = try await onThread(stack) {
      let context = try Self.filled()
      return [
        try context.fetchCount(FetchDescriptor(predicate: Self.sum(of: 10, isLargerThan: 9))),
        try context.fetchCount(FetchDescriptor(predicate: Self.sum(of: 900, isLargerThan: 454))),
      ]
    }
    #expect(counts == [6, 6])
  }

  @Test(arguments: [smallStack, 8 << 20]) func tooLongASumThrows(_ stack: Int) async throws {
    _ = try await onThread(stack) {
      let context = try Self.filled()
      #expect(throws: SwiftDataError.unsupportedPredicate) {
        try context.fetchCount(FetchDescriptor(predicate: Self.sum(of: 2_000, isLargerThan: 9)))
      }
    }
  }

  /// Parts that compute something of a captured value, and of the object.
  @Test(arguments: [50, 300, 3_000])
  func listsOfComputedPartsAreAnswered(_ count: Int) async throws {
    let counts = try await onThread(Self.smallStack) {
      let context = try Self.filled()
      let captured = (0..<count).map { i in #Predicate<Voucher> { $0.number > i - 10_000 } }
      let computed = (0..<count).map { i in #Predicate<Voucher> { $0.number * 2 + i > 9 } }
      return try [captured, computed].flatMap { parts in
        try [Predicate.any(parts), Predicate.all(parts)].map {
          try context.fetchCount(FetchDescriptor(predicate: $0))
        }
      }
    }
    #expect(counts == [11, 11, 11, 6])
  }

  // MARK: - What does not depend on the object

  private func sql(_ predicate: Predicate<Specimen>) throws -> String {
    try PredicatePlan(predicate.expression, Specimen._$layout).whereSQL
  }

  @Test func whatIsComputedOfCapturedValuesIsBound() throws {
    let (number, name, names) = (7, "Ab", ["x", "Ab"])
    #expect(try sql(#Predicate { $0.count > number - 1_000 }) == #"("count" > ?1)"#)
    #expect(try sql(#Predicate { $0.count == -number * 2 + 1 }) == #"("count" = ?1)"#)
    #expect(try sql(#Predicate { names.contains(name) && $0.count == number }) == #"(?1 AND ("count" = ?2))"#)
    // What is the object's remains.
    #expect(try sql(#Predicate { $0.count + number > 3 }).contains("larder_add"))
    let plan = try PredicatePlan(
      #Predicate<Specimen> { $0.count > number - 1_000 }.expression, Specimen._$layout)
    let other = 8
    let same = #Predicate<Specimen> { $0.count > other - 1_000 }
    #expect(try plan.boundValues(same.expression) == [.scalar(.integer(-992))])
  }

  /// As in Swift: only where an object makes it come to that.
  @Test func whatCannotBeComputedFailsOnlyWhereItIsReached() throws {
    let context = try Self.filled()
    func quotient(_ divisor: Int, ofThose least: Int) -> Predicate<Voucher> {
      #Predicate { $0.number > least && 10 / divisor > 2 }
    }
    #expect(try context.fetchCount(FetchDescriptor(predicate: quotient(2, ofThose: 4))) == 6)
    #expect(try context.fetchCount(FetchDescriptor(predicate: quotient(0, ofThose: 40))) == 0)
    #expect(throws: FetchError.self) { try context.fetchCount(FetchDescriptor(predicate: quotient(0, ofThose: 4))) }
    #expect(try context.fetchCount(FetchDescriptor(predicate: quotient(3, ofThose: 8))) == 2)
    // Once more by plans that are known.
    #expect(try context.fetchCount(FetchDescriptor(predicate: quotient(0, ofThose: 40))) == 0)
    #expect(try context.fetchCount(FetchDescriptor(predicate: quotient(9, ofThose: 4))) == 0)
  }
}
