/// Members that leave a to-many, whatever its type: one, which is sought from where the one before it stood, since lists are
/// walked in their order more often than not, and by an index of a long list from which many leave in another order; or many,
/// which leave in one walk.
public final class _ListLeaving {
  var members: [any PersistentModel] = []
  /// Whose list it is.
  var list: RelationPlace?
  private var place = 0
  /// How many places of lists were looked at so far.
  package private(set) var steps = 0
  /// Long lists in which members were sought far from each other, until nothing is pending any more.
  private var searches: [RelationPlace: Searches] = [:]

  private struct Searches {
    /// How many places were looked at without an index.
    var steps = 0
    var index: PlaceIndex?
  }

  /// So many places are looked at without further ado.
  private static let few = 64
  /// After so many walks through all of a list it is worth an index.
  private static let walks = 2
  /// Of how many lists searches are remembered: who goes to and fro between more has them sought each time.
  private static let mostLists = 16

  init() {}

  /// - Returns: The list as it was, to be let go of when it is nobody's any more; nil where that is not needed.
  public func _$leave<Value: PersistentModel>(_ list: inout [Value]) -> [Value]? {
    guard members.count > 1 else {
      // Whoever has it leave has the object.
      if let member = members.first, let place = find(member, in: list) {
        list.remove(at: place)
        self.place = place
      }
      return nil
    }
    if let whose = self.list, !searches.isEmpty { searches[whose] = nil }
    steps += list.count
    let leaving = Set(members.map { ObjectIdentifier($0) })
    let former = list
    list = list.filter { !leaving.contains(ObjectIdentifier($0)) }
    return former
  }

  /// Places of lists were looked at elsewhere.
  func note(_ steps: Int) { self.steps += steps }

  /// Nothing is pending any more, of which most that leave are part.
  func forgetSearches() { if !searches.isEmpty { searches = [:] } }

  private func find<Value: PersistentModel>(_ member: any PersistentModel, in list: [Value]) -> Int? {
    let word = UnsafeRawPointer(Unmanaged.passUnretained(member as AnyObject).toOpaque())
    return list._$words { words in
      if let place = findByIndex(word, in: words) { return place }
      let before = steps
      let place = find(word, in: words)
      if steps - before > _ListLeaving.few { noteSearch(of: steps - before, in: words) }
      // The list is without it now.
      if place != nil, !searches.isEmpty, let whose = self.list { searches[whose]?.index?.leave(word) }
      return place
    }
  }

  private func find(_ word: UnsafeRawPointer, in words: UnsafeBufferPointer<UnsafeRawPointer>) -> Int? {
    var after = min(place, words.count)
    var before = after - 1
    defer { steps += after - before }
    while before >= 0 || after < words.count {
      if after < words.count {
        if words[after] == word { return after }
        after += 1
      }
      if before >= 0 {
        if words[before] == word { return before }
        before -= 1
      }
    }
    return nil
  }

  private func findByIndex(_ word: UnsafeRawPointer, in words: UnsafeBufferPointer<UnsafeRawPointer>) -> Int? {
    guard !searches.isEmpty, let list, let place = searches[list]?.index?.place(of: word) else { return nil }
    steps += 1
    guard words.indices.contains(place), words[place] == word else {
      // More has come of the list than that members left it.
      searches[list] = nil
      return nil
    }
    searches[list]?.index?.leave(word)
    return place
  }

  private func noteSearch(of steps: Int, in words: UnsafeBufferPointer<UnsafeRawPointer>) {
    guard let list else { return }
    if searches[list] == nil, searches.count >= _ListLeaving.mostLists { searches = [:] }
    searches[list, default: Searches()].steps += steps
    guard let search = searches[list], search.index == nil, search.steps >= _ListLeaving.walks * words.count else {
      return
    }
    self.steps += words.count
    searches[list] = Searches(index: PlaceIndex(words))
  }
}
