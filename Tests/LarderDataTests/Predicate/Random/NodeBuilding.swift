import Foundation
import LarderData
import SwiftData

/// A part of a predicate whose type is not known before the program runs.
typealias Part<Value> = any StandardPredicateExpression<Value>

/// Puts expressions together of parts whose types were erased: each function opens them again.
enum Build {
  typealias Standard = StandardPredicateExpression
  typealias P = PredicateExpressions

  static func value<V: Codable & Sendable>(_ value: V) -> Part<V> { P.Value(value) }
  static func keyPath<K, V, R: Standard<K>>(_ root: R, _ path: any KeyPath<K, V> & Sendable) -> Part<V> {
    P.KeyPath(root: root, keyPath: path)
  }

  static func equal<V: Equatable, L: Standard<V>, R: Standard<V>>(_ l: L, _ r: R) -> Part<Bool> {
    P.Equal(lhs: l, rhs: r)
  }
  static func notEqual<V: Equatable, L: Standard<V>, R: Standard<V>>(_ l: L, _ r: R) -> Part<Bool> {
    P.NotEqual(lhs: l, rhs: r)
  }
  static func isNil<V: Equatable, L: Standard<V?>>(_ l: L, _ isNil: Bool) -> Part<Bool> {
    isNil ? P.Equal(lhs: l, rhs: P.NilLiteral<V>()) : P.NotEqual(lhs: l, rhs: P.NilLiteral<V>())
  }
  static func compare<V: Comparable, L: Standard<V>, R: Standard<V>>(
    _ l: L, _ r: R, _ op: PredicateExpressions.ComparisonOperator
  ) -> Part<Bool> { P.Comparison(lhs: l, rhs: r, op: op) }

  static func and<L: Standard<Bool>, R: Standard<Bool>>(_ l: L, _ r: R) -> Part<Bool> { P.Conjunction(lhs: l, rhs: r) }
  static func or<L: Standard<Bool>, R: Standard<Bool>>(_ l: L, _ r: R) -> Part<Bool> { P.Disjunction(lhs: l, rhs: r) }
  static func not<L: Standard<Bool>>(_ l: L) -> Part<Bool> { P.Negation(l) }
  static func conditional<V, T: Standard<Bool>, L: Standard<V>, R: Standard<V>>(_ t: T, _ l: L, _ r: R) -> Part<V> {
    P.Conditional(test: t, trueBranch: l, falseBranch: r)
  }
  static func coalesce<V, L: Standard<V?>, R: Standard<V>>(_ l: L, _ r: R) -> Part<V> { P.NilCoalesce(lhs: l, rhs: r) }
  static func unwrap<V, L: Standard<V?>>(_ l: L) -> Part<V> { P.ForcedUnwrap(l) }
  static func flatMap<V, W, L: Standard<V?>, B: Standard<W>>(
    _ l: L, _ variable: P.Variable<V>, _ body: B, applied: Bool = false
  ) -> Part<W?> {
    if applied { return P.OptionalFlatMap(l) { P.Applied(body, variable: variable, argument: $0) } }
    return written(P.OptionalFlatMap(l) { _ in body }, \.variable, variable)
  }
  /// A chain whose end is optional itself.
  static func flatMap<V, W, L: Standard<V?>, B: Standard<W?>>(
    flat l: L, _ variable: P.Variable<V>, _ body: B
  ) -> Part<W?> {
    let node: P.OptionalFlatMap<L, V, B, W> = P.OptionalFlatMap(l) { _ in body }
    return written(node, \.variable, variable)
  }

  /// Nodes that have a variable draw it themselves, and take a body of a type that is known. A body that is made before
  /// has its own, which is put in that one's place.
  private static func written<N, V>(
    _ node: N, _ field: KeyPath<N, PredicateExpressions.Variable<V>>, _ variable: PredicateExpressions.Variable<V>
  ) -> N {
    guard let offset = MemoryLayout<N>.offset(of: field) else { preconditionFailure("\(N.self) has no place for it") }
    var node = node
    // A variable is a number.
    withUnsafeMutableBytes(of: &node) { bytes in
      bytes.storeBytes(of: variable, toByteOffset: offset, as: PredicateExpressions.Variable<V>.self)
    }
    return node
  }

  static func arithmetic<V: Numeric, L: Standard<V>, R: Standard<V>>(
    _ l: L, _ r: R, _ op: PredicateExpressions.ArithmeticOperator
  ) -> Part<V> { P.Arithmetic(lhs: l, rhs: r, op: op) }
  static func divide<V: BinaryInteger, L: Standard<V>, R: Standard<V>>(_ l: L, _ r: R) -> Part<V> {
    P.IntDivision(lhs: l, rhs: r)
  }
  static func remainder<V: BinaryInteger, L: Standard<V>, R: Standard<V>>(_ l: L, _ r: R) -> Part<V> {
    P.IntRemainder(lhs: l, rhs: r)
  }
  static func divideReal<V: FloatingPoint, L: Standard<V>, R: Standard<V>>(_ l: L, _ r: R) -> Part<V> {
    P.FloatDivision(lhs: l, rhs: r)
  }
  static func minus<V: SignedNumeric, L: Standard<V>>(_ l: L) -> Part<V> { P.UnaryMinus(l) }

  static func contains<L: Standard<String>, R: Standard<String>>(_ l: L, text r: R) -> Part<Bool> {
    P.CollectionContainsCollection(base: l, other: r)
  }
  static func contains<V: Equatable, L: Standard<[V]>, R: Standard<[V]>>(_ l: L, list r: R) -> Part<Bool> {
    P.CollectionContainsCollection(base: l, other: r)
  }
  static func starts<L: Standard<String>, R: Standard<String>>(_ l: L, text r: R) -> Part<Bool> {
    P.SequenceStartsWith(base: l, prefix: r)
  }
  static func starts<V: Equatable, L: Standard<[V]>, R: Standard<[V]>>(_ l: L, list r: R) -> Part<Bool> {
    P.SequenceStartsWith(base: l, prefix: r)
  }
  static func matches<L: Standard<String>>(_ l: L, _ regex: PredicateExpressions.PredicateRegex) -> Part<Bool> {
    P.StringContainsRegex(subject: l, regex: P.Value(regex))
  }
  static func member<V: Equatable, L: Standard<[V]>, R: Standard<V>>(_ l: L, _ r: R) -> Part<Bool> {
    P.SequenceContains(sequence: l, element: r)
  }
  static func closed<V: Comparable, A: Standard<V>, B: Standard<V>, R: Standard<V>>(_ a: A, _ b: B, _ r: R) -> Part<
    Bool
  > {
    P.RangeExpressionContains(range: P.ClosedRange(lower: a, upper: b), element: r)
  }
  static func half<V: Comparable, A: Standard<V>, B: Standard<V>, R: Standard<V>>(_ a: A, _ b: B, _ r: R) -> Part<Bool>
  {
    P.RangeExpressionContains(range: P.Range(lower: a, upper: b), element: r)
  }

  static func containsWhere<V, L: Standard<[V]>, B: Standard<Bool>>(
    _ l: L, _ v: P.Variable<V>, _ body: B, applied: Bool = false
  ) -> Part<Bool> {
    if applied { return P.SequenceContainsWhere(l) { P.Applied(body, variable: v, argument: $0) } }
    return written(P.SequenceContainsWhere(l) { _ in body }, \.variable, v)
  }
  static func allSatisfy<V, L: Standard<[V]>, B: Standard<Bool>>(
    _ l: L, _ v: P.Variable<V>, _ body: B, applied: Bool = false
  ) -> Part<Bool> {
    if applied { return P.SequenceAllSatisfy(l) { P.Applied(body, variable: v, argument: $0) } }
    return written(P.SequenceAllSatisfy(l) { _ in body }, \.variable, v)
  }
  static func filter<V, L: Standard<[V]>, B: Standard<Bool>>(
    _ l: L, _ v: P.Variable<V>, _ body: B, applied: Bool = false
  ) -> Part<[V]> {
    if applied { return P.Filter(l) { P.Applied(body, variable: v, argument: $0) } }
    return written(P.Filter(l) { _ in body }, \.variable, v)
  }
  static func largest<V: Comparable, L: Standard<[V]>>(_ l: L) -> Part<V?> { P.SequenceMaximum(elements: l) }
  static func smallest<V: Comparable, L: Standard<[V]>>(_ l: L) -> Part<V?> { P.SequenceMinimum(elements: l) }
  static func element<V, L: Standard<[V]>, R: Standard<Int>>(_ l: L, _ r: R) -> Part<V> {
    P.CollectionIndexSubscript(wrapped: l, index: r)
  }
  static func slice<V, L: Standard<[V]>, R: Standard<Range<Int>>>(_ l: L, _ r: R) -> Part<ArraySlice<V>> {
    P.CollectionRangeSubscript(wrapped: l, range: r)
  }
  static func member<V: Equatable, L: Standard<ArraySlice<V>>, R: Standard<V>>(slice l: L, _ r: R) -> Part<Bool> {
    P.SequenceContains(sequence: l, element: r)
  }
  static func key<L: Standard<[String: Int]>, R: Standard<String>>(_ l: L, _ r: R) -> Part<Int?> {
    P.DictionaryKeySubscript(wrapped: l, key: r)
  }
  static func key<L: Standard<[String: Int]>, R: Standard<String>, D: Standard<Int>>(_ l: L, _ r: R, default d: D)
    -> Part<Int>
  {
    P.DictionaryKeyDefaultValueSubscript(wrapped: l, key: r, default: d)
  }

  static func isType<V, W, L: Standard<V>>(_ l: L, _ type: W.Type) -> Part<Bool> { P.TypeCheck<L, W>(l) }
  static func cast<V, W, L: Standard<V>>(_ l: L, _ type: W.Type) -> Part<W?> { P.ConditionalCast<L, W>(l) }
  static func forceCast<V, W, L: Standard<V>>(_ l: L, _ type: W.Type) -> Part<W> { P.ForceCast<L, W>(l) }

  static func localizedContains<L: Standard<String>, R: Standard<String>>(_ l: L, _ r: R) -> Part<Bool> {
    P.build_localizedStandardContains(l, r)
  }
  static func localizedCompare<L: Standard<String>, R: Standard<String>>(_ l: L, _ r: R) -> Part<ComparisonResult> {
    P.build_localizedCompare(l, r)
  }
  static func caseInsensitive<L: Standard<String>, R: Standard<String>>(_ l: L, _ r: R) -> Part<ComparisonResult> {
    P.build_caseInsensitiveCompare(l, r)
  }
}
