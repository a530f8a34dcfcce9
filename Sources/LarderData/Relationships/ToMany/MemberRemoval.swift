/// Members that leave a to-many, whatever its type: one, which is sought from where the one before it stood, since lists are
/// walked in their order more often than not, and by an index of a long list from which many leave in another order; or many,
/// which leave in one walk.
public final class _MemberRemoval {
  var members: [any PersistentModel] = []
  /// Whose list it is.
  var relationshipKey: RelationshipKey?
  private var lastIndex = 0
  /// How many places of lists were looked at so far.
  package private(set) var scannedCount = 0
  /// Long lists in which members were sought far from each other, until nothing is pending any more.
  private var searchStates: [RelationshipKey: SearchState] = [:]

  private struct SearchState {
    /// How many places were looked at without an index.
    var scannedCount = 0
    var index: ShrinkingListIndex?
  }

  /// So many places are looked at without further ado.
  private static let linearSearchLimit = 64
  /// After so many walks through all of a list it is worth an index.
  private static let scansBeforeIndexing = 2
  /// Of how many lists searches are remembered: who goes to and fro between more has them sought each time.
  private static let maximumSearchStates = 16

  init() {}

  /// - Returns: The list as it was, to be let go of when it is nobody's any more; nil where that is not needed.
  public func _$removeMembers<Value: PersistentModel>(from list: inout [Value]) -> [Value]? {
    guard members.count > 1 else {
      // Whoever has it leave has the object.
      if let member = members.first, let place = find(member, in: list) {
        list.remove(at: place)
        self.lastIndex = place
      }
      return nil
    }
    if let whose = self.relationshipKey, !searchStates.isEmpty { searchStates[whose] = nil }
    scannedCount += list.count
    let leaving = Set(members.map { ObjectIdentifier($0) })
    let former = list
    list = list.filter { !leaving.contains(ObjectIdentifier($0)) }
    return former
  }

  /// Places of lists were looked at elsewhere.
  func addScanned(_ steps: Int) { self.scannedCount += steps }

  /// Nothing is pending any more, of which most that leave are part.
  func removeSearchStates() { if !searchStates.isEmpty { searchStates = [:] } }

  private func find<Value: PersistentModel>(_ member: any PersistentModel, in list: [Value]) -> Int? {
    let word = UnsafeRawPointer(Unmanaged.passUnretained(member as AnyObject).toOpaque())
    return list._$withUnsafeAddresses { words in
      if let place = findByIndex(word, in: words) { return place }
      let before = scannedCount
      let place = find(word, in: words)
      if scannedCount - before > _MemberRemoval.linearSearchLimit { recordSearch(of: scannedCount - before, in: words) }
      // The list is without it now.
      if place != nil, !searchStates.isEmpty, let whose = self.relationshipKey {
        searchStates[whose]?.index?.remove(word)
      }
      return place
    }
  }

  private func find(_ word: UnsafeRawPointer, in words: UnsafeBufferPointer<UnsafeRawPointer>) -> Int? {
    var after = min(lastIndex, words.count)
    var before = after - 1
    defer { scannedCount += after - before }
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
    guard !searchStates.isEmpty, let relationshipKey, let place = searchStates[relationshipKey]?.index?.index(of: word)
    else { return nil }
    scannedCount += 1
    guard words.indices.contains(place), words[place] == word else {
      // More has come of the list than that members left it.
      searchStates[relationshipKey] = nil
      return nil
    }
    searchStates[relationshipKey]?.index?.remove(word)
    return place
  }

  private func recordSearch(of steps: Int, in words: UnsafeBufferPointer<UnsafeRawPointer>) {
    guard let relationshipKey else { return }
    if searchStates[relationshipKey] == nil, searchStates.count >= _MemberRemoval.maximumSearchStates {
      searchStates = [:]
    }
    searchStates[relationshipKey, default: SearchState()].scannedCount += steps
    guard let search = searchStates[relationshipKey], search.index == nil,
      search.scannedCount >= _MemberRemoval.scansBeforeIndexing * words.count
    else {
      return
    }
    self.scannedCount += words.count
    searchStates[relationshipKey] = SearchState(index: ShrinkingListIndex(words))
  }
}
