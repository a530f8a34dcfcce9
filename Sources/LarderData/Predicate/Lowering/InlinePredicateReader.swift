public import Foundation

/// Reads a predicate's expression in place.
///
/// Swift copies an optional existential in order to inspect it. For a predicate, each fetch would copy its expression and
/// its variable, and look up the variable's type. Only the expression is needed, and it is a predicate's first field.
@usableFromInline
package enum InlinePredicateReader {
  /// Whether the expression is a predicate's first field, and is nil for a nil predicate. Checked once in a process, with
  /// predicates of this version of Foundation; otherwise predicates are copied.
  @usableFromInline package static let isReadable: Bool = {
    let small = Predicate<Int> { _ in PredicateExpressions.build_Arg(true) }
    let large = Predicate<Int> { variable in
      PredicateExpressions.build_Equal(
        lhs: PredicateExpressions.build_Arg(variable), rhs: PredicateExpressions.build_Arg(1))
    }
    return MemoryLayout<Predicate<Int>?>.size == MemoryLayout<Predicate<Int>>.size
      && startsWithExpression(small, isBoxed: false) && startsWithExpression(large, isBoxed: true)
      && startsWithExpression(nil, isBoxed: false)
  }()

  /// Returns whether a predicate begins with its expression. Bytes are compared, and nothing is interpreted: the words that
  /// identify the type, which also mark nil, and the reference to a value that does not fit inline. An inline value has
  /// padding with arbitrary bytes.
  private static func startsWithExpression(_ predicate: Predicate<Int>?, isBoxed: Bool) -> Bool {
    typealias Expression = (any StandardPredicateExpression<Bool>)?
    let expression: Expression = predicate?.expression
    let word = MemoryLayout<UnsafeRawPointer>.size
    let buffer = 3 * word
    return withUnsafeBytes(of: predicate) { whole in
      withUnsafeBytes(of: expression) { part in
        guard part.count > buffer, whole.count >= part.count else { return false }
        let typeWords = buffer..<(predicate == nil ? buffer + word : part.count)
        return whole[typeWords].elementsEqual(part[typeWords])
          && (!isBoxed || whole[..<word].elementsEqual(part[..<word]))
      }
    }
  }

  /// Returns the expression of a predicate.
  ///
  /// - Parameter predicate: The address of an optional predicate.
  @usableFromInline
  static func expression(at predicate: UnsafeRawPointer) -> (any StandardPredicateExpression<Bool>)? {
    predicate.load(as: (any StandardPredicateExpression<Bool>)?.self)
  }
}
