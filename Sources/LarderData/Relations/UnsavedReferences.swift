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
  fileprivate struct Place: Hashable {
    let state: ObjectIdentifier
    let property: Int

    init(_ state: EntityState, _ relation: RelationLayout) {
      self.state = ObjectIdentifier(state)
      property = relation.property
    }
  }

  private var asked: Set<Place> = []
  private var pairs: [Place: [Int64: [Pair]]] = [:]
  private var changed = ByKey()
  private var inserted = ByKey()

  /// Forgets the indexes, since pending objects have other row numbers.
  func forget() {
    pairs = [:]
    changed.objects = [:]
    inserted.objects = [:]
  }

  /// Objects by the row that a key of theirs leads to.
  fileprivate struct ByKey {
    var asked: Set<Place> = []
    var objects: [Place: [Int64: [AnyObject]]] = [:]

    /// Those of some objects whose key may be one of some rows; nil at the first question.
    mutating func find(
      _ state: EntityState, _ key: RelationLayout, _ rows: [Int64], among all: [AnyObject]
    ) -> [AnyObject]? {
      let place = Place(state, key)
      if asked.insert(place).inserted { return nil }
      if objects[place] == nil {
        state.core.relations.askedObjects += all.count
        objects[place] = Dictionary(grouping: all) { state.erased($0)._$key(key.property) }
      }
      let found = rows.distinctInOrder().flatMap { objects[place]?[$0] ?? [] }
      #if DEBUG
        check(found, state, key, rows, among: all)
      #endif
      return found
    }
  }

  /// The members of changed and inserted objects' lists that have one of some rows, each with the owner of the list.
  func pairs(of there: EntityState, _ relation: RelationLayout, with rows: [Int64]) -> [Pair] {
    let place = Place(there, relation)
    let isFirst = asked.insert(place).inserted
    if isFirst || pairs[place] == nil {
      there.core.relations.askedObjects += there.family.reduce(0) { $0 + $1.changed.count + $1.inserted.count }
    }
    if isFirst { return there.unsavedPairs(relation, with: Set(rows).contains) }
    if pairs[place] == nil {
      pairs[place] = Dictionary(grouping: there.unsavedPairs(relation) { _ in true }) {
        $0.member._$header.pointee.rowID
      }
    }
    let found = rows.distinctInOrder().flatMap { pairs[place]?[$0] ?? [] }
    there.core.relations.askedObjects += found.count
    #if DEBUG
      check(found, there, relation, rows)
    #endif
    return found
  }

  /// The changed objects of a model whose key may be one of some rows; nil at the first question.
  func changedObjects(of state: EntityState, _ key: RelationLayout, to rows: [Int64]) -> [AnyObject]? {
    changed.find(state, key, rows, among: state.changed)
  }

  /// The inserted objects of a model whose key may be one of some rows; nil at the first question.
  func insertedObjects(of state: EntityState, _ key: RelationLayout, to rows: [Int64]) -> [AnyObject]? {
    inserted.find(state, key, rows, among: state.inserted)
  }
}

extension EntityState {
  /// The members of its changed and inserted objects' lists that have some rows.
  fileprivate func unsavedPairs(
    _ relation: RelationLayout, with isWanted: (Int64) -> Bool
  ) -> [UnsavedReferences.Pair] {
    var found: [UnsavedReferences.Pair] = []
    for object in family.flatMap({ $0.changed + $0.inserted }) {
      let holder = erased(object)
      guard case .many(let members?) = holder._$relation(relation.property) else { continue }
      for member in members where isWanted(member._$header.pointee.rowID) { found.append((holder, member)) }
    }
    return found
  }

  /// The changed objects whose key may be one of some rows.
  func changedObjects(withKey key: RelationLayout, to rows: [Int64]) -> [AnyObject] {
    let found = core.relations.unsaved?.changedObjects(of: self, key, to: rows) ?? changed
    core.relations.askedObjects += found.count
    return found
  }

  /// The inserted objects whose key may be one of some rows, those of each row in the order of their inserts.
  func insertedObjects(withKey key: RelationLayout, _ column: Int, to rows: [Int64]) -> [AnyObject] {
    let found =
      core.relations.unsaved?.insertedObjects(of: self, key, to: rows)
      ?? insertedObjects(withKey: column, to: rows)
    core.relations.askedObjects += found.count
    return found
  }
}

#if DEBUG
  extension UnsavedReferences {
    /// So many objects are gone through at each question for the check's sake.
    fileprivate static let checked = 64

    private func check(_ found: [Pair], _ there: EntityState, _ relation: RelationLayout, _ rows: [Int64]) {
      guard there.family.reduce(0, { $0 + $1.changed.count + $1.inserted.count }) <= Self.checked else { return }
      let known = Set((pairs[Place(there, relation)] ?? [:]).values.joined().map { ObjectIdentifier($0.holder) })
      for (holder, member) in there.unsavedPairs(relation, with: Set(rows).contains)
      where known.contains(ObjectIdentifier(holder)) {
        precondition(
          found.contains { $0.holder === holder && $0.member === member },
          "A list took in a member while deletions were carried to what is related (\(relation.name)).")
      }
    }
  }

  extension UnsavedReferences.ByKey {
    fileprivate func check(
      _ found: [AnyObject], _ state: EntityState, _ key: RelationLayout, _ rows: [Int64], among all: [AnyObject]
    ) {
      guard all.count <= UnsavedReferences.checked else { return }
      let known = Set(
        (objects[UnsavedReferences.Place(state, key)] ?? [:]).values.joined().map { ObjectIdentifier($0) })
      for object in all
      where known.contains(ObjectIdentifier(object)) && rows.contains(state.erased(object)._$key(key.property)) {
        precondition(
          found.contains { $0 === object },
          "A key was set while deletions were carried to what is related (\(key.name)).")
      }
    }
  }
#endif
