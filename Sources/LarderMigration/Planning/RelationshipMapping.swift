import LarderData

/// The relationship of the store that a model's relationship continues, and the conditions for keeping its pairs.
struct RelationshipMapping {
  /// The pairs, seen from the class that declares the relationship; `nil` for a new relationship.
  private(set) var pairs: StoredRelationshipPairs?
  private(set) var checks: [RowCheck] = []
  private(set) var problem: String?

  private let relationship: StoredRelationship
  private let className: String
  private let matches: EntityMatches
  private let store: StoredSchema
  private let names: TemporaryTableNames

  /// - Parameter className: The class with the relationship, which may be inherited.
  init(
    _ relationship: StoredRelationship, of className: String, _ matches: EntityMatches, in store: StoredSchema,
    _ names: TemporaryTableNames
  ) {
    self.relationship = relationship
    self.className = className
    self.matches = matches
    self.store = store
    self.names = names
    findPairs()
    if problem != nil, matches.leavesRestToStage {
      problem = nil
      pairs = nil
    }
    guard let pairs, problem == nil else { return }
    checkDestination(pairs)
    checkCounts(pairs)
  }

  private var name: String { "\(className).\(relationship.name)" }

  /// The inverse relationship at the other end.
  private var inverse: StoredRelationship? {
    relationship.inverse.flatMap { matches.models.property($0, of: relationship.destination)?.relationship }
  }

  private mutating func findPairs() {
    // The class with the rows may be the former declaring class: the relationship may have moved there, or from there.
    let own = matches[className]?[relationship.name]
    if let property = own, property.relationship == nil {
      problem = "\(name) is a relationship, and was a value"
      return
    }
    let near = own?.relationship.flatMap { StoredRelationshipPairs($0, in: store, names) }
    var far: StoredRelationshipPairs?
    if let inverse, let there = matches[inverse.ofClass]?[inverse.name]?.relationship,
      let found = StoredRelationshipPairs(there, in: store, names), isOwnerEntity(there.destination)
    {
      far = found.flipped(to: flipped(there))
    }
    if let near, let far, near.relationshipID != far.relationshipID {
      problem =
        "\(name) and \(relationship.destination).\(inverse?.name ?? "") mirror each other now, and were two relationships"
      return
    }
    pairs = near ?? far
    if let pairs, pairs.isSymmetric != relationship.isSymmetric {
      problem = "\(name) \(relationship.isSymmetric ? "mirrors itself now, and did not" : "no longer mirrors itself")"
    }
  }

  /// Returns whether a class of the store is among those whose rows have the relationship.
  private func isOwnerEntity(_ destination: String) -> Bool {
    guard let former = matches[className]?.originalName, let table = store.table(of: former) else { return false }
    return table.lineage(of: former).contains(destination) || table.family(of: former).contains(destination)
  }

  /// Returns a relationship of the other end as seen from this end.
  private func flipped(_ there: StoredRelationship) -> StoredRelationship {
    StoredRelationship(
      name: relationship.name, ofClass: there.destination, destination: there.ofClass, inverse: there.name,
      isToMany: relationship.isToMany)
  }

  // MARK: Conditions

  /// Adds a check for related objects whose class is no longer related.
  private mutating func checkDestination(_ pairs: StoredRelationshipPairs) {
    guard let table = store.table(of: pairs.destination) else { return }
    let allowed = Set(matches.family(of: relationship.destination)).union(matches.removed)
    let related = table.family(of: pairs.destination)
    guard !related.allSatisfy(allowed.contains) else { return }
    let here = related.filter(allowed.contains)
    var rows = "(\(pairs.query)) AS p"
    if !here.isEmpty, let isHere = table.classCondition(here, as: "d") {
      rows +=
        " JOIN \(StoreFormat.quoted(names[table.name])) AS d ON d.\(StoreFormat.identifierColumn) = p.other WHERE NOT (\(isHere))"
    }
    let (name, now) = (name, relationship.destination)
    let was = pairs.destination
    checks.append(
      RowCheck(count: "SELECT count(*) FROM \(rows)") {
        "\(name) relates a \(now), and did relate a \(was): \($0) objects lead to others"
      })
  }

  private mutating func checkCounts(_ pairs: StoredRelationshipPairs) {
    func tooMany(_ column: String) -> String {
      "SELECT count(*) FROM (SELECT \(column) FROM (\(pairs.query)) GROUP BY \(column) HAVING count(*) > 1)"
    }
    let (name, other) = (name, "\(relationship.destination).\(inverse?.name ?? "")")
    if pairs.isToMany, !relationship.isToMany {
      checks.append(
        RowCheck(count: tooMany("owner")) { "\(name) is a to-one, and there are objects that have several (\($0))" })
    }
    if pairs.hasManyOwners, let inverse, !inverse.isToMany, !relationship.isSymmetric {
      checks.append(
        RowCheck(count: tooMany("other")) { "\(other) is a to-one, and there are objects that have several (\($0))" })
    }
  }
}
