/// Members that leave a to-many, whatever its type. A single one is searched from the position of the one before, since lists
/// are visited in their order more often than not. A long list which many leave in another order gets an index. Several
/// members leave in one pass.
public final class _MemberRemoval {
  var members: [any PersistentModel] = []
  /// The list that the members leave.
  var relationshipKey: RelationshipKey?
  private var lastIndex = 0
  /// The number of list elements that were examined so far.
  package private(set) var scannedCount = 0
  /// Long lists in which members were found far from each other, until nothing is pending any more.
  private var searchStates: [RelationshipKey: SearchState] = [:]

  private struct SearchState {
    /// The number of elements that were examined without an index.
    var scannedCount = 0
    var index: ShrinkingListIndex?
  }

  /// The number of elements that are examined without recording the search.
  private static let linearSearchLimit = 64
  /// The number of walks through a whole list after which an index pays off.
  private static let scansBeforeIndexing = 2
  /// The number of lists whose searches are remembered. With more lists in turn, each member is searched linearly.
  private static let maximumSearchStates = 16

  init() {}

  /// Removes the members from a list.
  ///
  /// - Returns: The former list, to be released after the access to it has ended; `nil` if that is not necessary.
  public func _$removeMembers<Value: PersistentModel>(from list: inout [Value]) -> [Value]? {
    guard members.count > 1 else {
      // The caller holds the object.
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

  /// Counts list elements that were examined elsewhere.
  func addScanned(_ steps: Int) { self.scannedCount += steps }

  /// Removes the search states, since nothing is pending any more: most removals belong to a pending change.
  func removeSearchStates() { if !searchStates.isEmpty { searchStates = [:] } }

  private func find<Value: PersistentModel>(_ member: any PersistentModel, in list: [Value]) -> Int? {
    let word = UnsafeRawPointer(Unmanaged.passUnretained(member as AnyObject).toOpaque())
    return list._$withUnsafeAddresses { words in
      if let place = findByIndex(word, in: words) { return place }
      let before = scannedCount
      let place = find(word, in: words)
      if scannedCount - before > _MemberRemoval.linearSearchLimit { recordSearch(of: scannedCount - before, in: words) }
      // The list does not contain it any more.
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
      // The list has changed by more than removals.
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
