import DurabilityWork
import Foundation
import LarderData
import SwiftData
import Testing

/// Predicates that come from elsewhere.
///
/// Foundation has no coded form of a predicate over a model on Linux: its `KeyPath` refuses. What it does read are the
/// parts around one, whose types the program knows: captured values, operators, ranges, and the variables of iterations,
/// which are numbers that may be those of other variables, or of none.
@Suite(.serialized) struct CodedPredicateTests {
  /// The whole, which `LARDER_SIZE=100` runs.
  private static let whole = 1_000_000
  private static let few = 3_000

  private typealias E = PredicateExpressions
  private typealias Part = StandardPredicateExpression<Bool> & Codable
  private typealias Number = E.Value<Int>
  private typealias Text = E.Value<String>
  private typealias Numbers = E.Value<[Int]>
  private typealias Element = E.Variable<Int>

  @Test func foundationReadsNoKeyPath() throws {
    let path = E.KeyPath(root: E.Variable<Spoon>(), keyPath: \Spoon.size)
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(path) }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(E.KeyPath<E.Variable<Spoon>, Int>.self, from: Data(#"{"key":0}"#.utf8))
    }
  }

  /// A part of a kind, as it is well, and what is asked with one that was read.
  private struct Kind {
    let well: [UInt8]
    let ask: (_ bytes: [UInt8], _ context: ModelContext, _ joined: Int) throws -> Bool

    init<Tree: Part>(_ tree: Tree) throws {
      well = Array(try JSONEncoder().encode(tree))
      ask = { bytes, context, joined in
        guard let tree = try? JSONDecoder().decode(Tree.self, from: Data(bytes)) else { return false }
        let predicate = Predicate<Spoon> { spoon -> any StandardPredicateExpression<Bool> in
          let size = E.build_Comparison(
            lhs: E.KeyPath(root: spoon, keyPath: \Spoon.size), rhs: Number(2), op: .greaterThanOrEqual)
          return switch joined % 3 {
          case 0: tree
          case 1: E.Conjunction(lhs: size, rhs: tree)
          default: E.Disjunction(lhs: E.Negation(tree), rhs: size)
          }
        }
        try CodedPredicateTests.fetch(predicate, context)
        if joined % 5 == 0 { try CodedPredicateTests.fetch(predicate.negated.or(predicate), context) }
        return true
      }
    }
  }

  private static func fetch(_ predicate: Predicate<Spoon>, _ context: ModelContext) throws {
    do {
      let descriptor = FetchDescriptor<Spoon>(predicate: predicate, sortBy: [SortDescriptor(\.size)])
      let found = try context.fetch(descriptor)
      let count = try context.fetchCount(descriptor)
      guard found.count == count else { throw WrongCount(found: found.count, count: count) }
    } catch let error as WrongCount {
      throw error
    } catch is FetchError {
    } catch is StoreError {
    } catch let error where SwiftDataError.unsupportedPredicate ~= error {
    }
  }

  private struct WrongCount: Error {
    let found: Int
    let count: Int
  }

  private func kinds() throws -> [Kind] {
    let numbers = Numbers([1, 2, 3])
    func less(_ left: Int, _ right: Int) -> E.Comparison<Number, Number> {
      E.build_Comparison(lhs: Number(left), rhs: Number(right), op: .lessThan)
    }
    func isSmall(_ element: Element) -> E.Comparison<Element, Number> {
      E.build_Comparison(lhs: element, rhs: Number(3), op: .lessThanOrEqual)
    }
    let sum = E.build_Arithmetic(lhs: Number(.max - 4), rhs: Number(3), op: .add)
    return [
      try Kind(E.Disjunction(lhs: E.Comparison(lhs: sum, rhs: Number(9), op: .greaterThan), rhs: less(1, 2))),
      try Kind(
        E.Equal(lhs: E.IntDivision(lhs: Number(7), rhs: Number(2)), rhs: E.IntRemainder(lhs: Number(7), rhs: Number(3)))
      ),
      try Kind(E.Equal(lhs: E.FloatDivision(lhs: E.Value(1.5), rhs: E.Value(0.5)), rhs: E.Value(3.0))),
      try Kind(E.SequenceContainsWhere(numbers) { isSmall($0) }),
      try Kind(E.SequenceAllSatisfy(E.Filter(numbers) { isSmall($0) }) { E.NotEqual(lhs: $0, rhs: Number(7)) }),
      try Kind(isSmall(Element())),
      try Kind(E.Equal(lhs: Element(), rhs: Element())),
      try Kind(E.Equal(lhs: E.CollectionIndexSubscript(wrapped: numbers, index: Number(1)), rhs: Number(2))),
      try Kind(E.RangeExpressionContains(range: E.Value(1..<5), element: Number(4))),
      try Kind(E.RangeExpressionContains(range: E.ClosedRange(lower: Number(1), upper: Number(5)), element: Number(4))),
      try Kind(E.RangeExpressionContains(range: E.Range(lower: Number(1), upper: Number(5)), element: Number(4))),
      try Kind(E.SequenceContains(sequence: numbers, element: Number(2))),
      try Kind(E.Conditional(test: less(1, 2), trueBranch: E.Value(true), falseBranch: E.Value(false))),
      try Kind(E.CollectionContainsCollection(base: Text("s1s2"), other: Text("s1"))),
      try Kind(E.SequenceStartsWith(base: Text("abc"), prefix: Text("a"))),
      try Kind(E.StringLocalizedStandardContains(root: Text("Straße"), other: Text("SS"))),
      try Kind(
        E.Equal(
          lhs: E.StringCaseInsensitiveCompare(root: Text("a"), other: Text("B")),
          rhs: E.Value(ComparisonResult.orderedAscending))),
      try Kind(E.Equal(lhs: E.UnaryMinus(Number(.min + 1)), rhs: Number(1))),
      try Kind(
        E.Equal(
          lhs: E.NilCoalesce(lhs: E.Value(Int?.some(3)), rhs: Number(1)),
          rhs: E.ForcedUnwrap(E.Value(Int?.some(3))))),
      try Kind(E.Equal(lhs: E.SequenceMaximum(elements: numbers), rhs: E.Value(Int?.some(3)))),
      try Kind(
        E.Equal(
          lhs: E.DictionaryKeyDefaultValueSubscript(wrapped: E.Value(["a": 1]), key: Text("a"), default: Number(0)),
          rhs: Number(1))),
    ]
  }

  @Test func predicatesThatAreNone() throws {
    let container = try ModelContainer(
      for: Spoon.self, Drawer.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    for number in 0..<5 { context.insert(Spoon("s\(number)", size: number)) }
    try context.save()
    // What is pending is asked by the evaluator, which must not end the program either.
    context.insert(Spoon("pending", size: 3))
    let kinds = try kinds()
    let all = kinds.map(\.well)
    // Of each kind something is right.
    for kind in kinds { #expect(try kind.ask(kind.well, context, 0)) }
    let rounds = Share.rounds(of: Self.whole, atLeast: Self.few)
    var taken = 0
    let guarded = Rounds("predicates", rounds)
    for round in 0..<rounds {
      guarded.begin(round)
      var random = SeededGenerator(seed: Share.seed, round)
      let kind = kinds[Int.random(in: 0..<kinds.count, using: &random)]
      // Most of what is mutated anywhere is no JSON any more.
      let bytes =
        Int.random(in: 0..<4, using: &random) == 0
        ? Mutation.of(kind.well, all, &random) : Mutation.ofValues(kind.well, &random)
      do {
        if try kind.ask(bytes, context, Int.random(in: 0..<15, using: &random)) { taken += 1 }
      } catch {
        Issue.record("seed \(Share.seed), round \(round): \(error), of \(String(decoding: bytes, as: UTF8.self))")
      }
    }
    print("seed \(Share.seed): \(taken) of \(rounds) predicates were taken")
    guarded.end()
    #expect(taken > 0 && taken < rounds)
  }
}
