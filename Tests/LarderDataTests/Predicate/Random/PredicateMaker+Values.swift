import Foundation
import LarderData
import SwiftData

// Values of each kind, as deep as wanted.
extension PredicateMaker {
  mutating func text(_ depth: Int) -> Part<String> {
    if let variable = strings.last, chance(50) { return variable }
    guard depth > 0 else {
      return chance(50) ? constant(values.text()) : chance(70) ? property(\.name) : member(\.spot, \.name)
    }
    switch choose(3) {
    case 0:
      note("NilCoalesce", nullable: true)
      return Build.coalesce(optionalText(depth - 1), text(depth - 1))
    case 1:
      note("Conditional")
      return Build.conditional(bool(0), text(depth - 1), text(depth - 1))
    default: return text(0)
    }
  }

  private mutating func member<R, V>(
    _ root: any KeyPath<Grain, R> & Sendable, _ path: any KeyPath<R, V> & Sendable
  ) -> Part<V> {
    func open<Root: StandardPredicateExpression<R>>(_ root: Root) -> Part<V> { Build.keyPath(root, path) }
    return open(property(root))
  }

  mutating func optionalText(_ depth: Int) -> Part<String?> {
    switch choose(6) {
    case 0:
      note("SequenceMaximum")
      return Build.largest(texts(depth - 1))
    case 1:
      note("SequenceMinimum")
      return Build.smallest(texts(depth - 1))
    case 2: return constant(values.maybe { $0.text() })
    case 3:
      note("OptionalFlatMap", nullable: true)
      let variable = PredicateExpressions.Variable<Spot>()
      let name: Part<String> = Build.keyPath(variable, \Spot.name)
      func open<Body: StandardPredicateExpression<String>>(_ body: Body) -> Part<String?> {
        func open<Place: StandardPredicateExpression<Spot?>>(_ place: Place) -> Part<String?> {
          Build.flatMap(place, variable, body)
        }
        return open(property(\.place))
      }
      return open(name)
    default: return property(\.nickname)
    }
  }

  mutating func number(_ depth: Int) -> Part<Int> {
    if let variable = numbers.last, chance(50) { return variable }
    guard depth > 0 else { return chance(50) ? constant(values.number()) : property(\.number) }
    switch choose(8) {
    case 0:
      note("NilCoalesce", nullable: true)
      return Build.coalesce(optionalNumber(depth - 1), number(depth - 1))
    case 1:
      note("Conditional")
      return Build.conditional(bool(0), number(depth - 1), number(depth - 1))
    case 2:
      note("DictionaryKeyDefaultValueSubscript")
      return Build.key(property(\.scores), text(depth - 1), default: number(depth - 1))
    case 3:
      undefined()
      return wild(depth)
    case 4:
      note("count of String")
      note("KeyPath")
      return Build.keyPath(text(depth - 1), characters: ())
    case 5: return tame(depth)
    default: return number(0)
    }
  }

  /// Arithmetic that may overflow, where Foundation traps.
  private mutating func wild(_ depth: Int) -> Part<Int> {
    switch choose(4) {
    case 0:
      note("IntDivision")
      return Build.divide(number(depth - 1), number(depth - 1))
    case 1:
      note("IntRemainder")
      return Build.remainder(number(depth - 1), number(depth - 1))
    case 2:
      note("UnaryMinus")
      return Build.minus(number(depth - 1))
    default:
      note("Arithmetic")
      return Build.arithmetic(number(depth - 1), number(depth - 1), values.pick([.add, .subtract, .multiply]))
    }
  }

  /// Arithmetic that cannot overflow.
  mutating func tame(_ depth: Int) -> Part<Int> {
    guard depth > 0 else { return chance(30) ? constant(values.tame()) : property(\.tame) }
    switch choose(6) {
    case 0:
      note("IntDivision")
      return Build.divide(tame(depth - 1), constant(values.pick([1, 2, -3])))
    case 1:
      note("IntRemainder")
      return Build.remainder(tame(depth - 1), constant(values.pick([1, 2, -3])))
    case 2:
      note("UnaryMinus")
      return Build.minus(tame(depth - 1))
    case 3:
      note("KeyPath")
      return Build.keyPath(texts(depth - 1), count: ())
    default:
      note("Arithmetic")
      return Build.arithmetic(tame(depth - 1), tame(depth - 1), values.pick([.add, .subtract, .multiply]))
    }
  }

  mutating func optionalNumber(_ depth: Int) -> Part<Int?> {
    switch choose(7) {
    case 0:
      note("DictionaryKeySubscript")
      return Build.key(property(\.scores), text(0))
    case 1:
      note("SequenceMaximum")
      return Build.largest(integers(depth - 1))
    case 2:
      note("SequenceMinimum")
      return Build.smallest(integers(depth - 1))
    case 3: return constant(values.maybe { $0.number() })
    default: return property(\.rank)
    }
  }

  mutating func real(_ depth: Int) -> Part<Double> {
    guard depth > 0 else {
      return chance(40) ? constant(values.real()) : chance(70) ? property(\.weight) : member(\.spot, \.latitude)
    }
    switch choose(6) {
    case 0:
      note("NilCoalesce", nullable: true)
      return Build.coalesce(property(\.height), real(depth - 1))
    case 1:
      note("Conditional")
      return Build.conditional(bool(0), real(0), real(0))
    case 2:
      note("UnaryMinus")
      return Build.minus(real(depth - 1))
    case 3:
      // Divided by −0, which the store has as 0.
      undefined()
      note("FloatDivision")
      return Build.divideReal(real(depth - 1), real(depth - 1))
    default:
      note("Arithmetic")
      return Build.arithmetic(real(depth - 1), real(depth - 1), values.pick([.add, .subtract, .multiply]))
    }
  }

  mutating func decimal(_ depth: Int) -> Part<Decimal> {
    guard depth > 0 else { return chance(40) ? constant(values.decimal()) : property(\.price) }
    switch choose(4) {
    case 0:
      note("NilCoalesce", nullable: true)
      return Build.coalesce(property(\.cost), decimal(depth - 1))
    case 1:
      // Foundation rounds.
      undefined()
      note("Arithmetic")
      return Build.arithmetic(decimal(depth - 1), decimal(depth - 1), values.pick([.add, .subtract, .multiply]))
    case 2:
      note("UnaryMinus")
      return Build.minus(decimal(depth - 1))
    default: return decimal(0)
    }
  }

  mutating func texts(_ depth: Int) -> Part<[String]> {
    guard depth > 0 else { return property(\.tags) }
    switch choose(5) {
    case 0:
      note("NilCoalesce", nullable: true)
      return Build.coalesce(property(\.notes), texts(depth - 1))
    case 1:
      note("Conditional")
      return Build.conditional(bool(0), texts(depth - 1), constant(values.list { $0.text() }))
    case 2:
      note("Filter")
      note("Applied")
      let (sequence, variable) = (texts(depth - 1), PredicateExpressions.Variable<String>())
      strings.append(variable)
      defer { strings.removeLast() }
      return Build.filter(sequence, variable, bool(0))
    default: return texts(0)
    }
  }

  mutating func integers(_ depth: Int) -> Part<[Int]> {
    guard depth > 0, chance(40) else { return property(\.marks) }
    note("Filter")
    note("Applied")
    let (sequence, variable) = (integers(depth - 1), PredicateExpressions.Variable<Int>())
    numbers.append(variable)
    defer { numbers.removeLast() }
    return Build.filter(sequence, variable, bool(0))
  }
}

extension Build {
  static func keyPath<V, L: Part<[V]>>(_ l: L, count: Void) -> Part<Int> { P.KeyPath(root: l, keyPath: \[V].count) }
  static func keyPath<V, L: Part<[V]>>(_ l: L, isEmpty: Void) -> Part<Bool> {
    P.KeyPath(root: l, keyPath: \[V].isEmpty)
  }
  static func keyPath<L: Part<String>>(_ l: L, characters: Void) -> Part<Int> {
    P.KeyPath(root: l, keyPath: \String.count)
  }
}
