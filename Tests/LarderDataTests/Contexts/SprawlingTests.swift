import Foundation
import LarderData
import SwiftData
import Testing

/// Properties that share a bit in the mask of changes: of two contexts that edit two of them in one row, each keeps its edit.
@Suite struct SprawlingTests {
  /// An edit of one property.
  struct Edit: Sendable {
    let property: String
    let run: @Sendable (SprawlingChild) -> Void
  }

  static let edits = [
    Edit(property: "first") { $0.p00 = 1 },
    Edit(property: "note") { $0.note = "other" },
    Edit(property: "image") { $0.image = Data([1]) },
    Edit(property: "place") { $0.place.x = 3 },
    Edit(property: "words") { $0.words.insert("five") },
    Edit(property: "key") { $0.key = "another \($0.p01)" },
    Edit(property: "shared") { $0.shared.append(SprawlingPart(5)) },
    Edit(property: "parts") { $0.parts = [] },
    Edit(property: "partner") { $0.partner = SprawlingPart(6) },
    Edit(property: "leader") { $0.leader = nil },
    Edit(property: "own") { $0.own = "mine" },
    Edit(property: "other") { $0.other = "yours" },
  ]

  /// When the context learns of what the other one saved.
  enum Learning: CaseIterable { case byAFetch, bySaving, inTheMidstOfASave }

  private func looks(_ object: SprawlingChild) -> [String] {
    [
      "\(object.p00)", object.plain, object.note, "\(object.maybe ?? -1)", "\(object.image[0])", "\(object.cover[0])",
      "\(object.place)", "\(object.words.sorted())", "\(object.key.prefix { $0 != " " })",
      "\(object.shared.map(\.number))", "\(object.parts.map(\.number))", "\(object.partner?.number ?? -1)",
      "\(object.leader?.number ?? -1)", object.own, object.other,
    ]
  }

  private func one(_ context: ModelContext, _ number: Int = 0) throws -> SprawlingChild {
    try #require(try context.fetch(FetchDescriptor<SprawlingChild>(predicate: #Predicate { $0.p01 == number })).first)
  }

  /// A store with so many objects, numbered from 0, that have the same values but for their unique key.
  private func stored(_ count: Int = 1) throws -> (TestStore, ModelContext) {
    let store = try TestStore(.memory, Sprawling.self, SprawlingChild.self, SprawlingPart.self)
    let context = store.context()
    for number in 0..<count {
      let object = SprawlingChild()
      object.p01 = number
      object.key = "key \(number)"
      context.insert(object)
      object.shared = [SprawlingPart(1)]
      object.parts = [SprawlingPart(2)]
      object.partner = SprawlingPart(3)
      object.leader = SprawlingPart(4)
    }
    try context.save()
    return (store, context)
  }

  /// Two edits of different properties, in each order.
  private var pairs: [(theirs: Edit, mine: Edit)] {
    Self.edits.flatMap { theirs in
      Self.edits.filter { $0.property != theirs.property }.map { (theirs, $0) }
    }
  }

  @Test(arguments: [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump], Learning.allCases)
  func editsOfPropertiesThatShareABitBothStay(_ policy: MergePolicy, _ learning: Learning) throws {
    let turn = Learning.allCases.firstIndex(of: learning) ?? 0
    let pairs = pairs.thinned(toOneOf: Learning.allCases.count, turn: turn)
    // Both edits, made in one context.
    let (_, alone) = try stored(pairs.count)
    let wanted = try pairs.enumerated().map { number, pair in
      let object = try one(alone, number)
      pair.theirs.run(object)
      pair.mine.run(object)
      return looks(object)
    }
    try alone.save()
    // And in two, an object for each pair.
    let (store, _) = try stored(pairs.count)
    for (number, (theirs, mine)) in pairs.enumerated() {
      let (context, others) = (store.context(), store.context())
      context.mergePolicy = policy
      let object = try one(context, number)
      // Everything is loaded, or nothing that lies beside the row; there the store wins where nobody knows what was changed.
      if policy == .mergeByPropertyStoreTrump || mine.property.count.isMultiple(of: 2) { _ = looks(object) }
      let other = try one(others, number)
      func saveOthers() throws {
        theirs.run(other)
        try others.save()
      }
      mine.run(object)
      switch learning {
      case .byAFetch:
        try saveOthers()
        _ = try context.fetchCount(FetchDescriptor<SprawlingPart>())
        try context.save()
      case .bySaving:
        try saveOthers()
        try context.save()
      case .inTheMidstOfASave:
        let observer = once(ModelContext.willSave, of: context) { try saveOthers() }
        defer { NotificationCenter.default.removeObserver(observer) }
        try context.save()
      }
      let what: Comment = "\(theirs.property) elsewhere, \(mine.property) here"
      #expect(try looks(one(store.context(), number)) == wanted[number], what)
      _ = try context.fetchCount(FetchDescriptor<SprawlingPart>())
      #expect(looks(object) == wanted[number], what)
    }
    #expect(try store.container.integrityCheck().isEmpty)
  }

  /// An edit of the same property meets as the policy says, whatever else is edited beside it.
  @Test(arguments: [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite])
  func sameAttributeIsThePolicys(_ policy: MergePolicy) throws {
    let (store, others) = try stored()
    let context = store.context()
    context.mergePolicy = policy
    let (object, other) = (try one(context), try one(others))
    object.note = "here"
    object.own = "here"
    other.note = "there"
    other.other = "there"
    try others.save()
    try context.save()
    let found = try one(store.context())
    #expect(found.note == (policy == .mergeByPropertyStoreTrump ? "there" : "here"))
    #expect(found.own == "here")
    #expect(found.other == (policy == .overwrite ? "other" : "there"))
  }

  /// A rollback leads to what is stored, of those that were edited here and of the others.
  @Test func rollbackLeadsToWhatOthersSaved() throws {
    let (store, others) = try stored()
    let context = store.context()
    let (object, other) = (try one(context), try one(others))
    object.note = "here"
    object.image = Data([9])
    for edit in Self.edits { edit.run(other) }
    try others.save()
    _ = try context.fetchCount(FetchDescriptor<SprawlingPart>())
    #expect(object.note == "here" && object.image == Data([9]) && object.own == "mine" && context.hasChanges)
    context.rollback()
    #expect(looks(object) == looks(other) && !context.hasChanges)
    #expect(try looks(one(store.context())) == looks(other))
  }

  /// Where others have made the very edits, or nothing is left of them, nothing is pending.
  @Test func editsThatOthersMadeTooEnd() throws {
    let (store, others) = try stored()
    let context = store.context()
    let (object, other) = (try one(context), try one(others))
    object.note = "same"
    other.note = "same"
    other.own = "there"
    try others.save()
    _ = try context.fetchCount(FetchDescriptor<SprawlingPart>())
    #expect(object.own == "there" && !context.hasChanges)
  }
}
