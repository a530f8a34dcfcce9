import LarderData

/// Which relationship of the store a model's relationship is, and what must hold for its pairs to be taken over.
struct RelationMapping {
  /// The pairs, seen from the class that declares the relationship; nil where it is new.
  private(set) var pairs: FormerPairs?
  private(set) var checks: [RowCheck] = []
  private(set) var problem: String?

  private let relation: StoredRelation
  private let className: String
  private let matches: ClassMatches
  private let store: StoreShape
  private let names: FormerNames

  /// - Parameter className: The class whose relationship it is, which may have inherited it.
  init(
    _ relation: StoredRelation, of className: String, _ matches: ClassMatches, in store: StoreShape,
    _ names: FormerNames
  ) {
    self.relation = relation
    self.className = className
    self.matches = matches
    self.store = store
    self.names = names
    find()
    if problem != nil, matches.leavesRest {
      problem = nil
      pairs = nil
    }
    guard let pairs, problem == nil else { return }
    checkDestination(pairs)
    checkCounts(pairs)
  }

  private var name: String { "\(className).\(relation.name)" }

  /// The relationship at the other end that mirrors this one.
  private var mirrored: StoredRelation? {
    relation.inverse.flatMap { matches.models.property($0, of: relation.destination)?.relation }
  }

  private mutating func find() {
    // The class that has the rows may be the one that had it: it may have moved there, or from there.
    let own = matches[className]?[relation.name]
    if let property = own, property.relation == nil {
      problem = "\(name) is a relationship, and was a value"
      return
    }
    let near = own?.relation.flatMap { FormerPairs($0, in: store, names) }
    var far: FormerPairs?
    if let mirrored, let there = matches[mirrored.ofClass]?[mirrored.name]?.relation,
      let found = FormerPairs(there, in: store, names), isOwn(there.destination)
    {
      far = found.flipped(to: opposite(there))
    }
    if let near, let far, near.place != far.place {
      problem =
        "\(name) and \(relation.destination).\(mirrored?.name ?? "") mirror each other now, and were two relationships"
      return
    }
    pairs = near ?? far
    if let pairs, pairs.isSymmetric != relation.isSymmetric {
      problem = "\(name) \(relation.isSymmetric ? "mirrors itself now, and did not" : "no longer mirrors itself")"
    }
  }

  /// Whether a class of the store is one of those whose rows have the relationship.
  private func isOwn(_ destination: String) -> Bool {
    guard let former = matches[className]?.former, let table = store.table(of: former) else { return false }
    return table.line(of: former).contains(destination) || table.family(of: former).contains(destination)
  }

  /// A relationship of the other end as one of this end.
  private func opposite(_ there: StoredRelation) -> StoredRelation {
    StoredRelation(
      name: relation.name, ofClass: there.destination, destination: there.ofClass, inverse: there.name,
      isToMany: relation.isToMany)
  }

  // MARK: What must hold

  /// Related objects of a class that is no longer related.
  private mutating func checkDestination(_ pairs: FormerPairs) {
    guard let table = store.table(of: pairs.destination) else { return }
    let allowed = Set(matches.family(of: relation.destination)).union(matches.removed)
    let related = table.family(of: pairs.destination)
    guard !related.allSatisfy(allowed.contains) else { return }
    let here = related.filter(allowed.contains)
    var rows = "(\(pairs.query)) AS p"
    if !here.isEmpty, let isHere = table.isOfClass(here, as: "d") {
      rows +=
        " JOIN \(StoreFormat.quoted(names[table.name])) AS d ON d.\(StoreFormat.identifierColumn) = p.other WHERE NOT (\(isHere))"
    }
    let (name, now) = (name, relation.destination)
    let was = pairs.destination
    checks.append(
      RowCheck(count: "SELECT count(*) FROM \(rows)") {
        "\(name) relates a \(now), and did relate a \(was): \($0) objects lead to others"
      })
  }

  private mutating func checkCounts(_ pairs: FormerPairs) {
    func tooMany(_ column: String) -> String {
      "SELECT count(*) FROM (SELECT \(column) FROM (\(pairs.query)) GROUP BY \(column) HAVING count(*) > 1)"
    }
    let (name, other) = (name, "\(relation.destination).\(mirrored?.name ?? "")")
    if pairs.isToMany, !relation.isToMany {
      checks.append(
        RowCheck(count: tooMany("owner")) { "\(name) is a to-one, and there are objects that have several (\($0))" })
    }
    if pairs.hasManyOwners, let mirrored, !mirrored.isToMany, !relation.isSymmetric {
      checks.append(
        RowCheck(count: tooMany("other")) { "\(other) is a to-one, and there are objects that have several (\($0))" })
    }
  }
}
