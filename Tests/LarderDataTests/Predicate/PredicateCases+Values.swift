import Foundation
import SwiftData

extension PredicateCase {
  static var optionals: [PredicateCase] {
    let (limit, none) = (1, nil as Int?)
    return [
      PredicateCase("?? >", #Predicate { ($0.rank ?? 0) > limit }),
      PredicateCase("?? ??", #Predicate { ($0.rank ?? none ?? $0.count) == 3 }),
      PredicateCase("if let", #Predicate { if let rank = $0.rank { rank > limit } else { false } }),
      PredicateCase("if let else true", #Predicate { if let rank = $0.rank { rank > limit } else { true } }),
      PredicateCase("not if let", #Predicate { !($0.rank.flatMap { $0 > 1 } ?? false) }),
      PredicateCase("flatMap ==", #Predicate { $0.rank.flatMap { $0 > limit } == true }),
      PredicateCase("flatMap !=", #Predicate { $0.rank.flatMap { $0 > limit } != true }),
      PredicateCase("flatMap == nil", #Predicate { $0.rank.flatMap { $0 > limit } == nil }),
      PredicateCase(
        "two", #Predicate { m in if let a = m.rank, let b = m.height { a > limit && b < 2.0 } else { false } }),
      PredicateCase("optional contains", #Predicate { $0.nickname?.contains("b") == true }),
      PredicateCase("optional starts", #Predicate { $0.nickname?.starts(with: "a") ?? false }),
      PredicateCase("optional isEmpty", #Predicate { $0.nickname?.isEmpty != false }),
      PredicateCase("guarded !", #Predicate { $0.rank != nil && $0.rank! > limit }),
      PredicateCase("guarded ! in or", #Predicate { $0.rank == nil || $0.rank! > limit }),
      PredicateCase("date", #Predicate { m in if let end = m.end { end > m.day } else { false } }),
    ]
  }

  static var strings: [PredicateCase] {
    let (part, empty) = ("b", "")
    return [
      PredicateCase("contains", #Predicate { $0.name.contains(part) }),
      PredicateCase("contains empty", #Predicate { $0.name.contains(empty) }),
      PredicateCase("contains column", #Predicate { $0.name.contains($0.spot.name) }),
      PredicateCase("captured contains", #Predicate { "abcdef".contains($0.name) }),
      PredicateCase("not contains", #Predicate { !$0.name.contains("a") }),
      PredicateCase("contains NUL", foundation: false, #Predicate { $0.name.contains("\u{0}b") }),
      PredicateCase("contains bytes", foundation: false, #Predicate { $0.name.contains("\u{301}") }),
      PredicateCase("starts", #Predicate { $0.name.starts(with: "ab") }),
      PredicateCase("starts empty", #Predicate { $0.name.starts(with: empty) }),
      PredicateCase("starts 7F", foundation: false, #Predicate { $0.name.starts(with: "\u{7F}") }),
      PredicateCase("starts 10FFFF", foundation: false, #Predicate { $0.name.starts(with: "\u{10FFFF}") }),
      PredicateCase("starts column", #Predicate { $0.name.starts(with: $0.spot.name) }),
      PredicateCase("starts nested", #Predicate { $0.spot.name.starts(with: "1") && $0.name != "a" }),
      PredicateCase("isEmpty", #Predicate { $0.name.isEmpty }),
      PredicateCase("not isEmpty", #Predicate { !$0.name.isEmpty }),
      PredicateCase("isEmpty == false", #Predicate { $0.name.isEmpty == false }),
      PredicateCase("localized contains", #Predicate { $0.name.localizedStandardContains("MEXICO") }),
      PredicateCase(
        "optional localized contains", #Predicate { $0.nickname?.localizedStandardContains("a") == true }),
    ]
  }

  static var compared: [PredicateCase] {
    let (same, ascending) = (ComparisonResult.orderedSame, ComparisonResult.orderedAscending)
    return [
      PredicateCase("case-insensitive", #Predicate { $0.name.caseInsensitiveCompare("ZEBRA") == same }),
      PredicateCase("localized compare", #Predicate { $0.name.localizedCompare("b") == ascending }),
    ]
  }

  static var arithmetic: [PredicateCase] {
    let (two, factor) = (2, 0.5)
    return [
      PredicateCase("guarded division", #Predicate { $0.count > 0 && 14 / $0.count == 2 }),
      PredicateCase("guarded remainder", #Predicate { $0.count < 1 || 14 % $0.count == 0 }),
      PredicateCase("guarded sum", #Predicate { $0.count < 100 && $0.count > -100 && $0.count + two > 4 }),
      PredicateCase("guarded product", #Predicate { $0.count > 99 || $0.count < 0 || $0.count * two == 14 }),
      PredicateCase("guarded minus", #Predicate { $0.count > -10 && -$0.count > 0 }),
      PredicateCase("ternary guards", #Predicate { ($0.count == 0 ? 0 : 7 / $0.count) == 1 }),
      PredicateCase("real", #Predicate { $0.weight * factor + 1 > 1.25 }),
      PredicateCase("real difference", #Predicate { $0.weight - $0.spot.latitude < 1 }),
      PredicateCase("not real difference", #Predicate { !($0.weight - $0.spot.latitude < 1) }),
      PredicateCase("NaN !=", #Predicate { $0.weight - $0.weight != 0 }),
      PredicateCase("NaN ==", #Predicate { $0.weight - $0.weight == $0.weight - $0.weight }),
      PredicateCase("real division", foundation: false, #Predicate { $0.weight / $0.spot.latitude > 1 }),
      PredicateCase("not real division", foundation: false, #Predicate { !($0.weight / $0.spot.latitude > 1) }),
      PredicateCase("float sum", #Predicate { $0.single + 0.2 == 0.3 }),
      PredicateCase("real minus", #Predicate { -$0.weight > 1 }),
    ]
  }

  static var collections: [PredicateCase] {
    let (words, numbers, ids): ([String], Set<Int>, [UUID]) = (
      ["a", "abc", "zz"], [1, 3, .max], [Specimen.identifiers[1]]
    )
    let (optionals, grades, prices) = (["a", nil] as [String?], [Grade.low, .high], [Specimen.prices[1]])
    let (closed, half, from, upTo, through) = (1...7, 1..<7, 3..., ..<3, ...3)
    let (reals, low, high) = ([1.5, .infinity, .nan] as [Double], Specimen.prices[4], Specimen.prices[3])
    let holder = Holder(words: ["ab", "b"], range: 0...2)
    return [
      PredicateCase("words", #Predicate { words.contains($0.name) }),
      PredicateCase("not words", #Predicate { !words.contains($0.name) }),
      PredicateCase("none", #Predicate { !holder.none.contains($0.name) }),
      PredicateCase("set", #Predicate { numbers.contains($0.count) }),
      PredicateCase("reals", #Predicate { reals.contains($0.weight) }),
      PredicateCase("ids", #Predicate { ids.contains($0.identifier) }),
      PredicateCase("decimals", #Predicate { prices.contains($0.price) }),
      PredicateCase("grades", #Predicate { grades.contains($0.grade) }),
      PredicateCase("optionals", #Predicate { optionals.contains($0.nickname) }),
      PredicateCase("not optionals", #Predicate { !optionals.contains($0.nickname) }),
      PredicateCase("member", #Predicate { holder.words.contains($0.name) }),
      PredicateCase("member range", #Predicate { holder.range.contains($0.count) }),
      PredicateCase("literal range", #Predicate { (1...7).contains($0.count) }),
      PredicateCase("literal half-open", #Predicate { (1..<7).contains($0.count) }),
      PredicateCase("closed", #Predicate { closed.contains($0.count) }),
      PredicateCase("half", #Predicate { half.contains($0.count) }),
      PredicateCase("from", #Predicate { from.contains($0.count) }),
      PredicateCase("up to", #Predicate { upTo.contains($0.count) }),
      PredicateCase("through", #Predicate { !through.contains($0.count) }),
      PredicateCase("decimals range", #Predicate { (low...high).contains($0.price) }),
      PredicateCase("optional in range", #Predicate { if let rank = $0.rank { closed.contains(rank) } else { false } }),
      PredicateCase("subscript", #Predicate { $0.name == words[1] }),
      PredicateCase("captured ?? list", #Predicate { (holder.maybe ?? words).contains($0.name) }),
      PredicateCase("captured isEmpty", #Predicate { words.isEmpty || $0.count == words.count }),
    ]
  }

  static var composites: [PredicateCase] {
    let spot = Spot(name: "a", latitude: 1, depth: nil)
    let (someSpot, noSpot) = (spot as Spot?, nil as Spot?)
    return [
      PredicateCase("member", #Predicate { $0.spot.name == "a" }),
      PredicateCase("member <", #Predicate { $0.spot.latitude < 1 }),
      PredicateCase("optional member", #Predicate { $0.spot.depth == nil }),
      PredicateCase("optional composite == nil", #Predicate { $0.place == nil }),
      PredicateCase("optional composite != nil", #Predicate { $0.place != nil }),
      PredicateCase("optional composite's member", #Predicate { $0.place?.name == "a" }),
      PredicateCase("optional composite's optional", #Predicate { $0.place?.depth == nil }),
      PredicateCase("optional composite contains", #Predicate { $0.place?.name.contains("a") == true }),
      PredicateCase("if let composite", #Predicate { if let place = $0.place { place.latitude > 0 } else { true } }),
      PredicateCase("nested", #Predicate { $0.area.center.name == "a" || $0.area.title == "b" }),
      PredicateCase("nested optional", #Predicate { ($0.area.center.depth ?? 1) == 1 }),
      PredicateCase("== composite", #Predicate { $0.spot == spot }),
      PredicateCase("!= composite", #Predicate { $0.spot != spot }),
      PredicateCase("nested == composite", #Predicate { $0.area.center == spot }),
      PredicateCase("optional == composite", #Predicate { $0.place == someSpot }),
      PredicateCase("optional == no composite", #Predicate { $0.place == noSpot }),
      PredicateCase("optional != no composite", #Predicate { $0.place != noSpot }),
    ]
  }
}

struct Holder: Codable, Sendable {
  var words: [String]
  var range: ClosedRange<Int>
  var none: [String] = []
  var maybe: [String]?
}
