import Foundation
import LarderData
import SwiftData

// Values of each kind, as deep as wanted.
extension PredicateMaker {
  mutating func text(_ depth: Int) -> Part<String> {
    if let variable = strings.last, chance(50) { return variable }
    guard depth > 0 else {
      return chance(50) ? constant(values.text()) : chance(70) ? property(.name) : member(\.name)
    }
    switch choose(3) {
    case 0: return Build.coalesce(optionalText(depth - 1), text(depth - 1))
    case 1: return Build.conditional(bool(0), text(depth - 1), text(depth - 1))
    default: return text(0)
    }
  }

  /// A member of the composite that all models have.
  private mutating func member<V>(_ path: any KeyPath<Spot, V> & Sendable) -> Part<V> {
    Build.keyPath(property(.spot), path)
  }

  mutating func optionalText(_ depth: Int) -> Part<String?> {
    switch choose(staysInSQL ? 7 : 9) {
    case 0: return constant(values.maybe { $0.text() })
    case 1:
      let variable = PredicateExpressions.Variable<Spot>()
      let (place, name): (Part<Spot?>, Part<String>) = (property(.place), Build.keyPath(variable, \Spot.name))
      return Build.flatMap(place, variable, name)
    case 2, 3: return chain(depth, { $0.text(depth - 1) }, orFlat: { $0.property(.nickname) })
    case 7: return Build.largest(texts(depth - 1))
    case 8: return Build.smallest(texts(depth - 1))
    default: return property(.nickname)
    }
  }

  mutating func number(_ depth: Int) -> Part<Int> {
    if let variable = numbers.last, chance(50) { return variable }
    guard depth > 0 else { return chance(50) ? constant(values.number()) : property(.number) }
    switch choose(10) {
    case 0: return Build.coalesce(optionalNumber(depth - 1), number(depth - 1))
    case 1: return Build.conditional(bool(0), number(depth - 1), number(depth - 1))
    case 2 where !staysInSQL:
      let other = chance(50) ? number(depth - 1) : Build.coalesce(property(.rank), number(0))
      return Build.key(property(.scores), text(depth - 1), default: other)
    case 3:
      undefined()
      return wild(depth)
    case 4: return Build.keyPath(text(depth - 1), characters: ())
    case 5: return tame(depth)
    case 6: return relatedCount(depth)
    default: return number(0)
    }
  }

  /// Arithmetic that may overflow, where Foundation traps.
  private mutating func wild(_ depth: Int) -> Part<Int> {
    switch choose(4) {
    case 0: return Build.divide(number(depth - 1), number(depth - 1))
    case 1: return Build.remainder(number(depth - 1), number(depth - 1))
    case 2: return Build.minus(number(depth - 1))
    default:
      return Build.arithmetic(number(depth - 1), number(depth - 1), values.pick([.add, .subtract, .multiply]))
    }
  }

  /// Arithmetic that cannot overflow.
  mutating func tame(_ depth: Int) -> Part<Int> {
    guard depth > 0 else { return chance(30) ? constant(values.tame()) : property(.tame) }
    switch choose(6) {
    case 0: return Build.divide(tameOrNot(depth), constant(values.pick([1, 2, -3])))
    case 1: return Build.remainder(tameOrNot(depth), constant(values.pick([1, 2, -3])))
    case 2: return Build.minus(tame(depth - 1))
    case 3 where !staysInSQL: return Build.keyPath(texts(depth - 1), count: ())
    case 4: return relatedCount(depth)
    default:
      return Build.arithmetic(tameOrNot(depth), tame(depth - 1), values.pick([.add, .subtract, .multiply]))
    }
  }

  /// The same through an optional, as often as not.
  private mutating func tameOrNot(_ depth: Int) -> Part<Int> {
    guard chance(50), !isDeep else { return tame(depth - 1) }
    return Build.coalesce(chain(depth, { $0.tame(0) }, orFlat: nil), tame(0))
  }

  mutating func optionalNumber(_ depth: Int) -> Part<Int?> {
    switch choose(staysInSQL ? 6 : 9) {
    case 0: return constant(values.maybe { $0.number() })
    case 1, 2: return chain(depth, { $0.number(depth - 1) }, orFlat: { $0.property(.rank) })
    case 6: return Build.key(property(.scores), text(0))
    case 7: return Build.largest(integers(depth - 1))
    case 8: return Build.smallest(integers(depth - 1))
    default: return property(.rank)
    }
  }

  mutating func real(_ depth: Int) -> Part<Double> {
    guard depth > 0 else {
      return chance(40) ? constant(values.real()) : chance(70) ? property(.weight) : member(\.latitude)
    }
    switch choose(6) {
    case 0: return Build.coalesce(property(.height), real(depth - 1))
    case 1: return Build.conditional(bool(0), real(0), real(0))
    case 2: return Build.minus(real(depth - 1))
    case 3:
      // Divided by −0, which the store has as 0.
      undefined()
      return Build.divideReal(real(depth - 1), real(depth - 1))
    default:
      return Build.arithmetic(real(depth - 1), real(depth - 1), values.pick([.add, .subtract, .multiply]))
    }
  }

  mutating func decimal(_ depth: Int) -> Part<Decimal> {
    guard depth > 0 else { return chance(40) ? constant(values.decimal()) : property(.price) }
    switch choose(4) {
    case 0: return Build.coalesce(property(.cost), decimal(depth - 1))
    case 1 where !staysInSQL:
      // Foundation rounds.
      undefined()
      return Build.arithmetic(decimal(depth - 1), decimal(depth - 1), values.pick([.add, .subtract, .multiply]))
    case 2 where !staysInSQL: return Build.minus(decimal(depth - 1))
    default: return decimal(0)
    }
  }

  mutating func texts(_ depth: Int) -> Part<[String]> {
    guard depth > 0 else { return property(.tags) }
    switch choose(5) {
    case 0: return Build.coalesce(property(.notes), texts(depth - 1))
    case 1: return Build.conditional(bool(0), texts(depth - 1), constant(values.list { $0.text() }))
    case 2:
      let (sequence, variable) = (texts(depth - 1), PredicateExpressions.Variable<String>())
      strings.append(variable)
      defer { strings.removeLast() }
      return Build.filter(sequence, variable, bool(0))
    default: return texts(0)
    }
  }

  mutating func integers(_ depth: Int) -> Part<[Int]> {
    guard depth > 0, chance(40) else { return property(.marks) }
    let (sequence, variable) = (integers(depth - 1), PredicateExpressions.Variable<Int>())
    numbers.append(variable)
    defer { numbers.removeLast() }
    return Build.filter(sequence, variable, bool(0))
  }
}

extension Build {
  static func keyPath<V, L: Standard<[V]>>(_ l: L, count: Void) -> Part<Int> { P.KeyPath(root: l, keyPath: \[V].count) }
  static func keyPath<V, L: Standard<[V]>>(_ l: L, isEmpty: Void) -> Part<Bool> {
    P.KeyPath(root: l, keyPath: \[V].isEmpty)
  }
  static func keyPath<L: Standard<String>>(_ l: L, characters: Void) -> Part<Int> {
    P.KeyPath(root: l, keyPath: \String.count)
  }
}
