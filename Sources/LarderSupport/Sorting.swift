// Sorts that are compiled once. The standard library's are compiled anew in each file that sorts, for each type of what it
// sorts: in the core that was a tenth of all code, and of the time that compiling it takes. What sorts many values of a
// type of its own, as a fetch does, uses the standard library's.

extension Set<Int64> {
  package func inOrder() -> [Int64] { Array(self).inOrder() }
}

extension Set<String> {
  package func inOrder() -> [String] { Array(self).inOrder() }
}

extension [Int64] {
  @_semantics("optimize.no.crossmodule")
  package func inOrder() -> [Int64] { sorted() }
}

extension [String] {
  @_semantics("optimize.no.crossmodule")
  package func inOrder() -> [String] { sorted() }
}

extension Sequence<Int64> {
  @_semantics("optimize.no.crossmodule")
  package func inOrder() -> [Int64] { Array(self).inOrder() }
}

extension Sequence<String> {
  @_semantics("optimize.no.crossmodule")
  package func inOrder() -> [String] { Array(self).inOrder() }
}

extension Sequence {
  /// By a closure, and unspecialised: for what is some hundreds of elements at most, or sorted once.
  @_semantics("optimize.no.crossmodule")
  package func inOrder(_ isBefore: (Element, Element) throws -> Bool) rethrows -> [Element] { try sorted(by: isBefore) }
}

extension Sequence where Element: Comparable {
  /// Unspecialised, as above.
  @_semantics("optimize.no.crossmodule")
  package func inOrder() -> [Element] { sorted() }
}
