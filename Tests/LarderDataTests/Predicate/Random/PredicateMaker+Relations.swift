import Foundation
import LarderData
import SwiftData

// What relationships lead to.
extension PredicateMaker {
  // MARK: - To-one

  func toOnes(of subject: Subject) -> [OptionalSubject] {
    switch subject {
    case .grain(let grain):
      [
        .sack(Build.keyPath(grain, \.sack)), .sack(Build.keyPath(grain, \.sack)),
        .grain(Build.keyPath(grain, \.parent)), .grain(Build.keyPath(grain, \.next)),
        .grain(Build.keyPath(grain, \.previous)),
        .label(Build.keyPath(grain, \.lead)), .label(Build.keyPath(Build.keyPath(grain, \.home), \.cover)),
      ]
    case .sack(let sack): [.label(Build.keyPath(sack, \.cover))]
    case .label(let label): [.grain(Build.keyPath(label, \.leader))]
    }
  }

  /// What a to-one leads to, or one after another.
  private mutating func toOne() -> OptionalSubject {
    let object = plainToOne()
    guard chance(8) else { return object }
    // A cast to its own class leaves it as it is.
    return switch object {
    case .grain(let part): .grain(Build.cast(part, Grain.self))
    case .sack(let part): .sack(Build.cast(part, Sack.self))
    case .label(let part): .label(Build.cast(part, Ticket.self))
    }
  }

  private mutating func plainToOne() -> OptionalSubject {
    let first = values.pick(toOnes(of: subject()))
    guard chance(25) else { return first }
    switch first {
    case .grain(let grain):
      let variable = P.Variable<Grain>()
      switch values.pick(toOnes(of: .grain(variable))) {
      case .grain(let next): return .grain(Build.flatMap(flat: grain, variable, next))
      case .sack(let next): return .sack(Build.flatMap(flat: grain, variable, next))
      case .label(let next): return .label(Build.flatMap(flat: grain, variable, next))
      }
    case .sack(let sack):
      let variable = P.Variable<Sack>()
      let cover: Part<Ticket?> = Build.keyPath(variable, \Sack.cover)
      return .label(Build.flatMap(flat: sack, variable, cover))
    case .label(let label):
      let variable = P.Variable<Ticket>()
      let leader: Part<Grain?> = Build.keyPath(variable, \Ticket.leader)
      return .grain(Build.flatMap(flat: label, variable, leader))
    }
  }

  /// Optional chaining to a value, or to one that is optional itself.
  mutating func chain<Value>(
    _ depth: Int, _ make: (inout PredicateMaker) -> Part<Value>, orFlat flat: ((inout PredicateMaker) -> Part<Value?>)?
  ) -> Part<Value?> {
    let isApplied = chance(15)
    let isFlat = chance(30)
    switch toOne() {
    case .grain(let part):
      let variable = P.Variable<Grain>()
      return within(.grain(variable)) { maker in
        if isFlat, let flat { return Build.flatMap(flat: part, variable, flat(&maker)) }
        return Build.flatMap(part, variable, make(&maker), applied: isApplied)
      }
    case .sack(let part):
      let variable = P.Variable<Sack>()
      return within(.sack(variable)) { maker in
        if isFlat, let flat { return Build.flatMap(flat: part, variable, flat(&maker)) }
        return Build.flatMap(part, variable, make(&maker), applied: isApplied)
      }
    case .label(let part):
      let variable = P.Variable<Ticket>()
      return within(.label(variable)) { maker in
        if isFlat, let flat { return Build.flatMap(flat: part, variable, flat(&maker)) }
        return Build.flatMap(part, variable, make(&maker), applied: isApplied)
      }
    }
  }

  /// One attribute of what a to-one leads to, which is to have a value.
  mutating func found() -> Part<Bool> {
    func open<V: Equatable, L: StandardPredicateExpression<V>, R: StandardPredicateExpression<V>>(
      _ l: L, _ r: R
    ) -> Part<Bool> { Build.equal(l, r) }
    switch choose(4) {
    case 0:
      let name = chain(0, { $0.property(.name) }, orFlat: { $0.property(.nickname) })
      return open(name, constant(values.maybe { $0.text() }))
    case 1:
      let number = chain(0, { $0.property(.number) }, orFlat: { $0.property(.rank) })
      return open(number, constant(values.maybe { $0.number() }))
    case 2:
      let flag = chain(0, { $0.property(.flag) }, orFlat: nil)
      return open(flag, constant(Optional(values.flag())))
    default:
      let tame = chain(0, { $0.property(.tame) }, orFlat: nil)
      return open(tame, constant(values.maybe { $0.tame() }))
    }
  }

  // MARK: - To-many

  private mutating func toMany(_ depth: Int) -> SubjectList {
    let list: SubjectList
    switch subject() {
    case .grain(let grain):
      let (home, children): (Part<Sack>, Part<[Grain]?>) = (
        Build.keyPath(grain, \Grain.home), Build.keyPath(grain, \Grain.children)
      )
      list =
        switch choose(5) {
        case 0: .grains(Build.unwrap(children))
        case 1: .grains(Build.keyPath(home, \Sack.grains))
        default: .labels(Build.keyPath(grain, \Grain.labels))
        }
    case .sack(let sack):
      list =
        switch choose(3) {
        case 0: .grains(Build.keyPath(sack, \.grains))
        case 1: .grains(Build.keyPath(sack, \.residents))
        default: .labels(Build.keyPath(sack, \.stock))
        }
    case .label(let label):
      list = chance(60) ? .grains(Build.keyPath(label, \.grains)) : .labels(Build.keyPath(label, \.alike))
    }
    return chance(20) && !isDeep ? filtered(list, depth) : list
  }

  private mutating func filtered(_ list: SubjectList, _ depth: Int) -> SubjectList {
    let isApplied = chance(15)
    switch list {
    case .grains(let part):
      let variable = P.Variable<Grain>()
      return .grains(
        within(.grain(variable)) { Build.filter(part, variable, $0.bool(depth - 1), applied: isApplied) })
    case .labels(let part):
      let variable = P.Variable<Ticket>()
      return .labels(
        within(.label(variable)) { Build.filter(part, variable, $0.bool(depth - 1), applied: isApplied) })
    }
  }

  private mutating func iteratedRelated(_ list: SubjectList, _ depth: Int) -> Part<Bool> {
    let (isAll, isApplied) = (chance(40), chance(15))
    switch list {
    case .grains(let part):
      let variable = P.Variable<Grain>()
      return within(.grain(variable)) { maker in
        let body = maker.bool(depth - 1)
        return isAll
          ? Build.allSatisfy(part, variable, body, applied: isApplied)
          : Build.containsWhere(part, variable, body, applied: isApplied)
      }
    case .labels(let part):
      let variable = P.Variable<Ticket>()
      return within(.label(variable)) { maker in
        let body = maker.bool(depth - 1)
        return isAll
          ? Build.allSatisfy(part, variable, body, applied: isApplied)
          : Build.containsWhere(part, variable, body, applied: isApplied)
      }
    }
  }

  /// A to-many that is optional, through a chain.
  mutating func optionalList(_ depth: Int) -> Part<Bool?> {
    guard let grain = grain(), !isDeep else { return chain(depth, { $0.property(.flag) }, orFlat: nil) }
    let variable = P.Variable<[Grain]>()
    let children: Part<[Grain]?> = Build.keyPath(grain, \Grain.children)
    let body = chance(50) ? iteratedRelated(.grains(variable), depth) : Build.keyPath(variable, isEmpty: ())
    return Build.flatMap(children, variable, body)
  }

  mutating func relatedCount(_ depth: Int) -> Part<Int> {
    guard !isDeep else { return property(.tame) }
    if chance(15), let grain = grain() {
      let variable = P.Variable<[Grain]>()
      let (children, count): (Part<[Grain]?>, Part<Int>) = (
        Build.keyPath(grain, \Grain.children), Build.keyPath(variable, count: ())
      )
      return Build.coalesce(Build.flatMap(children, variable, count), constant(0))
    }
    return switch toMany(depth) {
    case .grains(let part): Build.keyPath(part, count: ())
    case .labels(let part): Build.keyPath(part, count: ())
    }
  }

  // MARK: - Conditions

  mutating func related(_ depth: Int) -> Part<Bool> {
    guard !isDeep else { return property(.flag) }
    switch choose(14) {
    case 0, 1, 2, 3: return iteratedRelated(toMany(depth), depth)
    case 4, 5: return Build.coalesce(chain(depth, { $0.bool(depth - 1) }, orFlat: nil), constant(values.flag()))
    case 6:
      return switch toMany(depth) {
      case .grains(let part): Build.keyPath(part, isEmpty: ())
      case .labels(let part): Build.keyPath(part, isEmpty: ())
      }
    case 7: return compared(relatedCount(depth), tame(0))
    case 8: return isThere()
    case 9, 12: return isRelated()
    case 10: return isSame()
    case 11: return Build.coalesce(optionalList(depth), bool(0))
    default: return identified()
    }
  }

  /// Every form of nil.
  private mutating func isThere() -> Part<Bool> {
    if chance(10), let grain = grain() { return presence(Build.keyPath(grain, \.children)) }
    let isCast = chance(20)
    return switch toOne() {
    case .grain(let part): isCast ? Build.isType(part, Grain.self) : presence(part)
    case .sack(let part): isCast ? Build.isType(part, Sack.self) : presence(part)
    case .label(let part): isCast ? Build.isType(part, Ticket.self) : presence(part)
    }
  }

  /// Whether a to-many has an object.
  private mutating func isRelated() -> Part<Bool> {
    let grains: [Part<Grain>] = subjects.compactMap { if case .grain(let grain) = $0 { grain } else { nil } }
    let labels: [Part<Ticket>] = subjects.compactMap { if case .label(let label) = $0 { label } else { nil } }
    switch toMany(0) {
    case .grains(let part):
      guard !grains.isEmpty else { return Build.keyPath(part, isEmpty: ()) }
      let grain = values.pick(grains)
      return Build.member(part, grain)
    case .labels(let part):
      guard !labels.isEmpty else { return Build.keyPath(part, isEmpty: ()) }
      let label = values.pick(labels)
      return Build.member(part, label)
    }
  }

  /// Whether two relationships lead to the same object.
  private mutating func isSame() -> Part<Bool> {
    let (one, other) = (toOne(), toOne())
    switch (one, other) {
    case (.grain(let a), .grain(let b)): return same(a, b)
    case (.sack(let a), .sack(let b)): return same(a, b)
    case (.label(let a), .label(let b)): return same(a, b)
    default:
      guard let grain = grain() else { return isThere() }
      let others: [Part<Grain>] = subjects.compactMap { if case .grain(let grain) = $0 { grain } else { nil } }
      let next = values.pick(others)
      if chance(50) { return same(grain, next) }
      let (home, other): (Part<Sack>, Part<Sack>) = (
        Build.keyPath(grain, \Grain.home), Build.keyPath(next, \Grain.home)
      )
      return same(home, other)
    }
  }

  private mutating func identified() -> Part<Bool> {
    let identifier = subject().identifier
    let (one, other) = (values.pick(identifiers), values.pick(identifiers))
    switch choose(7) {
    case 0, 1: return Build.member(constant([one, other]), identifier)
    case 2 where !staysInSQL:
      return same(Build.conditional(bool(0), identifier, constant(one)), constant(other))
    case 3, 4:
      let related = chain(0, { $0.subjects[$0.subjects.count - 1].identifier }, orFlat: nil)
      if chance(30) { return presence(related) }
      if chance(30) { return Build.member(constant([one, nil, other]), related) }
      return same(related, constant(chance(30) ? nil : one))
    case 5: return same(identifier, subject().identifier)
    default: return same(identifier, constant(one))
    }
  }
}
