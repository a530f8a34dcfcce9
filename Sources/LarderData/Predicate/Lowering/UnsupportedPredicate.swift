import Foundation

/// The errors for parts of a predicate that the store cannot evaluate. Each names the part, as in the source.
enum UnsupportedPredicate {
  static func expression(_ type: any Any.Type) -> SwiftDataError {
    SwiftDataError.unsupportedPredicate.explained(
      "\(name(of: type)) isn't supported in a predicate here. Fetch with the rest of the predicate, and filter what "
        + "comes back in Swift; or compute what doesn't depend on the model before, and capture it.")
  }

  static var tooDeep: SwiftDataError {
    because(
      "The predicate's parts lie more than \(Term.maximumHeight) deep within one another. Join conditions by Predicate.all and "
        + "Predicate.any, which make no depth; or fetch with a part of it, and filter what comes back in Swift.")
  }

  static func because(_ sentence: String) -> SwiftDataError {
    SwiftDataError.unsupportedPredicate.explained(sentence)
  }

  static func keyPath(_ keyPath: AnyKeyPath, of type: any Any.Type) -> SwiftDataError {
    let name = ReadableKeyPath.text(keyPath)
    // The description of a computed property is an address.
    let isComputed = "\(keyPath)".contains("<computed")
    let subject = isComputed ? "\(name) (\(Swift.type(of: keyPath).valueType)) is computed or transient: it" : name
    return because(
      "\(subject) isn't something that the store has: a predicate can use the model's stored properties, relationships and "
        + "identifier, members of composites, rawValue of an enumeration, and count and isEmpty of strings, data and "
        + "collections. Store what the property computes, or filter what comes back in Swift.")
  }

  static func collection(_ keyPath: AnyKeyPath, _ type: any Any.Type) -> SwiftDataError {
    because(
      "Of \(type) a predicate can ask contains(where:), allSatisfy, filter, count and isEmpty. Ask one of these, or filter "
        + "what comes back in Swift.")
  }

  /// Returns the Swift syntax of an expression, from the name of its node.
  static func name(of type: any Any.Type) -> String {
    let full = String(describing: type)
    let node = full.prefix { $0 != "<" }
    return spelling[String(node)] ?? String(node)
  }

  private static let spelling: [String: String] = [
    "Arithmetic": "arithmetic (+, -, *)", "IntDivision": "/", "FloatDivision": "/", "IntRemainder": "%",
    "UnaryMinus": "unary -", "CollectionIndexSubscript": "a subscript by index",
    "CollectionRangeSubscript": "a subscript by a range", "CollectionContainsCollection": "contains(_:)",
    "ConditionalCast": "as?", "ForceCast": "as!", "TypeCheck": "is", "Conditional": "?:",
    "DictionaryKeySubscript": "a subscript by key", "DictionaryKeyDefaultValueSubscript": "a subscript by key",
    "Filter": "filter", "SequenceAllSatisfy": "allSatisfy", "SequenceContains": "contains(_:)",
    "SequenceContainsWhere": "contains(where:)", "SequenceMaximum": "max()", "SequenceMinimum": "min()",
    "SequenceStartsWith": "starts(with:)", "StringContainsRegex": "contains with a regular expression",
    "ExpressionEvaluate": "evaluate of an expression", "PredicateEvaluate": "evaluate of a predicate",
    "NilCoalesce": "??", "OptionalFlatMap": "optional chaining", "ForcedUnwrap": "!",
  ]
}
