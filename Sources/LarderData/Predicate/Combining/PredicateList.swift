import Foundation

/// A list of predicates in order. Joining two lists takes constant time, however long they are.
// @unchecked: the content changes only when the last reference is released; predicates capture Sendable values.
final class PredicateList<each Input>: @unchecked Sendable {
  private var predicate: Predicate<repeat each Input>?
  private var first: PredicateList?
  private var rest: PredicateList?

  init(_ predicate: Predicate<repeat each Input>) { self.predicate = predicate }

  /// Joins lists recursively by halves, so that many lists have only a few levels.
  init(joining lists: ArraySlice<PredicateList>) {
    guard lists.count > 1 else {
      first = lists.first
      return
    }
    let middle = lists.startIndex + lists.count / 2
    first = lists.count == 2 ? lists[lists.startIndex] : PredicateList(joining: lists[..<middle])
    rest = lists.count == 2 ? lists[middle] : PredicateList(joining: lists[middle...])
  }

  var predicates: [Predicate<repeat each Input>] {
    var result: [Predicate<repeat each Input>] = []
    var waiting = [self]
    while let list = waiting.popLast() {
      if let predicate = list.predicate { result.append(predicate) }
      if let rest = list.rest { waiting.append(rest) }
      if let first = list.first { waiting.append(first) }
    }
    return result
  }

  /// Releases nested lists one after the other. A recursive release in each list's deinit might exceed the stack.
  deinit {
    var waiting = detachChildren()
    while var list = waiting.popLast() {
      if isKnownUniquelyReferenced(&list) { waiting += list.detachChildren() }
    }
  }

  private func detachChildren() -> [PredicateList] {
    let inner = (predicate?.expression as? PredicateListExpression<repeat each Input>)?.list
    let parts = [first, rest, inner].compactMap { $0 }
    (predicate, first, rest) = (nil, nil, nil)
    return parts
  }
}
