import Foundation
import LarderData
import SwiftData
import Testing

@Model
final class Season {
  enum Kind: String, Codable { case dry, wet, cold }
  /// Without a `CaseIterable`, and ordered otherwise than it is written.
  enum Rank: Int, Codable {
    case last = 3
    case first = 1
  }

  var number: Int
  var kind: Kind
  var rank: Rank?
  var note: String?
  var months: [String]
  @Transient var isOpen = false
  var title: String { "\(number)" }

  init(_ number: Int, _ kind: Kind, rank: Rank? = nil, note: String? = nil, months: [String] = []) {
    self.number = number
    self.kind = kind
    self.rank = rank
    self.note = note
    self.months = months
  }
}

/// What users of other stores complain of: predicates that compile, and then fail or end the program.
@Suite struct PredicateComplaintTests {
  /// Asks before the save, of pending models, and after it, of rows, and in a context that has no objects.
  private func everywhere(
    _ place: StoreLocation, _ models: [any PersistentModel.Type], _ fill: (ModelContext) -> Void,
    _ body: (ModelContext, Comment) throws -> Void
  ) throws {
    let url = TestFolder()
    let container = try TestStore.open(place, url.url("test.store"), models)
    let context = ModelContext(container)
    fill(context)
    try body(context, "pending")
    try context.save()
    try body(context, "saved")
    try body(ModelContext(container), "fetched")
  }

  private func seasons(_ place: StoreLocation, _ body: (ModelContext, Comment) throws -> Void) throws {
    try everywhere(
      place, [Season.self],
      { context in
        context.insert(Season(0, .dry, rank: .first, note: "", months: ["May"]))
        context.insert(Season(1, .wet, rank: .last, note: "a"))
        context.insert(Season(2, .cold, months: ["June", "July"]))
      }, body)
  }

  /// Nodes root ← twig ← leaf, and one that is alone.
  private func nodes(_ place: StoreLocation, _ body: (ModelContext, Comment) throws -> Void) throws {
    try everywhere(
      place, [Node.self],
      { context in
        let (root, twig) = (Node(name: "root"), Node(name: "twig"))
        root.children = [twig]
        twig.children = [Node(name: "leaf")]
        context.insert(root)
        context.insert(Node(name: "alone"))
      }, body)
  }

  private func names(_ context: ModelContext, _ predicate: Predicate<Node>) throws -> Set<String> {
    let found = try context.fetch(FetchDescriptor(predicate: predicate))
    #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == found.count)
    return Set(found.map(\.name))
  }

  /// A predicate compiles, and fails or ends the program when it runs.
  @Test(arguments: StoreLocation.allCases)
  func everyPredicateIsAnsweredOrSaysWhyNot(_ place: StoreLocation) throws {
    try seasons(place) { (context: ModelContext, half: Comment) throws in
      func numbers(_ predicate: Predicate<Season>) throws -> [Int] {
        try context.fetch(FetchDescriptor(predicate: predicate)).map(\.number).sorted()
      }
      #expect(try numbers(#Predicate { $0.months.isEmpty == false }) == [0, 2], half)
      #expect(try numbers(#Predicate { !$0.months.isEmpty && $0.months.contains("July") }) == [2], half)
      #expect(try numbers(#Predicate { $0.note?.isEmpty == false }) == [1], half)
      #expect(try numbers(#Predicate { ($0.note ?? "none").isEmpty }) == [0], half)
      #expect(try numbers(#Predicate { $0.months.filter { $0.count == 4 }.count == 2 }) == [2], half)
      #expect(
        try numbers(#Predicate { $0.months.count > 0 ? $0.number > 0 : $0.kind.rawValue == "wet" }) == [1, 2], half)
      let refused: [Predicate<Season>] = [#Predicate { $0.title == "1" }, #Predicate { $0.isOpen }]
      for predicate in refused {
        let error = try #require(throws: SwiftDataError.self, half) { try numbers(predicate) }
        #expect(error == .unsupportedPredicate, half)
        let explanation = error.explanation ?? ""
        #expect(explanation.contains("Season"), "\(explanation)")
        #expect(explanation.contains("Store what the property computes, or filter"), "\(explanation)")
      }
      // The context is as good as before.
      #expect(try context.fetchCount(FetchDescriptor<Season>()) == 3, half)
    }
  }

  /// A relationship that is compared with nil ends the program.
  @Test(arguments: StoreLocation.allCases)
  func relationshipsCompareWithEveryFormOfNil(_ place: StoreLocation) throws {
    try nodes(place) { (context: ModelContext, half: Comment) throws in
      let noIdentifier: PersistentIdentifier? = nil
      let tops: Set = ["root", "alone"]
      #expect(try names(context, #Predicate { $0.parent == nil }) == tops, half)
      #expect(try names(context, #Predicate { nil == $0.parent }) == tops, half)
      #expect(try names(context, #Predicate { !($0.parent != nil) }) == tops, half)
      #expect(try names(context, #Predicate { $0.parent?.persistentModelID == noIdentifier }) == tops, half)
      #expect(try names(context, #Predicate { $0.parent?.name == nil }) == tops, half)
      #expect(try names(context, #Predicate { if let parent = $0.parent { parent.name == "" } else { true } }) == tops)
      #expect(try names(context, #Predicate { $0.parent != nil }) == ["twig", "leaf"], half)
      #expect(try names(context, #Predicate { $0.parent?.parent == nil }) == ["root", "alone", "twig"], half)
      #expect(try names(context, #Predicate { $0.parent?.parent != nil }) == ["leaf"], half)
      #expect(try names(context, #Predicate { $0.parent == nil && $0.children?.isEmpty == true }) == ["alone"], half)
      // A stored object's to-many is empty, and never nil.
      #expect(try names(context, #Predicate { $0.children == nil }) == [], half)
    }
  }

  /// A chain through relationships that may be nil ends the program.
  @Test(arguments: StoreLocation.allCases)
  func chainsGoThroughOptionalRelationships(_ place: StoreLocation) throws {
    try nodes(place) { (context: ModelContext, half: Comment) throws in
      let root = try #require(try context.fetch(FetchDescriptor<Node>()).first { $0.name == "root" })
      let identifier = root.persistentModelID
      #expect(try names(context, #Predicate { $0.parent?.parent?.persistentModelID == identifier }) == ["leaf"], half)
      #expect(
        try names(context, #Predicate { $0.parent?.parent?.persistentModelID != identifier })
          == ["root", "twig", "alone"], half)
      #expect(try names(context, #Predicate { $0.parent?.parent?.name == "root" }) == ["leaf"], half)
      #expect(try names(context, #Predicate { $0.parent?.parent?.parent?.name == "root" }) == [], half)
      #expect(
        try names(context, #Predicate { ($0.parent?.parent?.name ?? "none") == "none" }) == ["root", "twig", "alone"],
        half)
      #expect(
        try names(context, #Predicate { $0.children?.contains { $0.parent?.persistentModelID == identifier } ?? false })
          == ["root"], half)
    }
  }

  /// Enumerations cannot be used in predicates.
  @Test(arguments: StoreLocation.allCases)
  func enumerationsCanBeAskedFor(_ place: StoreLocation) throws {
    try seasons(place) { (context: ModelContext, half: Comment) throws in
      func numbers(_ predicate: Predicate<Season>) throws -> [Int] {
        try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number)])).map(\.number)
      }
      let (wet, none) = (Season.Kind.wet, nil as Season.Rank?)
      let (kinds, ranks) = ([Season.Kind.dry, .cold], [Season.Rank.last])
      #expect(try numbers(#Predicate { $0.kind == wet }) == [1], half)
      #expect(try numbers(#Predicate { $0.kind != wet }) == [0, 2], half)
      #expect(try numbers(#Predicate { $0.kind.rawValue == "cold" }) == [2], half)
      #expect(try numbers(#Predicate { $0.kind.rawValue > "cold" }) == [0, 1], half)
      #expect(try numbers(#Predicate { kinds.contains($0.kind) }) == [0, 2], half)
      #expect(try numbers(#Predicate { $0.rank == nil }) == [2], half)
      #expect(try numbers(#Predicate { $0.rank == none }) == [2], half)
      #expect(try numbers(#Predicate { ($0.rank?.rawValue ?? 0) < 3 }) == [0, 2], half)
      #expect(try numbers(#Predicate { if let rank = $0.rank { ranks.contains(rank) } else { false } }) == [1], half)
    }
  }

  /// Predicates cannot be put together at run time.
  @Test(arguments: StoreLocation.allCases)
  func conditionsCanBeCollectedAtRunTime(_ place: StoreLocation) throws {
    try nodes(place) { (context: ModelContext, half: Comment) throws in
      var wanted = #Predicate<Node> { $0.parent != nil }
      wanted = wanted.and(#Predicate { $0.name.contains("e") })
      #expect(try names(context, wanted) == ["leaf"], half)
      let letters = ["r", "x"]
      let any = Predicate<Node>.any(letters.map { letter in #Predicate { $0.name.starts(with: letter) } })
      #expect(try names(context, any) == ["root"], half)
      #expect(try names(context, wanted.or(any)) == ["leaf", "root"], half)
      #expect(try names(context, wanted.or(any).negated) == ["twig", "alone"], half)
      let all = Predicate<Node>.all(["a", "n"].map { letter in #Predicate { $0.name.contains(letter) } })
      #expect(try names(context, all) == ["alone"], half)
    }
  }
}
