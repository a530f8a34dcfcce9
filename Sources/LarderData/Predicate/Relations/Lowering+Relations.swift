import Foundation
import LarderSupport

extension Lowering {
  func layout(of source: Int) -> ModelLayout { source == 0 ? layout : related[source - 1].layout }
  func columnLayout(_ place: Int) -> ColumnLayout { layout(of: Place.source(place)).columns[Place.index(place)] }

  /// Notes that a property is read.
  mutating func note(_ bit: PropertyMask, of source: Int) {
    if source == 0 { mask |= bit } else { related[source - 1].mask |= bit }
  }

  /// A relationship as a term: the object at the other end, or the collection of them.
  mutating func relation(_ relation: RelationLayout, of source: Int) -> Term {
    note(relation.bit, of: source)
    if relation.isToMany {
      return Term(.collection(CollectionTerm(source: add(relation, to: source, isElement: true))), .structure)
    }
    let known = related.firstIndex {
      $0.parent == source && $0.relation?.property == relation.property && !$0.isElement
    }
    let number = known.map { $0 + 1 } ?? add(relation, to: source, isElement: false)
    return Term(.object(number), .structure, isOptional: relation.isOptional)
  }

  /// An object as one of a class below its own; nil where it is none.
  mutating func object(_ source: Int, as layout: ModelLayout) -> Term {
    let known = related.firstIndex { $0.parent == source && $0.relation == nil && $0.layout === layout }
    if known == nil { related.append(RelatedSource(parent: source, castTo: layout)) }
    return Term(.object((known ?? related.count - 1) + 1), .structure, isOptional: true)
  }

  private mutating func add(_ relation: RelationLayout, to source: Int, isElement: Bool) -> Int {
    related.append(RelatedSource(parent: source, relation: relation, isElement: isElement))
    return related.count
  }

  /// The identifier of an object's row; NULL where there is none.
  func key(of source: Int) -> Term {
    let kind = ValueKind.integer(Int64.min...Int64.max)
    if source == 0 { return Term(.rowIdentifier, kind) }
    let object = related[source - 1]
    // The object that has the key tells without the other being looked at.
    if !object.isElement, let relation = object.relation, case .key(let column, _) = relation.form {
      return Term(
        .column(Place.column(column, of: object.parent)), kind,
        isOptional: relation.isOptional || mayBeMissing(object.parent))
    }
    return Term(.column(Place.identifier(of: source)), kind, isOptional: !object.isElement)
  }

  /// Whether an object may not be there: what a relationship leads to that may be nil, or one behind such an object.
  private func mayBeMissing(_ source: Int) -> Bool {
    guard source > 0 else { return false }
    let object = related[source - 1]
    if object.isElement { return false }
    guard let relation = object.relation, case .key = relation.form else { return true }
    return relation.isOptional || mayBeMissing(object.parent)
  }

  /// What identifiers of an object's model mean.
  func rows(of source: Int) -> RowKeys? {
    guard let rows, source > 0 else { return rows }
    return RowKeys(
      identity: .of(store: rows.identity.store, entity: layout(of: source).entityName), aliases: rows.aliases)
  }

  /// Whether a place belongs to an object, or to one that to-ones lead to from it.
  func isReached(_ place: Int, from source: Int) -> Bool { leads(to: Place.source(place), from: source) }

  func leads(to other: Int, from source: Int) -> Bool {
    var number = other
    while number != source {
      guard number > 0, !related[number - 1].isElement else { return false }
      number = related[number - 1].parent
    }
    return true
  }

  /// What an expression about an object that may not be there is, where that is known without asking for it: its columns
  /// are NULL then.
  func optional(_ result: Term, through source: Int) -> Term? {
    switch result.operation {
    case .object(let other) where leads(to: other, from: source): Term(result.operation, .structure, isOptional: true)
    case .column(let place) where isReached(place, from: source): Term(.column(place), result.kind, isOptional: true)
    case .composite(let composite) where isReached(composite.firstColumn, from: source):
      Term(
        .composite(composite.presentWhere(.condition(.isPresent(key(of: source))))), .structure, isOptional: true)
    case .json(let column, _) where isReached(column, from: source):
      Term(result.operation, .structure, isOptional: true)
    case .identifier(let identity, let key) where isReached(key, from: source):
      Term(.identifier(identity, Term(key.operation, key.kind, isOptional: true)), .structure, isOptional: true)
    // One that is not there has no related objects.
    case .collection(let collection) where leads(to: related[collection.source - 1].parent, from: source):
      Term(result.operation, .structure, isOptional: true)
    default: nil
    }
  }

  /// Whether the key of an object, or of one that is reached from it.
  private func isReached(_ key: Term, from source: Int) -> Bool {
    guard case .column(let place) = key.operation else { return false }
    if case .column(let own) = self.key(of: source).operation, own == place { return true }
    return isReached(place, from: source)
  }
}

extension CollectionTerm {
  /// Whether some element passes a test, the filter's first.
  func contains(_ test: Term?) -> Term {
    .condition(.exists(test.map(filtered) ?? self))
  }
}
