import LarderSupport

/// An index of unsaved references to deleted rows, while deletions are propagated from level to level.
///
/// The first query about a relationship examines all pending objects; from the second query on, an index by target row
/// answers. Otherwise each level of a tree would examine all pending objects.
///
/// Meanwhile, deletions remove members from lists and keys from objects, and add none. So an entry may be void, and the
/// caller checks it; none is missing, which debug builds verify. When pending objects get other row IDs meanwhile, since
/// another process has taken theirs, the indexes are rebuilt.
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

  /// Removes the indexes, since pending objects have other row IDs.
  func removeIndexes() {
    pairs = [:]
    changed.objects = [:]
    inserted.objects = [:]
  }

  /// Objects by the row that one of their foreign keys references.
  fileprivate struct ForeignKeyIndex {
    var queriedOnce: Set<RelationshipID> = []
    var objects: [RelationshipID: [Int64: [AnyObject]]] = [:]

    /// Returns those of `all` whose key may reference one of the rows; `nil` for the first query.
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

  /// Returns the members with one of the rows in lists of changed and inserted objects, each with the owner of the list.
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

  /// Returns the changed objects of a model whose key may reference one of the rows; `nil` for the first query.
  func changedObjects(of tracker: _EntityTracker, _ key: RelationshipLayout, to rows: [Int64]) -> [AnyObject]? {
    changed.find(tracker, key, rows, among: tracker.changed)
  }

  /// Returns the inserted objects of a model whose key may reference one of the rows; `nil` for the first query.
  func insertedObjects(of tracker: _EntityTracker, _ key: RelationshipLayout, to rows: [Int64]) -> [AnyObject]? {
    inserted.find(tracker, key, rows, among: tracker.inserted)
  }
}

extension _EntityTracker {
  /// Returns the members with wanted rows in the lists of the tracker's changed and inserted objects.
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

  /// Returns the changed objects whose key may reference one of the rows.
  func changedObjects(withKey key: RelationshipLayout, to rows: [Int64]) -> [AnyObject] {
    let found = core.relationships.unsavedReferences?.changedObjects(of: self, key, to: rows) ?? changed
    core.relationships.examinedObjectCount += found.count
    return found
  }

  /// Returns the inserted objects whose key may reference one of the rows, those of each row in the order of their inserts.
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
    /// The maximum number of objects that a check examines for each query.
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
