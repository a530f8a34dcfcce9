import Foundation
import SwiftData

// What SQL has no words for, or not alone.
extension PredicateCase {
  static var inSwift: [PredicateCase] {
    jsonCollections + dictionaries + jsonValues + iterations + casts + regexes
  }

  static var jsonCollections: [PredicateCase] {
    let (words, one, index) = (["a", "ab"], "a", 1)
    return [
      PredicateCase("== array", #Predicate { $0.tags == words }),
      PredicateCase("!= array", #Predicate { $0.tags != words }),
      PredicateCase("array contains", #Predicate { $0.tags.contains(one) }),
      PredicateCase("not array contains", #Predicate { !$0.tags.contains(one) }),
      PredicateCase("array contains column", #Predicate { $0.tags.contains($0.name) }),
      PredicateCase("array contains optional", #Predicate { m in m.nickname.flatMap { m.tags.contains($0) } == true }),
      PredicateCase("array isEmpty", #Predicate { $0.tags.isEmpty }),
      PredicateCase("array count", #Predicate { $0.tags.count > 1 }),
      PredicateCase("array count == column", #Predicate { $0.tags.count == $0.count }),
      PredicateCase("array first", #Predicate { $0.tags.first == one }),
      PredicateCase("array last", #Predicate { $0.tags.last != one }),
      PredicateCase("array max", #Predicate { $0.tags.max() == "b" }),
      PredicateCase("array min", #Predicate { ($0.numbers.min() ?? 0) < 1 }),
      PredicateCase("guarded subscript", #Predicate { $0.tags.count > index && $0.tags[index] == one }),
      PredicateCase("guarded range", #Predicate { $0.tags.count >= 2 && $0.tags[0..<2].contains(one) }),
      PredicateCase("array starts", #Predicate { $0.tags.starts(with: ["a"]) }),
      PredicateCase("array contains array", #Predicate { $0.tags.contains(words) }),
      PredicateCase("set contains", #Predicate { $0.numbers.contains($0.count) }),
      PredicateCase("optional array == nil", #Predicate { $0.notes == nil }),
      PredicateCase("optional array != nil", #Predicate { $0.notes != nil }),
      PredicateCase("optional array chain", #Predicate { $0.notes?.contains(one) == true }),
      PredicateCase("optional array ??", #Predicate { ($0.notes ?? words).contains(one) }),
      PredicateCase("optional array ?? column", #Predicate { ($0.notes ?? $0.tags).count == 2 }),
      PredicateCase("guarded optional array !", #Predicate { $0.notes != nil && $0.notes!.isEmpty }),
      PredicateCase("ternary arrays", #Predicate { ($0.flag ? $0.tags : words).count == 2 }),
      PredicateCase("if let array", #Predicate { if let notes = $0.notes { notes.count > 1 } else { true } }),
      PredicateCase("SQL and Swift", #Predicate { $0.count > 1 && $0.tags.contains(one) && $0.flag }),
      PredicateCase("SQL or Swift", #Predicate { $0.count > 1 || $0.tags.contains(one) }),
      PredicateCase("text count", #Predicate { $0.name.count > 2 }),
      PredicateCase("text count == column", #Predicate { $0.nickname?.count == $0.rank }),
      PredicateCase("data isEmpty", #Predicate { $0.payload.isEmpty }),
    ]
  }

  static var dictionaries: [PredicateCase] {
    let key = "a"
    return [
      PredicateCase("key", #Predicate { $0.scores[key] == 1 }),
      PredicateCase("key column", #Predicate { $0.scores[$0.name] != nil }),
      PredicateCase("key == nil", #Predicate { $0.scores[key] == nil }),
      PredicateCase("key default", #Predicate { $0.scores[key, default: 0] > 0 }),
      PredicateCase("key default column", #Predicate { $0.scores[key, default: $0.count] == $0.count }),
      PredicateCase("key ??", #Predicate { ($0.scores[key] ?? -1) == -1 }),
      PredicateCase("dictionary count", #Predicate { $0.scores.count == 2 }),
    ]
  }

  static var jsonValues: [PredicateCase] {
    let (mark, none) = (Mark.number(3), Mark.none)
    let (box, spot) = (Box(label: "a", sizes: [], spot: nil) as Box?, Spot(name: "a", latitude: 1, depth: nil))
    let (marks, low, area) = ([Mark.none, .number(1)], Grade.low, Area(title: "a", center: spot))
    return [
      PredicateCase("== associated", #Predicate { $0.mark == mark }),
      PredicateCase("!= associated", #Predicate { $0.mark != none }),
      PredicateCase("associated member", #Predicate { $0.mark.isNote }),
      PredicateCase("list of associated", #Predicate { marks.contains($0.mark) }),
      PredicateCase("== json struct", #Predicate { $0.box == box }),
      PredicateCase("json struct == nil", #Predicate { $0.box == nil }),
      PredicateCase("json struct's member", #Predicate { $0.box?.label == "a" }),
      PredicateCase("json struct's optional", #Predicate { $0.box?.spot == nil }),
      PredicateCase("json struct's member's member", #Predicate { $0.box?.spot?.latitude == 1 }),
      PredicateCase("json struct's array", #Predicate { $0.box?.sizes.contains(2) == true }),
      PredicateCase("json struct's sum", #Predicate { ($0.box?.sizes.count ?? 0) + $0.tags.count > 3 }),
      PredicateCase("composites", #Predicate { $0.spot == $0.area.center }),
      PredicateCase("optional composites", #Predicate { $0.place == $0.box?.spot }),
      PredicateCase("nested composite", #Predicate { $0.area == area }),
      PredicateCase("composite ??", #Predicate { ($0.place ?? spot).latitude == 1 }),
      PredicateCase("composite ?:", #Predicate { ($0.flag ? $0.spot : $0.area.center).name == "a" }),
      PredicateCase("guarded composite !", #Predicate { $0.place != nil && $0.place!.name == "a" }),
      PredicateCase("computed", #Predicate { $0.level?.title == "level 1" }),
      PredicateCase("grades in order", #Predicate { $0.grade.rawValue > low.rawValue }),
    ]
  }

  static var iterations: [PredicateCase] {
    let (word, words) = ("a", ["a", "b"])
    return [
      PredicateCase("contains where", #Predicate { $0.tags.contains { $0 == word } }),
      PredicateCase("contains where column", #Predicate { m in m.tags.contains { $0 == m.name } }),
      PredicateCase("contains where starts", #Predicate { $0.tags.contains { $0.starts(with: "a") } }),
      PredicateCase("all satisfy", #Predicate { $0.tags.allSatisfy { $0.contains("a") } }),
      PredicateCase("not all satisfy", #Predicate { !$0.tags.allSatisfy { $0 != word } }),
      PredicateCase("filter count", #Predicate { $0.tags.filter { $0 == word }.count > 0 }),
      PredicateCase("filter isEmpty", #Predicate { $0.numbers.filter { $0 > 2 }.isEmpty }),
      PredicateCase("nested", #Predicate { m in m.tags.contains { t in (m.notes ?? []).contains { $0 == t } } }),
      PredicateCase("struct members", #Predicate { $0.boxes.contains { $0.label == word } }),
      PredicateCase("struct arrays", #Predicate { $0.boxes.contains { $0.sizes.contains { $0 > 2 } } }),
      PredicateCase("struct optional", #Predicate { $0.boxes.allSatisfy { $0.spot == nil } }),
      PredicateCase("captured contains where", #Predicate { m in words.contains { $0 == m.name } }),
      PredicateCase("captured all satisfy", #Predicate { m in words.allSatisfy { m.tags.contains($0) } }),
      PredicateCase("filter max", #Predicate { ($0.numbers.filter { $0 < 100 }.max() ?? 0) == 7 }),
    ]
  }

  static var casts: [PredicateCase] { casts(text: String.self, whole: 3) }

  /// Generic, since the compiler warns of a cast whose outcome it knows.
  private static func casts<Text: Equatable & SendableMetatype, Whole: Codable & Hashable & Sendable>(
    text: Text.Type, whole three: Whole
  ) -> [PredicateCase] {
    [
      PredicateCase("is the same", #Predicate { $0.name is Text }),
      PredicateCase("is another", #Predicate { $0.name is Whole }),
      PredicateCase("optional is", #Predicate { $0.rank is Whole }),
      PredicateCase("as? the same", #Predicate { ($0.count as? Whole) == three }),
      PredicateCase("as? another", #Predicate { ($0.count as? Text) == nil }),
      PredicateCase("optional as?", #Predicate { ($0.rank as? Whole) == three }),
      PredicateCase("as!", #Predicate { ($0.count as! Whole) == three }),
    ]
  }

  static var regexes: [PredicateCase] {
    let pattern = /^[ab]+$/
    return [
      PredicateCase("regex", #Predicate { $0.name.contains(pattern) }),
      PredicateCase("not regex", #Predicate { !$0.name.contains(pattern) }),
      PredicateCase("optional regex", #Predicate { $0.nickname?.contains(pattern) == true }),
      PredicateCase("regex in array", #Predicate { $0.tags.contains { $0.contains(pattern) } }),
    ]
  }
}
