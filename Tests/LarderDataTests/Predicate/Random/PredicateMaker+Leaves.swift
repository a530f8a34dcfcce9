import Foundation
import LarderData
import SwiftData

// Conditions that no others are in.
extension PredicateMaker {
  mutating func leaf() -> Part<Bool> {
    let depth = isDeep ? 0 : choose(3)
    if chance(20), let grain = grain() { return own(grain) }
    switch choose(staysInSQL ? 24 : 33) {
    case 0: return property(.flag)
    case 1: return constant(values.flag())
    case 2: return compared(number(depth), number(depth))
    case 3: return same(optionalNumber(depth), optionalNumber(depth))
    case 4: return compared(real(depth), real(depth))
    case 5: return same(property(.height), optionalReal())
    case 6: return compared(text(depth), text(depth))
    case 7: return same(optionalText(depth), optionalText(depth))
    case 8: return compared(property(.day), chance(50) ? constant(values.date()) : property(.day))
    case 9: return same(property(.end), optionalDate())
    case 10: return compared(decimal(depth), decimal(depth))
    case 11: return same(property(.cost), optionalDecimal())
    case 12: return presence(optionalText(depth))
    case 13: return presence(optionalNumber(depth))
    case 14: return presence(property(.notes))
    case 15: return same(property(.spot), constant(values.spot()))
    case 16: return same(property(.place), constant(values.maybe { $0.spot() }))
    case 17: return presence(property(.place))
    case 18: return ranged(depth)
    case 19: return cast(depth)
    case 20: return localized(depth)
    case 21: return unwrapped(depth)
    case 22: return chance(50) ? member(depth) : textual(depth)
    case 23: return isDeep ? compared(tame(depth), tame(depth)) : related(depth)
    case 24: return same(property(.spot), property(.spot))
    case 25: return same(property(.place), property(.place))
    case 26: return textual(depth)
    case 27: return member(depth)
    case 28, 29: return isDeep ? property(.flag) : iterated(depth)
    case 30, 31: return listed(depth)
    default: return compared(tame(depth), tame(depth))
    }
  }

  private mutating func optionalReal() -> Part<Double?> {
    if chance(40), !isDeep { return chain(0, { $0.real(0) }, orFlat: { $0.property(.height) }) }
    return constant(values.maybe { $0.real() })
  }

  private mutating func optionalDate() -> Part<Date?> {
    if chance(40), !isDeep { return chain(0, { $0.property(.day) }, orFlat: { $0.property(.end) }) }
    return constant(values.maybe { $0.date() })
  }

  private mutating func optionalDecimal() -> Part<Decimal?> {
    if chance(40), !isDeep { return chain(0, { $0.property(.price) }, orFlat: { $0.property(.cost) }) }
    return constant(values.maybe { $0.decimal() })
  }

  /// The innermost grain that can be asked, or nil.
  mutating func grain() -> Part<Grain>? {
    for subject in subjects.reversed() {
      if case .grain(let grain) = subject { return grain }
    }
    return nil
  }

  /// What only grains have.
  private mutating func own(_ grain: Part<Grain>) -> Part<Bool> {
    switch choose(staysInSQL ? 6 : 9) {
    case 0: return compared(Build.keyPath(grain, \.code), constant(values.pick(Specimen.identifiers)))
    case 1:
      let bytes: [UInt8] = values.pick([[], [1], [0, 255]])
      return same(Build.keyPath(grain, \.payload), constant(Data(bytes)))
    case 2: return same(Build.keyPath(grain, \.grade), constant(values.pick(Grade.allCases)))
    case 3: return same(Build.keyPath(grain, \.level), constant(values.maybe { $0.pick([.first, .second]) }))
    case 4: return same(Build.keyPath(grain, \.maybe), constant(values.maybe { $0.flag() }))
    case 5: return compared(Build.keyPath(grain, \.small), constant(values.pick([0, 1, -1, .max])))
    case 6: return same(Build.keyPath(grain, \.mark), constant(values.mark()))
    case 7: return same(Build.keyPath(grain, \.box), constant(values.maybe { $0.box() }))
    default:
      let (marks, mark): (Part<[Mark]>, Part<Mark>) = (
        constant(values.list { $0.mark() }), Build.keyPath(grain, \.mark)
      )
      return Build.member(marks, mark)
    }
  }

  private mutating func textual(_ depth: Int) -> Part<Bool> {
    switch choose(staysInSQL ? 2 : 3) {
    case 0: return Build.contains(text(depth), text: text(depth))
    case 1: return Build.starts(text(depth), text: text(depth))
    default:
      let pattern = values.pick(["^[ab]+$", "[0-9]", "b$", "z"])
      guard let regex = try? Regex(pattern), let predicate = P.PredicateRegex(regex) else { return property(.flag) }
      return Build.matches(text(depth), predicate)
    }
  }

  private mutating func localized(_ depth: Int) -> Part<Bool> {
    let result = values.pick([ComparisonResult.orderedSame, .orderedAscending, .orderedDescending])
    switch choose(3) {
    case 0: return Build.localizedContains(text(depth), text(depth))
    case 1: return same(Build.localizedCompare(text(depth), text(depth)), constant(result))
    default: return same(Build.caseInsensitive(text(depth), text(depth)), constant(result))
    }
  }

  private mutating func member(_ depth: Int) -> Part<Bool> {
    switch choose(staysInSQL ? 3 : 6) {
    case 0: return Build.member(constant(values.list { $0.text() }), text(depth))
    case 1: return Build.member(constant(values.list { $0.number() }), number(depth))
    case 2: return Build.member(constant(values.list { $0.maybe { $0.text() } }), optionalText(depth))
    case 3: return Build.contains(texts(depth), list: texts(depth))
    case 4: return Build.member(texts(depth), text(depth))
    default: return Build.member(integers(depth), number(depth))
    }
  }

  private mutating func ranged(_ depth: Int) -> Part<Bool> {
    let isClosed = chance(50)
    // Foundation traps on a range whose end comes before its beginning.
    let ends = [values.number(), values.number()].sorted()
    var (lower, upper) = (constant(ends[0]), constant(ends[1]))
    if chance(20) {
      undefined()
      if chance(50) { lower = number(depth) } else { upper = Build.coalesce(optionalNumber(depth), upper) }
    }
    return isClosed ? Build.closed(lower, upper, number(depth)) : Build.half(lower, upper, number(depth))
  }

  private mutating func iterated(_ depth: Int) -> Part<Bool> {
    let isAll = chance(40)
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
    case 0: return Build.contains(texts(depth), list: constant(values.list { $0.text() }))
    case 1: return Build.starts(texts(depth), list: constant(values.list { $0.text() }))
    case 2: return same(texts(depth), chance(50) ? texts(depth) : constant(values.list { $0.text() }))
    case 3:
      // Guarded, as people write it.
      let (list, end) = (fewTexts(), choose(3))
      let isLong = Build.compare(Build.keyPath(list, count: ()), constant(end), .greaterThanOrEqual)
      return Build.and(isLong, Build.member(slice: Build.slice(list, constant(0..<end)), text(depth)))
    case 4:
      let (list, place) = (fewTexts(), choose(2))
      let isLong = Build.compare(Build.keyPath(list, count: ()), constant(place), .greaterThan)
      return Build.and(isLong, same(Build.element(list, constant(place)), text(depth)))
    default: return Build.keyPath(texts(depth), isEmpty: ())
    }
  }

  private mutating func fewTexts() -> Part<[String]> {
    chance(50) ? texts(0) : Build.coalesce(property(.notes), texts(0))
  }

  private mutating func cast(_ depth: Int) -> Part<Bool> {
    switch choose(staysInSQL ? 4 : 6) {
    case 0: return Build.isType(optionalNumber(depth), Int.self)
    case 1: return Build.isType(text(depth), String.self)
    case 2: return same(Build.cast(optionalNumber(depth), Int.self), constant(values.maybe { $0.number() }))
    case 3: return same(Build.forceCast(number(depth), Int.self), number(depth))
    case 4: return presence(Build.cast(number(depth), String.self))
    default:
      undefined()
      return same(Build.forceCast(number(depth), String.self), text(depth))
    }
  }

  private mutating func unwrapped(_ depth: Int) -> Part<Bool> {
    let value = optionalNumber(depth)
    let unwrapped = same(Build.unwrap(value), number(depth))
    if chance(70) { return Build.and(Build.isNil(value, false), unwrapped) }
    undefined()
    return unwrapped
  }
}
