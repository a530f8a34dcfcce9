// Sorts that are compiled once. The standard library's are compiled anew in each file that sorts, for each type of what it
// sorts: in the core those were 65 copies, and 8 % of all optimised code. What sorts many values of a type of its own, as
// a fetch does, uses the standard library's.
//
// The attribute keeps each body here: without it the optimiser may copy one into whoever calls it.

extension Set<Int64> {
  /// Rows, of which there may be many.
  @_semantics("optimize.no.crossmodule")
  package func inOrder() -> [Int64] { Array(self).inOrder() }
}

extension Sequence<Int64> {
  @_semantics("optimize.no.crossmodule")
  package func inOrder() -> [Int64] {
    var numbers = Array(self)
    numbers.sort()
    return numbers
  }
}

extension Sequence where Element: Comparable {
  /// Unspecialised: for what is some hundreds of elements at most, or sorted once.
  @_semantics("optimize.no.crossmodule")
  package func inOrder() -> [Element] { sorted() }
}

extension Sequence {
  /// By a closure, and unspecialised, too.
  @_semantics("optimize.no.crossmodule")
  package func inOrder(_ isBefore: (Element, Element) throws -> Bool) rethrows -> [Element] { try sorted(by: isBefore) }
}
