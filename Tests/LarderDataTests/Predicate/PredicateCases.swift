import Foundation
import SwiftData

/// A predicate that all three ways of asking must agree on.
struct PredicateCase: Sendable {
  let name: String
  let predicate: Predicate<Specimen>
  /// False where Foundation traps, throws, or means characters where the store means bytes.
  let comparesWithFoundation: Bool

  init(_ name: String, foundation: Bool = true, _ predicate: Predicate<Specimen>) {
    self.name = name
    self.predicate = predicate
    comparesWithFoundation = foundation
  }

  static var all: [PredicateCase] {
    equality + comparisons + logic + optionals + strings + arithmetic + collections + composites
  }

  private static let captured = Captured()

  static var equality: [PredicateCase] {
    let (word, none, id, price) = ("ab", nil as String?, Specimen.identifiers[1], Specimen.prices[1])
    let (grade, level, data, link) = (Grade.high, Level.second, Data([1, 2]), URL(string: "https://example.org/1"))
    let (some, captured, day) = ("abc" as String?, captured, Date(timeIntervalSinceReferenceDate: 1.5))
    return [
      PredicateCase("name ==", #Predicate { $0.name == word }),
      PredicateCase("name !=", #Predicate { $0.name != word }),
      PredicateCase("captured == name", #Predicate { word == $0.name }),
      PredicateCase("dto member", #Predicate { $0.name == captured.word }),
      PredicateCase("nested dto member", #Predicate { $0.count == captured.inner.number }),
      PredicateCase("computed dto member", #Predicate { $0.name == captured.computed }),
      PredicateCase("optional == nil captured", #Predicate { $0.nickname == none }),
      PredicateCase("optional != nil captured", #Predicate { $0.nickname != none }),
      PredicateCase("optional == some", #Predicate { $0.nickname == some }),
      PredicateCase("optional != some", #Predicate { $0.nickname != some }),
      PredicateCase("== nil", #Predicate { $0.nickname == nil }),
      PredicateCase("!= nil", #Predicate { $0.rank != nil }),
      PredicateCase("two columns", #Predicate { $0.name == $0.spot.name }),
      PredicateCase("two optional columns", #Predicate { $0.rank == $0.place?.depth }),
      PredicateCase("not two optional columns", #Predicate { $0.rank != $0.place?.depth }),
      PredicateCase("uuid", #Predicate { $0.identifier == id }),
      PredicateCase("decimal", #Predicate { $0.price == price }),
      PredicateCase("data", #Predicate { $0.payload == data }),
      PredicateCase("url", #Predicate { $0.link == link }),
      PredicateCase("date", #Predicate { $0.day == day }),
      PredicateCase("grade", #Predicate { $0.grade == grade }),
      PredicateCase("grade !=", #Predicate { $0.grade != grade }),
      PredicateCase("optional level", #Predicate { $0.level == level }),
      PredicateCase("raw string", #Predicate { $0.grade.rawValue == "middle" }),
      PredicateCase("raw int", #Predicate { $0.level?.rawValue == 1 }),
      PredicateCase("raw int order", #Predicate { ($0.level?.rawValue ?? 0) < 2 }),
    ]
  }

  static var comparisons: [PredicateCase] {
    let (word, big, id, price) = ("ab", UInt.max, Specimen.identifiers[2], Specimen.prices[5])
    let day = Date(timeIntervalSinceReferenceDate: 0)
    return [
      PredicateCase("count <", #Predicate { $0.count < 3 }),
      PredicateCase("count >=", #Predicate { $0.count >= 3 }),
      PredicateCase("weight <=", #Predicate { $0.weight <= 1.5 }),
      PredicateCase("weight >", #Predicate { $0.weight > -0.0 }),
      PredicateCase("float", #Predicate { $0.single > 0.1 }),
      PredicateCase("text <", #Predicate { $0.name < word }),
      PredicateCase("text >=", #Predicate { $0.name >= word }),
      PredicateCase("date", #Predicate { $0.day > day }),
      PredicateCase("decimal <", #Predicate { $0.price < price }),
      PredicateCase("decimal >=", #Predicate { $0.price >= price }),
      PredicateCase("decimal captured <", #Predicate { price < $0.price }),
      PredicateCase("uuid <", #Predicate { $0.identifier < id }),
      PredicateCase("unsigned above Int64", #Predicate { $0.unsigned < big }),
      PredicateCase("unsigned == above Int64", #Predicate { $0.unsigned == big }),
      PredicateCase("narrow", #Predicate { $0.small > 1 }),
      PredicateCase("two columns", #Predicate { $0.weight < $0.spot.latitude }),
    ]
  }

  static var logic: [PredicateCase] {
    let (yes, all) = (true, false)
    return [
      PredicateCase("true", #Predicate { _ in true }),
      PredicateCase("false", #Predicate { _ in false }),
      PredicateCase("flag", #Predicate { $0.flag }),
      PredicateCase("not flag", #Predicate { !$0.flag }),
      PredicateCase("flag == captured", #Predicate { $0.flag == yes }),
      PredicateCase("flag != captured", #Predicate { $0.flag != yes }),
      PredicateCase("maybe == true", #Predicate { $0.maybe == true }),
      PredicateCase("maybe != true", #Predicate { $0.maybe != true }),
      PredicateCase("not maybe == true", #Predicate { !($0.maybe == true) }),
      PredicateCase("and", #Predicate { $0.flag && $0.count > 2 }),
      PredicateCase("or", #Predicate { $0.flag || $0.count > 2 }),
      PredicateCase("not and", #Predicate { !($0.flag && $0.rank == 3) }),
      PredicateCase("not or", #Predicate { !($0.flag || $0.rank == nil) }),
      PredicateCase("captured switch", #Predicate { all || $0.count == 1 }),
      PredicateCase("three", #Predicate { $0.count > 0 && $0.name != "a" && $0.rank != 3 }),
      PredicateCase("comparison == comparison", #Predicate { ($0.count > 2) == ($0.weight > 0) }),
      PredicateCase("ternary", #Predicate { $0.flag ? $0.count > 2 : $0.weight < 1 }),
      PredicateCase("ternary value", #Predicate { ($0.flag ? $0.count : $0.rank ?? 0) == 1 }),
      PredicateCase("not ternary", #Predicate { !($0.flag ? $0.rank == 1 : $0.name == "a") }),
    ]
  }
}

/// What a service captures: a DTO.
struct Captured: Codable, Sendable {
  struct Inner: Codable, Sendable {
    var pad = 1
    var number = 3
  }
  var other = 5
  var word = "ab"
  var inner = Inner()
  var computed: String { word + "c" }
}
