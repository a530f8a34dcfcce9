// Sorts that are compiled once. The standard library's are compiled anew in each file that sorts, for each type of what it
// sorts: in the core those were 65 copies, and 8 % of all optimised code. What sorts many values of a type of its own, as
// a fetch does, uses the standard library's.
//
// The attribute keeps each body here: without it the optimiser may copy one into whoever calls it.

extension Set<Int64> {
  /// Rows, of which there may be many.
  @_semantics("optimize.no.crossmodule")
  package func inOrder() -> [Int64] {
    var numbers = Array(self)
    numbers.sort()
    return numbers
  }
}

extension Sequence<Int64> {
  @_semantics("optimize.no.crossmodule")
  package func inOrder() -> [Int64] {
    var numbers = Array(self)
    numbers.sort()
    return numbers
  }
}

extension [Int64] {
  /// Each once. Rows mostly come in runs, which are sorted sooner than they are hashed.
  @_semantics("optimize.no.crossmodule")
  package consuming func distinctInOrder() -> [Int64] {
    var numbers = consume self
    numbers.sort()
    var kept = 0
    for place in numbers.indices where kept == 0 || numbers[kept - 1] != numbers[place] {
      numbers[kept] = numbers[place]
      kept += 1
    }
    numbers.removeLast(numbers.count - kept)
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
