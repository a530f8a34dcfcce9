import Foundation
import SwiftData

@testable import LarderData

/// An expression as coverage is counted: what it is called, and what it is made of.
protocol CountedNode: PredicateExpression {
  static var nodeName: String { get }
  var parts: [any PredicateExpression] { get }
}

extension PredicateExpression {
  fileprivate static var givesOptional: Bool { Output.self is any OptionalType.Type }
}

/// The expressions of a predicate by their names, and those of them that are asked something that may be nil.
struct NodeNames {
  private(set) var all: Set<String> = []
  private(set) var withNil: Set<String> = []
  /// Expressions that nobody counts yet.
  private(set) var unknown: Set<String> = []

  init(_ root: any PredicateExpression) { _ = visit(root) }

  /// - Returns: Whether there is something that may be nil in it.
  private mutating func visit(_ node: any PredicateExpression) -> Bool {
    guard let counted = node as? any CountedNode else {
      unknown.insert(String("\(type(of: node))".prefix { $0 != "<" }))
      return false
    }
    let name = type(of: counted).nodeName
    all.insert(name)
    var mayBeNil = type(of: counted).givesOptional
    for part in counted.parts where visit(part) { mayBeNil = true }
    if mayBeNil { withNil.insert(name) }
    return mayBeNil
  }
}

/// Whether a type is that of a model, an optional one or an array of them.
private enum Reached {
  static func name(_ name: String, _ type: any Any.Type) -> String { isModels(type) ? "\(name) of related" : name }
  static func isModels(_ type: any Any.Type) -> Bool { type is any ModelList.Type }
  static func isModel(_ type: any Any.Type) -> Bool { type is any PersistentModel.Type || type is any MaybeModel.Type }
}

private protocol ModelList {}
private protocol MaybeModel {}
extension Array: ModelList where Element: PersistentModel {}
extension Optional: MaybeModel where Wrapped: PersistentModel {}

extension PredicateExpressions.Value: CountedNode {
  static var nodeName: String { "Value" }
  var parts: [any PredicateExpression] { [] }
}
extension PredicateExpressions.Variable: CountedNode {
  static var nodeName: String { "Variable" }
  var parts: [any PredicateExpression] { [] }
}
extension PredicateExpressions.NilLiteral: CountedNode {
  static var nodeName: String { "NilLiteral" }
  var parts: [any PredicateExpression] { [] }
}
extension PredicateExpressions.KeyPath: CountedNode {
  static var nodeName: String {
    if Reached.isModel(Output.self) { return "KeyPath to one" }
    if Reached.isModels(Output.self) || Output.self == [Grain]?.self { return "KeyPath to many" }
    if Output.self == PersistentIdentifier.self { return "KeyPath to identifier" }
    if Root.Output.self == String.self { return "count of String" }
    if Reached.isModels(Root.Output.self) { return Output.self == Int.self ? "count of related" : "isEmpty of related" }
    return "KeyPath"
  }
  var parts: [any PredicateExpression] { [root] }
}
extension PredicateExpressions.Applied: CountedNode {
  static var nodeName: String { "Applied" }
  var parts: [any PredicateExpression] { [body, argument] }
}
extension PredicateExpressions.Equal: CountedNode {
  static var nodeName: String { Reached.isModel(LHS.Output.self) ? "Equal of related" : "Equal" }
  var parts: [any PredicateExpression] { [lhs, rhs] }
}
extension PredicateExpressions.NotEqual: CountedNode {
  static var nodeName: String { Reached.isModel(LHS.Output.self) ? "NotEqual of related" : "NotEqual" }
  var parts: [any PredicateExpression] { [lhs, rhs] }
}
extension PredicateExpressions.Comparison: CountedNode {
  static var nodeName: String { "Comparison" }
  var parts: [any PredicateExpression] { [lhs, rhs] }
}
extension PredicateExpressions.Conjunction: CountedNode {
  static var nodeName: String { "Conjunction" }
  var parts: [any PredicateExpression] { [lhs, rhs] }
}
extension PredicateExpressions.Disjunction: CountedNode {
  static var nodeName: String { "Disjunction" }
  var parts: [any PredicateExpression] { [lhs, rhs] }
}
extension PredicateExpressions.Negation: CountedNode {
  static var nodeName: String { "Negation" }
  var parts: [any PredicateExpression] { [wrapped] }
}
extension PredicateExpressions.Conditional: CountedNode {
  static var nodeName: String { "Conditional" }
  var parts: [any PredicateExpression] { [test, trueBranch, falseBranch] }
}
extension PredicateExpressions.NilCoalesce: CountedNode {
  static var nodeName: String { "NilCoalesce" }
  var parts: [any PredicateExpression] { [lhs, rhs] }
}
extension PredicateExpressions.OptionalFlatMap: CountedNode {
  static var nodeName: String {
    let isRelated = Wrapped.self is any PersistentModel.Type || Reached.isModels(Wrapped.self)
    return isRelated ? "OptionalFlatMap of related" : "OptionalFlatMap"
  }
  var parts: [any PredicateExpression] { [wrapped, transform] }
}
extension PredicateExpressions.ForcedUnwrap: CountedNode {
  static var nodeName: String { Reached.name("ForcedUnwrap", Output.self) }
  var parts: [any PredicateExpression] { [inner] }
}
extension PredicateExpressions.Arithmetic: CountedNode {
  static var nodeName: String { "Arithmetic" }
  var parts: [any PredicateExpression] { [lhs, rhs] }
}
extension PredicateExpressions.IntDivision: CountedNode {
  static var nodeName: String { "IntDivision" }
  var parts: [any PredicateExpression] { [lhs, rhs] }
}
extension PredicateExpressions.IntRemainder: CountedNode {
  static var nodeName: String { "IntRemainder" }
  var parts: [any PredicateExpression] { [lhs, rhs] }
}
extension PredicateExpressions.FloatDivision: CountedNode {
  static var nodeName: String { "FloatDivision" }
  var parts: [any PredicateExpression] { [lhs, rhs] }
}
extension PredicateExpressions.UnaryMinus: CountedNode {
  static var nodeName: String { "UnaryMinus" }
  var parts: [any PredicateExpression] { [wrapped] }
}
extension PredicateExpressions.CollectionContainsCollection: CountedNode {
  static var nodeName: String { "CollectionContainsCollection" }
  var parts: [any PredicateExpression] { [base, other] }
}
extension PredicateExpressions.SequenceStartsWith: CountedNode {
  static var nodeName: String { "SequenceStartsWith" }
  var parts: [any PredicateExpression] { [base, prefix] }
}
extension PredicateExpressions.StringContainsRegex: CountedNode {
  static var nodeName: String { "StringContainsRegex" }
  var parts: [any PredicateExpression] { [subject, regex] }
}
extension PredicateExpressions.SequenceContains: CountedNode {
  static var nodeName: String { Reached.name("SequenceContains", LHS.Output.self) }
  var parts: [any PredicateExpression] { [sequence, element] }
}
extension PredicateExpressions.SequenceContainsWhere: CountedNode {
  static var nodeName: String { Reached.name("SequenceContainsWhere", LHS.Output.self) }
  var parts: [any PredicateExpression] { [sequence, test] }
}
extension PredicateExpressions.SequenceAllSatisfy: CountedNode {
  static var nodeName: String { Reached.name("SequenceAllSatisfy", LHS.Output.self) }
  var parts: [any PredicateExpression] { [sequence, test] }
}
extension PredicateExpressions.Filter: CountedNode {
  static var nodeName: String { Reached.name("Filter", LHS.Output.self) }
  var parts: [any PredicateExpression] { [sequence, filter] }
}
extension PredicateExpressions.SequenceMaximum: CountedNode {
  static var nodeName: String { "SequenceMaximum" }
  var parts: [any PredicateExpression] { [elements] }
}
extension PredicateExpressions.SequenceMinimum: CountedNode {
  static var nodeName: String { "SequenceMinimum" }
  var parts: [any PredicateExpression] { [elements] }
}
extension PredicateExpressions.CollectionIndexSubscript: CountedNode {
  static var nodeName: String { "CollectionIndexSubscript" }
  var parts: [any PredicateExpression] { [wrapped, index] }
}
extension PredicateExpressions.CollectionRangeSubscript: CountedNode {
  static var nodeName: String { "CollectionRangeSubscript" }
  var parts: [any PredicateExpression] { [wrapped, range] }
}
extension PredicateExpressions.DictionaryKeySubscript: CountedNode {
  static var nodeName: String { "DictionaryKeySubscript" }
  var parts: [any PredicateExpression] { [wrapped, key] }
}
extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: CountedNode {
  static var nodeName: String { "DictionaryKeyDefaultValueSubscript" }
  var parts: [any PredicateExpression] { [wrapped, key, self.default] }
}
extension PredicateExpressions.RangeExpressionContains: CountedNode {
  static var nodeName: String { "RangeExpressionContains" }
  var parts: [any PredicateExpression] { [range, element] }
}
extension PredicateExpressions.Range: CountedNode {
  static var nodeName: String { "Range" }
  var parts: [any PredicateExpression] { [lower, upper] }
}
extension PredicateExpressions.ClosedRange: CountedNode {
  static var nodeName: String { "ClosedRange" }
  var parts: [any PredicateExpression] { [lower, upper] }
}
extension PredicateExpressions.TypeCheck: CountedNode {
  static var nodeName: String { "TypeCheck" }
  var parts: [any PredicateExpression] { [input] }
}
extension PredicateExpressions.ConditionalCast: CountedNode {
  static var nodeName: String { "ConditionalCast" }
  var parts: [any PredicateExpression] { [input] }
}
extension PredicateExpressions.ForceCast: CountedNode {
  static var nodeName: String { "ForceCast" }
  var parts: [any PredicateExpression] { [input] }
}
extension PredicateExpressions.StringLocalizedStandardContains: CountedNode {
  static var nodeName: String { "localizedStandardContains" }
  var parts: [any PredicateExpression] { [root, other] }
}
extension PredicateExpressions.StringLocalizedCompare: CountedNode {
  static var nodeName: String { "localizedCompare" }
  var parts: [any PredicateExpression] { [root, other] }
}
extension PredicateExpressions.StringCaseInsensitiveCompare: CountedNode {
  static var nodeName: String { "caseInsensitiveCompare" }
  var parts: [any PredicateExpression] { [root, other] }
}
