import Foundation
import LarderData
import SwiftData

/// Makes random predicates on ``Grain``.
struct PredicateMaker {
  typealias P = PredicateExpressions

  var values: HostileValues
  let object = P.Variable<Grain>()
  /// The elements of the iterations around.
  var strings: [P.Variable<String>] = []
  var numbers: [P.Variable<Int>] = []

  private(set) var nodes: Set<String> = []
  private(set) var nullable: Set<String> = []
  /// False where Foundation's own evaluation is not defined: it traps, rounds or throws.
  private(set) var isDefined = true

  init(seed: UInt64) {
    values = HostileValues(random: SeededGenerator(seed: seed))
    values.isPlain = values.random.chance(60)
  }

  /// Whether the strings in it are plain too.
  var isPlain: Bool { values.isPlain }

  mutating func predicate() -> Predicate<Grain> {
    let depth = Int.random(in: 1...4, using: &values.random)
    let body = bool(depth)
    return Predicate { variable in Self.apply(body, object, variable) }
  }

  private static func apply<Body: StandardPredicateExpression<Bool>>(
    _ body: Body, _ object: P.Variable<Grain>, _ variable: P.Variable<Grain>
  ) -> any StandardPredicateExpression<Bool> { P.Applied(body, variable: object, argument: variable) }

  // MARK: - Chance

  mutating func chance(_ percent: Int) -> Bool { values.random.chance(percent) }
  mutating func choose(_ count: Int) -> Int { Int.random(in: 0..<count, using: &values.random) }
  mutating func note(_ node: String, nullable isNullable: Bool = false) {
    nodes.insert(node)
    if isNullable { nullable.insert(node) }
  }
  mutating func undefined() { isDefined = false }
  mutating func constant<V: Codable & Sendable>(_ value: V) -> Part<V> {
    note("Value")
    return Build.value(value)
  }
  mutating func property<V>(_ path: any KeyPath<Grain, V> & Sendable) -> Part<V> {
    note("KeyPath")
    return Build.keyPath(object, path)
  }

  // MARK: - Conditions

  mutating func bool(_ depth: Int) -> Part<Bool> {
    guard depth > 0 else { return leaf() }
    switch choose(11) {
    case 0, 1, 2:
      note("Conjunction")
      return Build.and(bool(depth - 1), bool(depth - 1))
    case 3, 4:
      note("Disjunction")
      return Build.or(bool(depth - 1), bool(depth - 1))
    case 5:
      note("Negation")
      return Build.not(bool(depth - 1))
    case 6:
      note("Conditional")
      if chance(30) {
        note("Conditional", nullable: true)
        return same(Build.conditional(bool(depth - 1), property(\.rank), optionalNumber(1)), optionalNumber(0))
      }
      return Build.conditional(bool(depth - 1), bool(depth - 1), bool(depth - 1))
    case 7:
      note("Equal")
      return Build.equal(bool(depth - 1), bool(depth - 1))
    case 8:
      note("NilCoalesce", nullable: true)
      return Build.coalesce(chained(depth - 1), bool(0))
    default: return leaf()
    }
  }

  /// Optional chaining to a condition.
  private mutating func chained(_ depth: Int) -> Part<Bool?> {
    note("OptionalFlatMap", nullable: true)
    note("Applied")
    switch choose(3) {
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
    default:
      let variable = P.Variable<Spot>()
      note("KeyPath")
      let spot = property(\.place)
      let body =
        chance(50)
        ? same(Build.keyPath(variable, \Spot.name), text(0)) : order(Build.keyPath(variable, \Spot.latitude), real(0))
      return Build.flatMap(spot, variable, body)
    }
  }

  private mutating func same<V: Equatable>(_ left: Part<V>, _ right: Part<V>, nullable: Bool = false) -> Part<Bool> {
    let isEqual = chance(60)
    note(isEqual ? "Equal" : "NotEqual", nullable: nullable)
    func open<L: StandardPredicateExpression<V>, R: StandardPredicateExpression<V>>(_ l: L, _ r: R) -> Part<Bool> {
      isEqual ? Build.equal(l, r) : Build.notEqual(l, r)
    }
    return open(left, right)
  }

  private mutating func order<V: Comparable>(_ left: Part<V>, _ right: Part<V>) -> Part<Bool> {
    note("Comparison")
    let op = values.pick(
      [.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual] as [P.ComparisonOperator])
    func open<L: StandardPredicateExpression<V>, R: StandardPredicateExpression<V>>(_ l: L, _ r: R) -> Part<Bool> {
      Build.compare(l, r, op)
    }
    return open(left, right)
  }

  private mutating func compared<V: Comparable>(_ left: Part<V>, _ right: Part<V>) -> Part<Bool> {
    chance(50) ? same(left, right) : order(left, right)
  }

  private mutating func presence<V: Equatable & Codable & Sendable>(_ value: Part<V?>) -> Part<Bool> {
    let isNil = chance(50)
    note("NilLiteral", nullable: true)
    note(isNil ? "Equal" : "NotEqual", nullable: true)
    func open<L: StandardPredicateExpression<V?>>(_ l: L) -> Part<Bool> { Build.isNil(l, isNil) }
    return open(value)
  }

  private mutating func leaf() -> Part<Bool> {
    let depth = choose(3)
    switch choose(36) {
    case 0: return property(\.flag)
    case 1: return constant(values.flag())
    case 2: return compared(number(depth), number(depth))
    case 3: return same(optionalNumber(depth), optionalNumber(depth), nullable: true)
    case 4: return compared(real(depth), real(depth))
    case 5: return same(property(\.height), constant(values.maybe { $0.real() }), nullable: true)
    case 6: return compared(text(depth), text(depth))
    case 7: return same(optionalText(depth), optionalText(depth), nullable: true)
    case 8: return compared(property(\.day), constant(values.date()))
    case 9: return same(property(\.end), constant(values.maybe { $0.date() }), nullable: true)
    case 10: return compared(decimal(depth), decimal(depth))
    case 11: return same(property(\.cost), constant(values.maybe { $0.decimal() }), nullable: true)
    case 12: return compared(property(\.code), constant(values.pick(Specimen.identifiers)))
    case 13: return same(property(\.payload), constant(Data(values.pick([[], [1], [0, 255]]) as [UInt8])))
    case 14: return same(property(\.grade), constant(values.pick(Grade.allCases)))
    case 15: return same(property(\.level), constant(values.maybe { $0.pick([.first, .second]) }), nullable: true)
    case 16: return same(property(\.maybe), constant(values.maybe { $0.flag() }), nullable: true)
    case 17: return presence(optionalText(depth))
    case 18: return presence(optionalNumber(depth))
    case 19: return presence(property(\.notes))
    case 20: return same(property(\.mark), constant(values.mark()))
    case 21: return same(property(\.spot), chance(50) ? constant(values.spot()) : property(\.spot))
    case 22: return same(property(\.place), chance(50) ? constant(values.maybe { $0.spot() }) : property(\.place))
    case 23: return same(property(\.box), constant(values.maybe { $0.box() }), nullable: true)
    case 24: return textual(depth)
    case 25: return member(depth)
    case 26: return ranged(depth)
    case 27, 28: return iterated(depth)
    case 29: return cast(depth)
    case 30: return listed(depth)
    case 31: return localized(depth)
    case 32: return unwrapped(depth)
    case 33: return compared(property(\.small), constant(values.pick([0, 1, -1, .max]) as Int8))
    case 34: return identified()
    default: return compared(tame(depth), tame(depth))
    }
  }

  private mutating func identified() -> Part<Bool> {
    note("persistentModelID")
    note("KeyPath")
    let identifier = Build.keyPath(object, \Grain.persistentModelID)
    let other = identifiers.isEmpty ? nil : values.pick(identifiers)
    guard let other else { return property(\.flag) }
    if chance(40) {
      note("SequenceContains")
      return Build.member(constant([other, values.pick(identifiers)]), identifier)
    }
    if chance(25) {
      note("Conditional")
      return same(Build.conditional(bool(0), identifier, constant(values.pick(identifiers))), constant(other))
    }
    return same(identifier, constant(other))
  }

  /// What identifiers to ask for.
  var identifiers: [PersistentIdentifier] = []

  private mutating func textual(_ depth: Int) -> Part<Bool> {
    switch choose(3) {
    case 0:
      note("CollectionContainsCollection")
      return Build.contains(text(depth), text: text(depth))
    case 1:
      note("SequenceStartsWith")
      return Build.starts(text(depth), text: text(depth))
    default:
      note("StringContainsRegex")
      let pattern = values.pick(["^[ab]+$", "[0-9]", "b$", "z"])
      guard let regex = try? Regex(pattern), let predicate = P.PredicateRegex(regex) else { return property(\.flag) }
      return Build.matches(text(depth), predicate)
    }
  }

  private mutating func localized(_ depth: Int) -> Part<Bool> {
    let result = values.pick([ComparisonResult.orderedSame, .orderedAscending, .orderedDescending])
    switch choose(3) {
    case 0:
      note("localizedStandardContains")
      return Build.localizedContains(text(depth), text(depth))
    case 1:
      note("localizedCompare")
      return same(Build.localizedCompare(text(depth), text(depth)), constant(result))
    default:
      note("caseInsensitiveCompare")
      return same(Build.caseInsensitive(text(depth), text(depth)), constant(result))
    }
  }

  private mutating func member(_ depth: Int) -> Part<Bool> {
    switch choose(6) {
    case 0:
      note("SequenceContains")
      return Build.member(constant(values.list { $0.text() }), text(depth))
    case 1:
      note("SequenceContains")
      return Build.member(constant(values.list { $0.number() }), number(depth))
    case 2:
      note("SequenceContains", nullable: true)
      return Build.member(constant(values.list { $0.maybe { $0.text() } }), optionalText(depth))
    case 3:
      note("SequenceContains")
      return Build.member(constant(values.list { $0.mark() }), property(\.mark))
    case 4:
      note("SequenceContains")
      return Build.member(texts(depth), text(depth))
    default:
      note("SequenceContains")
      return Build.member(integers(depth), number(depth))
    }
  }

  private mutating func ranged(_ depth: Int) -> Part<Bool> {
    let isClosed = chance(50)
    note(isClosed ? "ClosedRange.contains" : "Range.contains")
    // Foundation traps on a range whose end comes before its beginning.
    let ends = [values.number(), values.number()].sorted()
    let (lower, upper) = (constant(ends[0]), constant(ends[1]))
    return isClosed ? Build.closed(lower, upper, number(depth)) : Build.half(lower, upper, number(depth))
  }

  private mutating func iterated(_ depth: Int) -> Part<Bool> {
    note("Applied")
    let isAll = chance(40)
    note(isAll ? "SequenceAllSatisfy" : "SequenceContainsWhere")
    if chance(60) {
      let (sequence, variable) = (texts(depth), P.Variable<String>())
      strings.append(variable)
      defer { strings.removeLast() }
      return isAll
        ? Build.allSatisfy(sequence, variable, bool(depth)) : Build.containsWhere(sequence, variable, bool(depth))
    }
    let (sequence, variable) = (integers(depth), P.Variable<Int>())
    numbers.append(variable)
    defer { numbers.removeLast() }
    return isAll
      ? Build.allSatisfy(sequence, variable, bool(depth)) : Build.containsWhere(sequence, variable, bool(depth))
  }

  private mutating func listed(_ depth: Int) -> Part<Bool> {
    switch choose(6) {
    case 0:
      note("CollectionContainsCollection")
      return Build.contains(texts(depth), list: constant(values.list { $0.text() }))
    case 1:
      note("SequenceStartsWith")
      return Build.starts(texts(depth), list: constant(values.list { $0.text() }))
    case 2: return same(texts(depth), chance(50) ? texts(depth) : constant(values.list { $0.text() }))
    case 3:
      note("CollectionRangeSubscript")
      note("SequenceContains")
      note("Comparison")
      note("Conjunction")
      // Guarded, as people write it.
      let (list, end) = (texts(0), choose(3))
      let isLong = Build.compare(Build.keyPath(list, count: ()), constant(end), .greaterThanOrEqual)
      return Build.and(isLong, Build.member(slice: Build.slice(list, constant(0..<end)), text(depth)))
    case 4:
      note("CollectionIndexSubscript")
      note("Conjunction")
      let (list, place) = (texts(0), choose(2))
      let isLong = Build.compare(Build.keyPath(list, count: ()), constant(place), .greaterThan)
      return Build.and(isLong, same(Build.element(list, constant(place)), text(depth)))
    default:
      note("KeyPath")
      return Build.keyPath(texts(depth), isEmpty: ())
    }
  }

  private mutating func cast(_ depth: Int) -> Part<Bool> {
    switch choose(6) {
    case 0:
      note("TypeCheck", nullable: true)
      return Build.isType(optionalNumber(depth), Int.self)
    case 1:
      note("TypeCheck")
      return Build.isType(text(depth), String.self)
    case 2:
      note("ConditionalCast", nullable: true)
      return same(Build.cast(optionalNumber(depth), Int.self), constant(values.maybe { $0.number() }), nullable: true)
    case 3:
      note("ConditionalCast")
      return presence(Build.cast(number(depth), String.self))
    case 4:
      note("ForceCast")
      return same(Build.forceCast(number(depth), Int.self), number(depth))
    default:
      note("ForceCast")
      undefined()
      return same(Build.forceCast(number(depth), String.self), text(depth))
    }
  }

  private mutating func unwrapped(_ depth: Int) -> Part<Bool> {
    note("ForcedUnwrap", nullable: true)
    note("Conjunction")
    let value = optionalNumber(depth)
    let unwrapped = same(Build.unwrap(value), number(depth))
    if chance(70) { return Build.and(Build.isNil(value, false), unwrapped) }
    undefined()
    return unwrapped
  }
}
