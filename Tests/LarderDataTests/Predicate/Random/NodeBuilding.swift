import Foundation
import LarderData
import SwiftData

/// A part of a predicate whose type is not known before the program runs.
typealias Part<Value> = any StandardPredicateExpression<Value>

/// Puts expressions together of parts whose types were erased: each function opens them again.
enum Build {
  typealias Part = StandardPredicateExpression
  typealias P = PredicateExpressions

  static func value<V: Codable & Sendable>(_ value: V) -> Part<V> { P.Value(value) }
  static func keyPath<R: Part, V>(_ root: R, _ path: any KeyPath<R.Output, V> & Sendable) -> Part<V> {
    P.KeyPath(root: root, keyPath: path)
  }

  static func equal<V: Equatable, L: Part<V>, R: Part<V>>(_ l: L, _ r: R) -> Part<Bool> { P.Equal(lhs: l, rhs: r) }
  static func notEqual<V: Equatable, L: Part<V>, R: Part<V>>(_ l: L, _ r: R) -> Part<Bool> {
    P.NotEqual(lhs: l, rhs: r)
  }
  static func isNil<V: Equatable & Codable & Sendable, L: Part<V?>>(_ l: L, _ isNil: Bool) -> Part<Bool> {
    isNil ? P.Equal(lhs: l, rhs: P.NilLiteral<V>()) : P.NotEqual(lhs: l, rhs: P.NilLiteral<V>())
  }
  static func compare<V: Comparable, L: Part<V>, R: Part<V>>(
    _ l: L, _ r: R, _ op: PredicateExpressions.ComparisonOperator
  ) -> Part<Bool> { P.Comparison(lhs: l, rhs: r, op: op) }

  static func and<L: Part<Bool>, R: Part<Bool>>(_ l: L, _ r: R) -> Part<Bool> { P.Conjunction(lhs: l, rhs: r) }
  static func or<L: Part<Bool>, R: Part<Bool>>(_ l: L, _ r: R) -> Part<Bool> { P.Disjunction(lhs: l, rhs: r) }
  static func not<L: Part<Bool>>(_ l: L) -> Part<Bool> { P.Negation(l) }
  static func conditional<V, T: Part<Bool>, L: Part<V>, R: Part<V>>(_ t: T, _ l: L, _ r: R) -> Part<V> {
    P.Conditional(test: t, trueBranch: l, falseBranch: r)
  }
  static func coalesce<V, L: Part<V?>, R: Part<V>>(_ l: L, _ r: R) -> Part<V> { P.NilCoalesce(lhs: l, rhs: r) }
  static func unwrap<V, L: Part<V?>>(_ l: L) -> Part<V> { P.ForcedUnwrap(l) }
  static func flatMap<V, W, L: Part<V?>, B: Part<W>>(_ l: L, _ variable: P.Variable<V>, _ body: B) -> Part<W?> {
    P.OptionalFlatMap(l) { P.Applied(body, variable: variable, argument: $0) }
  }

  static func arithmetic<V: Numeric, L: Part<V>, R: Part<V>>(
    _ l: L, _ r: R, _ op: PredicateExpressions.ArithmeticOperator
  ) -> Part<V> { P.Arithmetic(lhs: l, rhs: r, op: op) }
  static func divide<V: BinaryInteger, L: Part<V>, R: Part<V>>(_ l: L, _ r: R) -> Part<V> {
    P.IntDivision(lhs: l, rhs: r)
  }
  static func remainder<V: BinaryInteger, L: Part<V>, R: Part<V>>(_ l: L, _ r: R) -> Part<V> {
    P.IntRemainder(lhs: l, rhs: r)
  }
  static func divideReal<V: FloatingPoint, L: Part<V>, R: Part<V>>(_ l: L, _ r: R) -> Part<V> {
    P.FloatDivision(lhs: l, rhs: r)
  }
  static func minus<V: SignedNumeric, L: Part<V>>(_ l: L) -> Part<V> { P.UnaryMinus(l) }

  static func contains<L: Part<String>, R: Part<String>>(_ l: L, text r: R) -> Part<Bool> {
    P.CollectionContainsCollection(base: l, other: r)
  }
  static func contains<V: Equatable, L: Part<[V]>, R: Part<[V]>>(_ l: L, list r: R) -> Part<Bool> {
    P.CollectionContainsCollection(base: l, other: r)
  }
  static func starts<L: Part<String>, R: Part<String>>(_ l: L, text r: R) -> Part<Bool> {
    P.SequenceStartsWith(base: l, prefix: r)
  }
  static func starts<V: Equatable, L: Part<[V]>, R: Part<[V]>>(_ l: L, list r: R) -> Part<Bool> {
    P.SequenceStartsWith(base: l, prefix: r)
  }
  static func matches<L: Part<String>>(_ l: L, _ regex: PredicateExpressions.PredicateRegex) -> Part<Bool> {
    P.StringContainsRegex(subject: l, regex: P.Value(regex))
  }
  static func member<V: Equatable, L: Part<[V]>, R: Part<V>>(_ l: L, _ r: R) -> Part<Bool> {
    P.SequenceContains(sequence: l, element: r)
  }
  static func closed<V: Comparable, A: Part<V>, B: Part<V>, R: Part<V>>(_ a: A, _ b: B, _ r: R) -> Part<Bool> {
    P.RangeExpressionContains(range: P.ClosedRange(lower: a, upper: b), element: r)
  }
  static func half<V: Comparable, A: Part<V>, B: Part<V>, R: Part<V>>(_ a: A, _ b: B, _ r: R) -> Part<Bool> {
    P.RangeExpressionContains(range: P.Range(lower: a, upper: b), element: r)
  }

  static func containsWhere<V, L: Part<[V]>, B: Part<Bool>>(_ l: L, _ v: P.Variable<V>, _ body: B) -> Part<Bool> {
    P.SequenceContainsWhere(l) { P.Applied(body, variable: v, argument: $0) }
  }
  static func allSatisfy<V, L: Part<[V]>, B: Part<Bool>>(_ l: L, _ v: P.Variable<V>, _ body: B) -> Part<Bool> {
    P.SequenceAllSatisfy(l) { P.Applied(body, variable: v, argument: $0) }
  }
  static func filter<V, L: Part<[V]>, B: Part<Bool>>(_ l: L, _ v: P.Variable<V>, _ body: B) -> Part<[V]> {
    P.Filter(l) { P.Applied(body, variable: v, argument: $0) }
  }
  static func largest<V: Comparable, L: Part<[V]>>(_ l: L) -> Part<V?> { P.SequenceMaximum(elements: l) }
  static func smallest<V: Comparable, L: Part<[V]>>(_ l: L) -> Part<V?> { P.SequenceMinimum(elements: l) }
  static func element<V, L: Part<[V]>, R: Part<Int>>(_ l: L, _ r: R) -> Part<V> {
    P.CollectionIndexSubscript(wrapped: l, index: r)
  }
  static func slice<V, L: Part<[V]>, R: Part<Range<Int>>>(_ l: L, _ r: R) -> Part<ArraySlice<V>> {
    P.CollectionRangeSubscript(wrapped: l, range: r)
  }
  static func member<V: Equatable, L: Part<ArraySlice<V>>, R: Part<V>>(slice l: L, _ r: R) -> Part<Bool> {
    P.SequenceContains(sequence: l, element: r)
  }
  static func key<L: Part<[String: Int]>, R: Part<String>>(_ l: L, _ r: R) -> Part<Int?> {
    P.DictionaryKeySubscript(wrapped: l, key: r)
  }
  static func key<L: Part<[String: Int]>, R: Part<String>, D: Part<Int>>(_ l: L, _ r: R, default d: D) -> Part<Int> {
    P.DictionaryKeyDefaultValueSubscript(wrapped: l, key: r, default: d)
  }

  static func isType<V, W, L: Part<V>>(_ l: L, _ type: W.Type) -> Part<Bool> { P.TypeCheck<L, W>(l) }
  static func cast<V, W, L: Part<V>>(_ l: L, _ type: W.Type) -> Part<W?> { P.ConditionalCast<L, W>(l) }
  static func forceCast<V, W, L: Part<V>>(_ l: L, _ type: W.Type) -> Part<W> { P.ForceCast<L, W>(l) }

  static func localizedContains<L: Part<String>, R: Part<String>>(_ l: L, _ r: R) -> Part<Bool> {
    P.build_localizedStandardContains(l, r)
  }
  static func localizedCompare<L: Part<String>, R: Part<String>>(_ l: L, _ r: R) -> Part<ComparisonResult> {
    P.build_localizedCompare(l, r)
  }
  static func caseInsensitive<L: Part<String>, R: Part<String>>(_ l: L, _ r: R) -> Part<ComparisonResult> {
    P.build_caseInsensitiveCompare(l, r)
  }
}
