public import Foundation

/// Reads a predicate's expression where it lies.
///
/// In Swift an optional that may hold anything is copied to be looked into: of a predicate that is its expression, its
/// variable, and a look for the type of that, for each fetch. What is wanted is the expression alone, with which a
/// predicate begins.
@usableFromInline
package enum InlinePredicateReader {
  /// Whether predicates do begin with their expressions, and lack one where they are nil. It is asked once in a process, of
  /// predicates as this Foundation makes them; where it is not so, they are copied.
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

  /// Whether a predicate begins with its expression. Bytes are compared, and nothing is taken for what it may not be: the
  /// words that name the type, by which nil is told apart, too, and the reference to what does not fit beside them. What
  /// does has padding, which may be anything.
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

  /// - Parameter predicate: The address of an optional predicate.
  @usableFromInline
  static func expression(at predicate: UnsafeRawPointer) -> (any StandardPredicateExpression<Bool>)? {
    predicate.load(as: (any StandardPredicateExpression<Bool>)?.self)
  }
}
