import Foundation
import SwiftData
import Testing

@testable import LarderData

/// Plans are found by shape, and values are those of the expression at hand.
@Suite struct PlanCacheTests {
  private let layout = Specimen._$layout

  private func byName(_ name: String) -> Predicate<Specimen> { #Predicate { $0.name == name } }
  private func bySpot(_ name: String) -> Predicate<Specimen> { #Predicate { $0.spot.name == name } }
  private func byDTO(_ dto: Captured) -> Predicate<Specimen> { #Predicate { $0.name == dto.word } }
  private func byOptional(_ name: String?) -> Predicate<Specimen> { #Predicate { $0.nickname == name } }
  private func byFlag(_ flag: Bool) -> Predicate<Specimen> { #Predicate { $0.flag == flag || $0.count > 1 } }
  private func less(_ count: Int) -> Predicate<Specimen> { #Predicate { $0.count < count } }
  private func greater(_ count: Int) -> Predicate<Specimen> { #Predicate { $0.count > count } }
  private func byRank(_ rank: Int) -> Predicate<Specimen> { #Predicate { ($0.rank ?? 0) + $0.count > rank } }
  private func minusRank(_ rank: Int) -> Predicate<Specimen> { #Predicate { ($0.rank ?? 0) - $0.count > rank } }

  @Test func oneSiteHasOnePlan() throws {
    let cache = PlanCache()
    let first = try cache.plan(for: byName("a").expression, layout)
    for word in ["b", "", String(repeating: "long ", count: 20)] {
      let predicate = byName(word)
      let plan = try cache.plan(for: predicate.expression, layout)
      #expect(plan === first)
      #expect(try plan.equalityValue(predicate.expression) == .text(word))
    }
    let other = try cache.plan(for: byDTO(Captured()).expression, layout)
    #expect(other !== first)
    #expect(try other.equalityValue(byDTO(Captured(word: "x")).expression) == .text("x"))
    #expect(try cache.plan(for: byDTO(Captured(word: "y")).expression, layout) === other)
    #expect(try cache.plan(for: byName("z").expression, layout) === first)
  }

  /// Of the same type, and each with key paths of its own: only the variable differs.
  @Test func whoIsAskedBelongsToTheShape() throws {
    let context = ModelContext(try relationContainer())
    let (root, leaf) = (Node(name: "root"), Node(name: "leaf"))
    root.children = [leaf]
    context.insert(root)
    try context.save()
    // As `if let` is written out, since that would warn of a variable without a use.
    let owner = #Predicate<Node> { node in node.parent.flatMap { parent in node.name == "leaf" } ?? true }
    let parent = #Predicate<Node> { node in node.parent.flatMap { parent in parent.name == "leaf" } ?? true }
    let each = #Predicate<Node> { node in node.children?.contains { _ in node.name == "leaf" } ?? false }
    let child = #Predicate<Node> { node in node.children?.contains { child in child.name == "leaf" } ?? false }
    let (all, none): (Predicate<Node>, Predicate<Node>) = (.all([]), .any([]))
    let cases: [(Predicate<Node>, [String])] = [
      (owner.negated, []), (parent.negated, ["leaf"]), (owner.and(all), ["leaf", "root"]),
      (parent.and(all), ["root"]), (each.negated, ["leaf", "root"]), (child.negated, ["leaf"]),
      (each.or(none), []), (child.or(none), ["root"]),
    ]
    for (predicate, names) in cases {
      #expect(try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name).sorted() == names)
    }
  }

  @Test func shapesThatDifferInValuesHaveTheirOwnPlans() throws {
    let cache = PlanCache()
    #expect(try cache.plan(for: less(1).expression, layout).whereSQL == #"("count" < ?1)"#)
    #expect(try cache.plan(for: greater(1).expression, layout).whereSQL == #"("count" > ?1)"#)
    #expect(try cache.plan(for: less(2).expression, layout).whereSQL == #"("count" < ?1)"#)
    let (plus, minus) = (
      try cache.plan(for: byRank(1).expression, layout), try cache.plan(for: minusRank(1).expression, layout)
    )
    #expect(plus.whereSQL != minus.whereSQL)
    #expect(try cache.plan(for: byName("a").expression, layout).whereSQL == #"("name" = ?1)"#)
    #expect(try cache.plan(for: bySpot("a").expression, layout).whereSQL == #"("spot_name" = ?1)"#)
    let yes = try cache.plan(for: byFlag(true).expression, layout)
    let no = try cache.plan(for: byFlag(false).expression, layout)
    #expect(yes.whereSQL != no.whereSQL)
    #expect(try cache.plan(for: byFlag(true).expression, layout) === yes)
  }

  /// A condition that speaks of no property is of the same type for every model.
  @Test(arguments: StoreLocation.allCases)
  func modelsHavePlansOfTheirOwn(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Article.self)
    let context = store.context()
    context.insert(Family(name: "f"))
    context.insert(Article(title: "a"))
    try context.save()
    for isFirst in [true, false] {
      let flag = true
      let other = store.context()
      func families() throws {
        #expect(try other.fetch(FetchDescriptor<Family>(predicate: #Predicate { _ in flag })).map(\.name) == ["f"])
        #expect(try other.fetch(FetchDescriptor<Family>(predicate: .all([]))).map(\.name) == ["f"])
        #expect(try other.fetch(FetchDescriptor<Family>(predicate: .true)).map(\.name) == ["f"])
      }
      if isFirst { try families() }
      #expect(try other.fetch(FetchDescriptor<Article>(predicate: #Predicate { _ in flag })).map(\.title) == ["a"])
      #expect(try other.fetch(FetchDescriptor<Article>(predicate: .all([]))).map(\.title) == ["a"])
      #expect(try other.fetch(FetchDescriptor<Article>(predicate: .true)).map(\.title) == ["a"])
      if !isFirst { try families() }
    }
  }

  @Test func nilIsAValueAndNoShape() throws {
    let cache = PlanCache()
    let plan = try cache.plan(for: byOptional("a").expression, layout)
    #expect(try cache.plan(for: byOptional(nil).expression, layout) === plan)
    #expect(try plan.equalityValue(byOptional(nil).expression) == .null)
    #expect(try plan.equalityValue(byOptional("b").expression) == .text("b"))
  }
}
