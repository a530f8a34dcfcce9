import Foundation
import LarderData
import SwiftData
import Testing

/// An edit here, and a save there, of the same row.
@Suite struct MergePolicyTests {
  struct Case: CustomTestStringConvertible {
    let policy: MergePolicy
    let place: Place
    /// Whether the context has a chance to take over what the other saved before it saves itself.
    let isMerged: Bool
    var testDescription: String { "\(policy.rawValue), \(place.rawValue)\(isMerged ? ", merged before" : "")" }
    static let all = MergePolicy.allCases.flatMap { policy in
      Place.allCases.flatMap { place in
        [true, false].map { Case(policy: policy, place: place, isMerged: $0) }
      }
    }
  }

  private let store: TestStore
  private let context: ModelContext
  private let crate: Crate
  private let other: ModelContext
  private let theirs: Crate
  private let isMerged: Bool

  private init(_ test: Case) throws {
    store = try TestStore(test.place, Crate.self, Sensor.self)
    _ = try store.saved([Crate(number: 1, text: "old", note: "old")])
    context = store.context()
    context.mergePolicy = test.policy
    isMerged = test.isMerged
    if !test.isMerged { context.automaticallyMergesChanges = false }
    crate = try #require(try context.fetch(FetchDescriptor<Crate>()).first)
    other = store.context()
    theirs = try #require(try other.fetch(FetchDescriptor<Crate>()).first)
  }

  init() throws { try self.init(Case(policy: .error, place: .memory, isMerged: true)) }

  private func meet() throws { if isMerged { _ = try context.fetchCount(FetchDescriptor<Sensor>()) } }
  private func stored() throws -> [StoredValue] {
    try #require(try store.rows("SELECT number, text, note FROM Crate").first)
  }

  @Test(arguments: Case.all)
  func editOfTheSameProperty(_ test: Case) throws {
    let test = try MergePolicyTests(test)
    try test.bothEditTheText()
  }

  private func bothEditTheText() throws {
    crate.text = "mine"
    theirs.text = "theirs"
    theirs.note = "theirs"
    try other.save()
    try meet()
    switch context.mergePolicy {
    case .error:
      #expect(crate.text == "mine" && crate.note == (isMerged ? "theirs" : "old"))
      let error = #expect(throws: SaveError.self) { try context.save() }
      #expect(error?.code == .mergeConflict)
      #expect(error?.properties == ["text"])
      #expect(error?.identifiers == [crate.persistentModelID])
      #expect(try stored() == [.integer(1), .text("theirs"), .text("theirs")])
      #expect(crate.text == "mine" && context.hasChanges)
      // Another policy decides it.
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()
      #expect(try stored() == [.integer(1), .text("mine"), .text("theirs")])
    case .mergeByPropertyStoreTrump:
      if isMerged { #expect(crate.text == "theirs" && !context.hasChanges) }
      try context.save()
      #expect(try stored() == [.integer(1), .text("theirs"), .text("theirs")])
      #expect(crate.text == "theirs" && crate.note == "theirs")
    case .mergeByPropertyObjectTrump:
      if isMerged { #expect(crate.note == "theirs") }
      #expect(crate.text == "mine")
      try context.save()
      #expect(try stored() == [.integer(1), .text("mine"), .text("theirs")])
    case .overwrite:
      #expect(crate.text == "mine" && crate.note == "old")
      try context.save()
      #expect(try stored() == [.integer(1), .text("mine"), .text("old")])
    }
    #expect(!context.hasChanges)
    let again = try #require(try context.fetch(FetchDescriptor<Crate>()).first)
    #expect(again === crate)
    #expect([.integer(Int64(crate.number)), .text(crate.text), .text(crate.note ?? "")] == (try stored()))
  }

  @Test(arguments: Case.all)
  func editsOfDifferentProperties(_ test: Case) throws {
    let test = try MergePolicyTests(test)
    try test.eachEditsAProperty()
  }

  private func eachEditsAProperty() throws {
    crate.text = "mine"
    theirs.note = "theirs"
    try other.save()
    try meet()
    if context.mergePolicy == .error {
      #expect(throws: SaveError.self) { try context.save() }
      return #expect(try stored() == [.integer(1), .text("old"), .text("theirs")])
    }
    try context.save()
    let note = context.mergePolicy == .overwrite ? "old" : "theirs"
    #expect(try stored() == [.integer(1), .text("mine"), .text(note)])
    _ = try context.fetch(FetchDescriptor<Crate>())
    #expect(crate.text == "mine" && crate.note == note)
  }

  @Test(arguments: Case.all)
  func editOfARowThatIsGone(_ test: Case) throws {
    let test = try MergePolicyTests(test)
    try test.editWhatOthersDelete()
  }

  private func editWhatOthersDelete() throws {
    crate.text = "mine"
    other.delete(theirs)
    try other.save()
    try meet()
    if context.mergePolicy == .mergeByPropertyStoreTrump {
      try context.save()
      #expect(crate.modelContext == nil && crate.text == "mine")
    } else {
      let error = #expect(throws: SaveError.self) { try context.save() }
      #expect(error?.code == .vanishedRow)
      #expect(crate.modelContext == context)
      context.delete(crate)
      try context.save()
    }
    #expect(!context.hasChanges)
    #expect(try store.value("SELECT count(*) FROM Crate") == .integer(0))
  }

  @Test(arguments: Case.all)
  func deletionOfARowThatOthersEdited(_ test: Case) throws {
    let test = try MergePolicyTests(test)
    try test.deleteWhatOthersEdit()
  }

  private func deleteWhatOthersEdit() throws {
    context.delete(crate)
    theirs.text = "theirs"
    try other.save()
    try meet()
    let isRefused = context.mergePolicy == .error
    if isRefused {
      let error = #expect(throws: SaveError.self) { try context.save() }
      #expect(error?.code == .mergeConflict)
      context.rollback()
      _ = try context.fetch(FetchDescriptor<Crate>())
      #expect(crate.text == "theirs")
    } else {
      try context.save()
    }
    #expect(try store.value("SELECT count(*) FROM Crate") == .integer(isRefused ? 1 : 0))
    // Who has seen what the other saved may delete it.
    if isRefused { context.delete(crate) }
    try context.save()
    #expect(try store.value("SELECT count(*) FROM Crate") == .integer(0))
  }

  /// A rollback leads to what is stored by now, not to what was when the edit began.
  @Test(arguments: Case.all)
  func rollbackLeadsToWhatIsStored(_ test: Case) throws {
    let test = try MergePolicyTests(test)
    try test.rollBackAfterOthers()
  }

  private func rollBackAfterOthers() throws {
    crate.text = "mine"
    crate.number = 7
    theirs.text = "theirs"
    theirs.note = "theirs"
    try other.save()
    try meet()
    context.rollback()
    #expect(!context.hasChanges)
    if isMerged, context.mergePolicy == .mergeByPropertyObjectTrump || context.mergePolicy == .mergeByPropertyStoreTrump
    {
      #expect(crate.text == "theirs" && crate.number == 1 && crate.note == "theirs")
    }
    _ = try context.fetch(FetchDescriptor<Crate>())
    #expect(crate.text == "theirs" && crate.number == 1 && crate.note == "theirs")
  }

  /// Edits that were dropped leave nothing behind that is mixed up with those that stay.
  @Test(arguments: Place.allCases)
  func editsThatStayAreUnharmedByThoseThatAreDropped(_ place: Place) throws {
    let store = try TestStore(place, Crate.self, Sensor.self)
    _ = try store.saved((0..<20).map { Crate(number: $0, text: "old", note: "old") })
    let context = store.context()
    context.mergePolicy = .mergeByPropertyStoreTrump
    let order = FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number)])
    let crates = try context.fetch(order)
    for crate in crates {
      crate.text = "mine"
      if crate.number % 4 == 0 { crate.note = "mine" }
    }
    let other = store.context()
    for crate in try other.fetch(order) where crate.number % 2 == 0 { crate.text = "theirs" }
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Sensor>())
    #expect(context.changedModelsArray.count == 15)
    for crate in crates {
      #expect(crate.text == (crate.number % 2 == 0 ? "theirs" : "mine"))
      #expect(crate.hasChanges == (crate.number % 2 == 1 || crate.number % 4 == 0))
    }
    crates[2].text = "mine again"
    context.rollback()
    for crate in crates {
      #expect(crate.text == (crate.number % 2 == 0 ? "theirs" : "old"))
      #expect(crate.note == "old")
      #expect(!crate.hasChanges)
    }
  }
}
