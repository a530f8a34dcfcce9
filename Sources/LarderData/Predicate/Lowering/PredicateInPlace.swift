public import Foundation

/// Reads a predicate's expression where it lies.
///
/// In Swift an optional that may hold anything is copied to be looked into: of a predicate that is its expression, its
/// variable, and a look for the type of that, for each fetch. What is wanted is the expression alone, with which a
/// predicate begins.
@usableFromInline
package enum PredicateInPlace {
  /// Whether predicates do begin with their expressions, and lack one where they are nil. It is asked once in a process, of
  /// predicates as this Foundation makes them; where it is not so, they are copied.
  @usableFromInline package static let isReadable: Bool = {
    let small = Predicate<Int> { _ in PredicateExpressions.build_Arg(true) }
    let large = Predicate<Int> { variable in
      PredicateExpressions.build_Equal(
        lhs: PredicateExpressions.build_Arg(variable), rhs: PredicateExpressions.build_Arg(1))
    }
    func agrees(_ predicate: Predicate<Int>?) -> Bool {
      let read = withUnsafePointer(to: predicate) { expression(at: UnsafeRawPointer($0)) }
      guard let read, let predicate else { return read == nil && predicate == nil }
      return ExpressionMemory.isSame(read, predicate.expression)
    }
    return MemoryLayout<Predicate<Int>?>.size == MemoryLayout<Predicate<Int>>.size
      && agrees(small) && agrees(large) && agrees(nil)
  }()

  /// - Parameter predicate: The address of an optional predicate.
  @usableFromInline
  static func expression(at predicate: UnsafeRawPointer) -> (any StandardPredicateExpression<Bool>)? {
    predicate.load(as: (any StandardPredicateExpression<Bool>)?.self)
  }
}
