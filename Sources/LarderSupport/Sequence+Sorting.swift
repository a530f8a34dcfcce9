// Sorts that are compiled once. The standard library's sorts are compiled again in each file that sorts, for each
// element type: in the core there were 65 copies, 8 % of all optimised code. Code that sorts many values of a type of
// its own, such as a fetch, uses the standard library's sort.
//
// The attribute keeps each body here: without it the optimiser may copy the body into the caller.

extension Set<Int64> {
  /// Returns the numbers in ascending order: row IDs, of which there may be many.
  @_semantics("optimize.no.crossmodule")
  package func inOrder() -> [Int64] {
    var numbers = Array(self)
    numbers.sort()
    return numbers
  }
}

extension Sequence<Int64> {
  /// Returns the numbers in ascending order.
  @_semantics("optimize.no.crossmodule")
  package func inOrder() -> [Int64] {
    var numbers = Array(self)
    numbers.sort()
    return numbers
  }
}

extension [Int64] {
  /// Returns the distinct numbers in ascending order. Row IDs mostly come in runs, which are sorted faster than they
  /// are hashed.
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
  /// Returns the elements in ascending order, by an unspecialised sort: for at most some hundreds of elements, or for
  /// one sort.
  @_semantics("optimize.no.crossmodule")
  package func inOrder() -> [Element] { sorted() }
}

extension Sequence {
  /// Returns the elements in the order of a closure, by an unspecialised sort.
  @_semantics("optimize.no.crossmodule")
  package func inOrder(_ isBefore: (Element, Element) throws -> Bool) rethrows -> [Element] { try sorted(by: isBefore) }
}
