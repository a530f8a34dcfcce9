import Foundation
import LarderData
import SwiftData
import TestSeeds

/// Makes random predicates on the models.
struct PredicateMaker {
  typealias P = PredicateExpressions

  var values: HostileValues
  /// The objects that can be asked, the innermost last.
  var subjects: [Subject] = []
  /// The elements of the iterations around.
  var strings: [P.Variable<String>] = []
  var numbers: [P.Variable<Int>] = []
  /// What identifiers to ask for.
  var identifiers: [PersistentIdentifier] = []

  /// Whether it takes only what the database can be asked.
  let staysInSQL: Bool
  /// False where Foundation's own evaluation is not defined: it traps, rounds or throws.
  private(set) var isDefined = true
  /// How many more conditions it may grow by.
  private var budget = PredicateMaker.size

  /// More than people write; predicates of predicates would have no end.
  private static let size = 24
  /// Objects within objects.
  private static let deepest = 4

  init(seed: UInt64, isPlain: Bool) {
    values = HostileValues(random: SeededGenerator(seed: seed), isPlain: isPlain)
    staysInSQL = values.random.chance(60)
  }

  mutating func predicate<Root: Kernel>(on root: Root.Type) -> Predicate<Root> {
    let depth = choose(4) + 1
    return Predicate { variable in
      subjects = [Root.subject(variable)]
      // As people ask most often: one object at the other end, and something of those that lead to it.
      if chance(8) {
        let first = found()
        if chance(40) { return first }
        let second = chance(40) ? found() : bool(depth)
        return Build.and(first, second)
      }
      // One of several keys, as a look-up in a loop asks.
      if chance(6) {
        var keys = Build.or(key(), key())
        if chance(50) { keys = Build.or(keys, key()) }
        if chance(50) { return keys }
        return Build.and(keys, bool(depth))
      }
      return bool(depth)
    }
  }

  private mutating func key() -> Part<Bool> {
    func equal<V: Equatable & Codable & Sendable>(_ field: Field<V>, _ value: V) -> Part<Bool> {
      Build.equal(subjects[0].property(field), constant(value))
    }
    switch choose(6) {
    case 0: return equal(.number, values.number())
    case 1: return equal(.name, values.text())
    case 2: return equal(.rank, values.maybe { $0.number() })
    case 3: return Build.not(subjects[0].property(.flag))
    case 4: return Build.member(constant([values.tame(), values.tame()]), subjects[0].property(.tame))
    default: return Build.equal(subjects[0].identifier, constant(values.pick(identifiers)))
    }
  }

  // MARK: - Chance

  mutating func chance(_ percent: Int) -> Bool { values.random.chance(percent) }
  mutating func choose(_ count: Int) -> Int { Int.random(in: 0..<count, using: &values.random) }
  mutating func undefined() { isDefined = false }
  mutating func constant<V: Codable & Sendable>(_ value: V) -> Part<V> { Build.value(value) }

  var isPlain: Bool { values.isPlain }

  // MARK: - Objects

  var isDeep: Bool { subjects.count >= PredicateMaker.deepest || budget <= 0 }

  /// An object that can be asked: often the innermost, or one that it always has.
  mutating func subject() -> Subject {
    let subject = chance(65) ? subjects[subjects.count - 1] : values.pick(subjects)
    if case .grain(let grain) = subject, chance(12) { return .sack(Build.keyPath(grain, \Grain.home)) }
    return subject
  }

  mutating func property<V>(_ field: Field<V>) -> Part<V> { subject().property(field) }

  /// Puts an object into reach of what is made within.
  mutating func within<Result>(_ subject: Subject, _ make: (inout PredicateMaker) -> Result) -> Result {
    subjects.append(subject)
    defer { subjects.removeLast() }
    return make(&self)
  }

  // MARK: - Conditions

  mutating func bool(_ depth: Int) -> Part<Bool> {
    budget -= 1
    guard depth > 0, budget > 0 else { return leaf() }
    switch choose(12) {
    case 0, 1, 2: return Build.and(bool(depth - 1), bool(depth - 1))
    case 3, 4: return Build.or(bool(depth - 1), bool(depth - 1))
    case 5: return Build.not(bool(depth - 1))
    case 6:
      if chance(30) {
        return same(Build.conditional(bool(depth - 1), property(.rank), optionalNumber(1)), optionalNumber(0))
      }
      return Build.conditional(bool(depth - 1), bool(depth - 1), bool(depth - 1))
    case 7: return Build.equal(bool(depth - 1), bool(depth - 1))
    case 8: return Build.coalesce(chained(depth - 1), bool(0))
    case 9, 10: return related(depth - 1)
    default: return leaf()
    }
  }

  /// Optional chaining to a condition.
  private mutating func chained(_ depth: Int) -> Part<Bool?> {
    switch choose(6) {
    case 0:
      let (text, variable) = (optionalText(depth), P.Variable<String>())
      strings.append(variable)
      defer { strings.removeLast() }
      return Build.flatMap(text, variable, bool(depth))
    case 1:
      let (number, variable) = (optionalNumber(depth), P.Variable<Int>())
      numbers.append(variable)
      defer { numbers.removeLast() }
      return Build.flatMap(number, variable, bool(depth))
    case 2, 3: return chain(depth, { $0.bool(depth) }, orFlat: nil)
    case 4: return optionalList(depth)
    default:
      let variable = P.Variable<Spot>()
      let spot = property(.place)
      let body =
        chance(50)
        ? same(Build.keyPath(variable, \Spot.name), text(0)) : order(Build.keyPath(variable, \Spot.latitude), real(0))
      return Build.flatMap(spot, variable, body)
    }
  }

  mutating func same<V: Equatable>(_ left: Part<V>, _ right: Part<V>) -> Part<Bool> {
    let isEqual = chance(60)
    func open<L: StandardPredicateExpression<V>, R: StandardPredicateExpression<V>>(_ l: L, _ r: R) -> Part<Bool> {
      isEqual ? Build.equal(l, r) : Build.notEqual(l, r)
    }
    return open(left, right)
  }

  mutating func order<V: Comparable>(_ left: Part<V>, _ right: Part<V>) -> Part<Bool> {
    let op = values.pick(
      [.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual] as [P.ComparisonOperator])
    func open<L: StandardPredicateExpression<V>, R: StandardPredicateExpression<V>>(_ l: L, _ r: R) -> Part<Bool> {
      Build.compare(l, r, op)
    }
    return open(left, right)
  }

  mutating func compared<V: Comparable>(_ left: Part<V>, _ right: Part<V>) -> Part<Bool> {
    chance(50) ? same(left, right) : order(left, right)
  }

  mutating func presence<V: Equatable>(_ value: Part<V?>) -> Part<Bool> {
    let isNil = chance(50)
    func open<L: StandardPredicateExpression<V?>>(_ l: L) -> Part<Bool> { Build.isNil(l, isNil) }
    return open(value)
  }
}
