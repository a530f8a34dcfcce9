import Foundation
import LarderSupport

extension Lowering {
  func layout(of source: Int) -> _ModelLayout { source == 0 ? layout : related[source - 1].layout }
  func columnLayout(_ place: Int) -> ColumnLayout {
    layout(of: ColumnReference.source(place)).columns[ColumnReference.columnIndex(place)]
  }

  /// Records that a property is read.
  mutating func recordRead(_ bit: _PropertyMask, of source: Int) {
    if source == 0 { mask |= bit } else { related[source - 1].mask |= bit }
  }

  /// Returns a relationship as a term: the object at the other end, or the collection of them.
  mutating func relationship(_ relationship: RelationshipLayout, of source: Int) -> Term {
    recordRead(relationship.bit, of: source)
    if relationship.isToMany {
      return Term(.collection(CollectionTerm(source: addSource(relationship, to: source, isElement: true))), .structure)
    }
    let known = related.firstIndex {
      $0.parent == source && $0.relationship?.property == relationship.property && !$0.isElement
    }
    let number = known.map { $0 + 1 } ?? addSource(relationship, to: source, isElement: false)
    return Term(.object(number), .structure, isOptional: relationship.isOptional)
  }

  /// Returns an object cast to a subclass; nil where it is not an instance of it.
  mutating func castObject(_ source: Int, as layout: _ModelLayout) -> Term {
    let known = related.firstIndex { $0.parent == source && $0.relationship == nil && $0.layout === layout }
    if known == nil { related.append(RelatedSource(parent: source, castTo: layout)) }
    return Term(.object((known ?? related.count - 1) + 1), .structure, isOptional: true)
  }

  private mutating func addSource(_ relationship: RelationshipLayout, to source: Int, isElement: Bool) -> Int {
    related.append(RelatedSource(parent: source, relationship: relationship, isElement: isElement))
    return related.count
  }

  /// Returns an object's row ID; NULL where there is no object.
  func rowIDTerm(of source: Int) -> Term {
    let kind = ValueKind.integer(Int64.min...Int64.max)
    if source == 0 { return Term(.rowIdentifier, kind) }
    let object = related[source - 1]
    // The foreign key of the owner is the row ID, without access to the related row.
    if !object.isElement, let relationship = object.relationship, case .foreignKey(let column, _) = relationship.storage
    {
      return Term(
        .column(ColumnReference.make(column: column, source: object.parent)), kind,
        isOptional: relationship.isOptional || mayBeMissing(object.parent))
    }
    return Term(.column(ColumnReference.rowID(of: source)), kind, isOptional: !object.isElement)
  }

  /// Returns whether an object may be missing: it is the value of an optional relationship, or is reached through such an
  /// object.
  private func mayBeMissing(_ source: Int) -> Bool {
    guard source > 0 else { return false }
    let object = related[source - 1]
    if object.isElement { return false }
    guard let relationship = object.relationship, case .foreignKey = relationship.storage else { return true }
    return relationship.isOptional || mayBeMissing(object.parent)
  }

  /// Returns the resolver of identifiers of an object's model.
  func identifierResolver(of source: Int) -> IdentifierResolver? {
    guard let identifierResolver, source > 0 else { return identifierResolver }
    return IdentifierResolver(
      identity: .of(store: identifierResolver.identity.store, entity: layout(of: source).entityName),
      aliases: identifierResolver.aliases)
  }

  /// Returns whether a column belongs to an object, or to one that is reached from it through to-one relationships.
  func isColumn(_ place: Int, reachableFrom source: Int) -> Bool {
    isSource(ColumnReference.source(place), reachableFrom: source)
  }

  func isSource(_ other: Int, reachableFrom source: Int) -> Bool {
    var number = other
    while number != source {
      guard number > 0, !related[number - 1].isElement else { return false }
      number = related[number - 1].parent
    }
    return true
  }

  /// Returns an expression about an object that may be missing, if it needs no extra condition: the object's columns are NULL
  /// then.
  func optional(_ result: Term, through source: Int) -> Term? {
    switch result.operation {
    case .object(let other) where isSource(other, reachableFrom: source):
      Term(result.operation, .structure, isOptional: true)
    case .column(let place) where isColumn(place, reachableFrom: source):
      Term(.column(place), result.kind, isOptional: true)
    case .composite(let composite) where isColumn(composite.firstColumn, reachableFrom: source):
      Term(
        .composite(composite.addingPresenceCondition(.condition(.isPresent(rowIDTerm(of: source))))), .structure,
        isOptional: true)
    case .json(let column, _) where isColumn(column, reachableFrom: source):
      Term(result.operation, .structure, isOptional: true)
    case .identifier(let identity, let key) where isColumn(key, reachableFrom: source):
      Term(.identifier(identity, Term(key.operation, key.kind, isOptional: true)), .structure, isOptional: true)
    // A missing object has no related objects.
    case .collection(let collection) where isSource(related[collection.source - 1].parent, reachableFrom: source):
      Term(result.operation, .structure, isOptional: true)
    default: nil
    }
  }

  /// Returns whether a term is the key of an object, or of one that is reached from it.
  private func isColumn(_ key: Term, reachableFrom source: Int) -> Bool {
    guard case .column(let place) = key.operation else { return false }
    if case .column(let own) = self.rowIDTerm(of: source).operation, own == place { return true }
    return isColumn(place, reachableFrom: source)
  }
}

extension CollectionTerm {
  /// Returns whether an element passes a test, after the filter's.
  func contains(_ test: Term?) -> Term {
    .condition(.exists(test.map(filtered) ?? self))
  }
}
