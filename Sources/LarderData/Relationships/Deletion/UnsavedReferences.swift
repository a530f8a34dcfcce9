import LarderSupport

/// Looks up unsaved references to deleted rows, while deletions are carried from level to level.
///
/// The first question about a relationship goes through all pending objects; from the second on an index by target row answers.
/// Each level of a tree would otherwise go through all pending objects.
///
/// Meanwhile deletions take members out of lists, and keys out of objects, and put none there. So an entry may be void, and the
/// caller looks whether it still holds; none is missing, which debug builds check. Where pending objects get other row numbers
/// meanwhile, since another program has taken theirs, the indexes are built anew.
final class UnsavedReferences {
  typealias Pair = (holder: any PersistentModel, member: any PersistentModel)

  /// A relationship of a model.
  fileprivate struct RelationshipID: Hashable {
    let tracker: ObjectIdentifier
    let property: Int

    init(_ tracker: _EntityTracker, _ relationship: RelationshipLayout) {
      self.tracker = ObjectIdentifier(tracker)
      property = relationship.property
    }
  }

  private var queriedOnce: Set<RelationshipID> = []
  private var pairs: [RelationshipID: [Int64: [Pair]]] = [:]
  private var changed = ForeignKeyIndex()
  private var inserted = ForeignKeyIndex()

  /// Forgets the indexes, since pending objects have other row numbers.
  func removeIndexes() {
    pairs = [:]
    changed.objects = [:]
    inserted.objects = [:]
  }

  /// Objects by the row that a key of theirs leads to.
  fileprivate struct ForeignKeyIndex {
    var queriedOnce: Set<RelationshipID> = []
    var objects: [RelationshipID: [Int64: [AnyObject]]] = [:]

    /// Those of some objects whose key may be one of some rows; nil at the first question.
    mutating func find(
      _ tracker: _EntityTracker, _ key: RelationshipLayout, _ rows: [Int64], among all: [AnyObject]
    ) -> [AnyObject]? {
      let place = RelationshipID(tracker, key)
      if queriedOnce.insert(place).inserted { return nil }
      if objects[place] == nil {
        tracker.core.relationships.examinedObjectCount += all.count
        objects[place] = Dictionary(grouping: all) { tracker.erased($0)._$foreignKey(key.property) }
      }
      let found = rows.distinctInOrder().flatMap { objects[place]?[$0] ?? [] }
      #if DEBUG
        check(found, tracker, key, rows, among: all)
      #endif
      return found
    }
  }

  /// The members of changed and inserted objects' lists that have one of some rows, each with the owner of the list.
  func pairs(of there: _EntityTracker, _ relationship: RelationshipLayout, with rows: [Int64]) -> [Pair] {
    let place = RelationshipID(there, relationship)
    let isFirst = queriedOnce.insert(place).inserted
    if isFirst || pairs[place] == nil {
      there.core.relationships.examinedObjectCount += there.family.reduce(0) {
        $0 + $1.changed.count + $1.inserted.count
      }
    }
    if isFirst { return there.unsavedPairs(relationship, with: Set(rows).contains) }
    if pairs[place] == nil {
      pairs[place] = Dictionary(grouping: there.unsavedPairs(relationship) { _ in true }) {
        $0.member._$header.pointee.rowID
      }
    }
    let found = rows.distinctInOrder().flatMap { pairs[place]?[$0] ?? [] }
    there.core.relationships.examinedObjectCount += found.count
    #if DEBUG
      check(found, there, relationship, rows)
    #endif
    return found
  }

  /// The changed objects of a model whose key may be one of some rows; nil at the first question.
  func changedObjects(of tracker: _EntityTracker, _ key: RelationshipLayout, to rows: [Int64]) -> [AnyObject]? {
    changed.find(tracker, key, rows, among: tracker.changed)
  }

  /// The inserted objects of a model whose key may be one of some rows; nil at the first question.
  func insertedObjects(of tracker: _EntityTracker, _ key: RelationshipLayout, to rows: [Int64]) -> [AnyObject]? {
    inserted.find(tracker, key, rows, among: tracker.inserted)
  }
}

extension _EntityTracker {
  /// The members of its changed and inserted objects' lists that have some rows.
  fileprivate func unsavedPairs(
    _ relationship: RelationshipLayout, with isWanted: (Int64) -> Bool
  ) -> [UnsavedReferences.Pair] {
    var found: [UnsavedReferences.Pair] = []
    for object in family.flatMap({ $0.changed + $0.inserted }) {
      let holder = erased(object)
      guard case .many(let members?) = holder._$relationshipValue(relationship.property) else { continue }
      for member in members where isWanted(member._$header.pointee.rowID) { found.append((holder, member)) }
    }
    return found
  }

  /// The changed objects whose key may be one of some rows.
  func changedObjects(withKey key: RelationshipLayout, to rows: [Int64]) -> [AnyObject] {
    let found = core.relationships.unsavedReferences?.changedObjects(of: self, key, to: rows) ?? changed
    core.relationships.examinedObjectCount += found.count
    return found
  }

  /// The inserted objects whose key may be one of some rows, those of each row in the order of their inserts.
  func insertedObjects(withKey key: RelationshipLayout, _ column: Int, to rows: [Int64]) -> [AnyObject] {
    let found =
      core.relationships.unsavedReferences?.insertedObjects(of: self, key, to: rows)
      ?? insertedObjects(withForeignKey: column, to: rows)
    core.relationships.examinedObjectCount += found.count
    return found
  }
}

#if DEBUG
  extension UnsavedReferences {
    /// So many objects are gone through at each question for the check's sake.
    fileprivate static let maximumCheckedObjects = 64

    private func check(_ found: [Pair], _ there: _EntityTracker, _ relationship: RelationshipLayout, _ rows: [Int64]) {
      guard there.family.reduce(0, { $0 + $1.changed.count + $1.inserted.count }) <= Self.maximumCheckedObjects else {
        return
      }
      let known = Set(
        (pairs[RelationshipID(there, relationship)] ?? [:]).values.joined().map { ObjectIdentifier($0.holder) })
      for (holder, member) in there.unsavedPairs(relationship, with: Set(rows).contains)
      where known.contains(ObjectIdentifier(holder)) {
        precondition(
          found.contains { $0.holder === holder && $0.member === member },
          "A list took in a member while deletions were carried to what is related (\(relationship.name)).")
      }
    }
  }

  extension UnsavedReferences.ForeignKeyIndex {
    fileprivate func check(
      _ found: [AnyObject], _ tracker: _EntityTracker, _ key: RelationshipLayout, _ rows: [Int64],
      among all: [AnyObject]
    ) {
      guard all.count <= UnsavedReferences.maximumCheckedObjects else { return }
      let known = Set(
        (objects[UnsavedReferences.RelationshipID(tracker, key)] ?? [:]).values.joined().map { ObjectIdentifier($0) })
      for object in all
      where known.contains(ObjectIdentifier(object)) && rows.contains(tracker.erased(object)._$foreignKey(key.property))
      {
        precondition(
          found.contains { $0 === object },
          "A key was set while deletions were carried to what is related (\(key.name)).")
      }
    }
  }
#endif
