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
    Edit(property: "key") { $0.key = "another" },
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
      "\(object.place)", "\(object.words.sorted())", object.key, "\(object.shared.map(\.number))",
      "\(object.parts.map(\.number))", "\(object.partner?.number ?? -1)", "\(object.leader?.number ?? -1)", object.own,
      object.other,
    ]
  }

  private func one(_ context: ModelContext) throws -> SprawlingChild {
    try #require(try context.fetch(FetchDescriptor<SprawlingChild>()).first)
  }

  private func stored() throws -> (TestStore, ModelContext) {
    let store = try TestStore(.memory, Sprawling.self, SprawlingChild.self, SprawlingPart.self)
    let context = store.context()
    let object = SprawlingChild()
    context.insert(object)
    object.shared = [SprawlingPart(1)]
    object.parts = [SprawlingPart(2)]
    object.partner = SprawlingPart(3)
    object.leader = SprawlingPart(4)
    try context.save()
    return (store, context)
  }

  /// Both edits, made in one context.
  private func wanted(_ edits: [Edit]) throws -> [String] {
    let (_, context) = try stored()
    let object = try one(context)
    for edit in edits { edit.run(object) }
    try context.save()
    return looks(object)
  }

  @Test(arguments: [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump], Learning.allCases)
  func editsOfPropertiesThatShareABitBothStay(_ policy: MergePolicy, _ learning: Learning) throws {
    for theirs in Self.edits {
      for mine in Self.edits where mine.property != theirs.property {
        let (store, others) = try stored()
        let context = store.context()
        context.mergePolicy = policy
        let object = try one(context)
        // Everything is loaded, or nothing that lies beside the row; there the store wins where nobody knows what was changed.
        if policy == .mergeByPropertyStoreTrump || mine.property.count.isMultiple(of: 2) { _ = looks(object) }
        let other = try one(others)
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
        let wanted = try wanted([theirs, mine])
        #expect(try looks(one(store.context())) == wanted, what)
        _ = try context.fetchCount(FetchDescriptor<SprawlingPart>())
        #expect(looks(object) == wanted, what)
        #expect(try store.container.integrityCheck().isEmpty, what)
      }
    }
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
