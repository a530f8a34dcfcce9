import Foundation
import LarderSQLite
import SwiftData
import Testing

@testable import LarderData

/// The text that the main shapes become.
@Suite struct PredicateSQLTests {
  private func sql(_ predicate: Predicate<Specimen>) throws -> String {
    try PredicatePlan(predicate.expression, Specimen._$layout).whereSQL
  }

  @Test func equality() throws {
    let (word, none) = ("a", nil as String?)
    #expect(try sql(#Predicate { $0.name == word }) == #"("name" = ?1)"#)
    #expect(try sql(#Predicate { $0.name != word }) == #"("name" <> ?1)"#)
    #expect(try sql(#Predicate { $0.nickname == none }) == #"("nickname" IS ?1)"#)
    #expect(try sql(#Predicate { $0.nickname != none }) == #"("nickname" IS NOT ?1)"#)
    #expect(try sql(#Predicate { $0.nickname == nil }) == #"("nickname" IS NULL)"#)
    #expect(try sql(#Predicate { $0.nickname != nil }) == #"("nickname" IS NOT NULL)"#)
  }

  @Test func logic() throws {
    #expect(
      try sql(#Predicate { $0.flag && $0.count > 1 && $0.name != "" })
        == #"("flag" AND ("count" > ?1) AND ("name" <> ?2))"#)
    #expect(
      try sql(#Predicate { !($0.flag || $0.count > 1) }) == #"(NOT coalesce(("flag" OR ("count" > ?1)), 0))"#)
  }

  @Test func optionals() throws {
    #expect(
      try sql(#Predicate { if let rank = $0.rank { rank > 1 } else { false } })
        == #"(("rank" IS NOT NULL) AND ("rank" > ?1))"#)
    #expect(try sql(#Predicate { ($0.rank ?? 0) > 1 }) == #"(coalesce("rank", ?1) > ?2)"#)
    #expect(try sql(#Predicate { $0.rank! > 1 }) == #"(larder_unwrap("rank") > ?1)"#)
    #expect(try sql(#Predicate { $0.place?.name == "a" }) == #"("place_name" IS ?1)"#)
    #expect(try sql(#Predicate { $0.place == nil }) == #"(NOT "place")"#)
  }

  @Test func strings() throws {
    #expect(try sql(#Predicate { $0.name.contains("a") }) == #"(instr("name", ?1) > 0)"#)
    #expect(try sql(#Predicate { $0.name.starts(with: "a") }) == #"("name" >= ?1 AND "name" < ?2)"#)
    #expect(
      try sql(#Predicate { $0.spot.name.localizedStandardContains("a") })
        == #"larder_localized_contains("spot_name", ?1)"#)
  }

  @Test func numbers() throws {
    let price = Decimal(1)
    #expect(try sql(#Predicate { $0.price < price }) == #"("price" COLLATE larder_decimal < ?1)"#)
    #expect(try sql(#Predicate { $0.price == price }) == #"("price" = ?1)"#)
    #expect(try sql(#Predicate { $0.count + 1 > 2 }) == #"(larder_add("count", ?1) > ?2)"#)
    #expect(
      try sql(#Predicate { $0.count != 0 && 7 / $0.count > 2 })
        == #"(("count" <> ?1) AND CASE WHEN ("count" <> ?1) THEN (larder_div(?2, "count") > ?3) ELSE 0 END)"#)
    let name = #"("name" COLLATE BINARY = ?1)"#
    #expect(
      try sql(#Predicate { $0.name == "a" && 7 / $0.count > 2 })
        == #"(\#(name) AND CASE WHEN \#(name) THEN (larder_div(?2, "count") > ?3) ELSE 0 END)"#)
  }

  @Test func collections() throws {
    let words = ["a"]
    #expect(
      try sql(#Predicate { words.contains($0.name) }) == #"("name" IN (SELECT value FROM larder_values(?1)))"#)
    #expect(try sql(#Predicate { (1...3).contains($0.count) }) == #"(("count" >= ?1) AND ("count" <= ?2))"#)
  }

  @Test func parametersAreNumberedFromWhereTheyAreWanted() throws {
    let predicate = #Predicate<Specimen> { $0.count > 1 && $0.name == "a" }
    let plan = try PredicatePlan(predicate.expression, Specimen._$layout)
    #expect(plan.whereSQL(numberedFrom: 3) == #"(("count" > ?3) AND ("name" = ?4))"#)
    #expect(plan.parameterCount == 2)
  }

  @Test func indexesCanBeUsed() throws {
    let laboratory = try Laboratory(seed: 1, count: 1)
    try laboratory.connection.execute(#"CREATE INDEX names ON "Specimen" ("name")"#)
    try laboratory.connection.execute(#"CREATE INDEX ranks ON "Specimen" ("rank")"#)
    try laboratory.connection.execute(#"CREATE INDEX counts ON "Specimen" ("count")"#)
    let words = ["a"]
    let predicates: [Predicate<Specimen>] = [
      #Predicate { $0.name == "a" }, #Predicate { $0.name.starts(with: "a") }, #Predicate { words.contains($0.name) },
      #Predicate { if let rank = $0.rank { rank > 1 } else { false } }, #Predicate { $0.rank == 3 },
      #Predicate { $0.name == "a" && 7 / $0.count > 1 }, #Predicate { "a" == $0.name && -$0.count > 1 },
      #Predicate { -$0.count > 1 && $0.name == "a" }, #Predicate { $0.count == 3 && -$0.count > 1 },
    ]
    for predicate in predicates {
      let sql = try sql(predicate)
      let plan = try laboratory.connection.prepare(#"EXPLAIN QUERY PLAN SELECT 1 FROM "Specimen" WHERE \#(sql)"#)
      #expect(try plan.step())
      #expect(plan.string(3).hasPrefix("SEARCH"), "\(sql): \(plan.string(3))")
      plan.reset()
    }
  }

  @Test func equalitiesAreFound() throws {
    func plan(_ predicate: Predicate<Specimen>) throws -> PredicatePlan {
      try PredicatePlan(predicate.expression, Specimen._$layout)
    }
    let name = Specimen._$layout.property(named: "name")?.index
    let exact = try plan(#Predicate { $0.name == "a" })
    #expect(exact.equality?.property == name && exact.isExactlyEquality)
    let part = try plan(#Predicate { $0.count > 1 && "a" == $0.name })
    #expect(part.equality?.property == name && !part.isExactlyEquality)
    #expect(part.equality?.parameter == 1)
    #expect(try plan(#Predicate { $0.count > 1 || "a" == $0.name }).equality == nil)
    #expect(try plan(#Predicate { $0.spot.name == "a" }).equality == nil)
    #expect(exact.mask == _ModelLayout.bit(name ?? -1))
  }
}
