import Foundation
import LarderData
import SwiftData
import Testing

/// An edit here, and a save there, of the same row.
@Suite struct MergePolicyTests {
  struct Case: CustomTestStringConvertible {
    let policy: MergePolicy
    let place: StoreLocation
    /// Whether the context has a chance to take over what the other saved before it saves itself.
    let isMerged: Bool
    var testDescription: String { "\(policy.rawValue), \(place.rawValue)\(isMerged ? ", merged before" : "")" }
    static let all = MergePolicy.allCases.flatMap { policy in
      StoreLocation.allCases.flatMap { place in
        [true, false].map { Case(policy: policy, place: place, isMerged: $0) }
      }
    }
  }

  /// Two contexts, each with its object of one row.
  private struct Encounter {
    let store: TestStore
    let context: ModelContext
    let crate: Crate
    let other: ModelContext
    let theirs: Crate
    let isMerged: Bool

    init(_ test: Case) throws {
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

    /// Saves what the other has changed, which the context takes over if it is to.
    func saveTheirs() throws {
      try other.save()
      if isMerged { _ = try context.fetchCount(FetchDescriptor<Sensor>()) }
    }

    var stored: [_StoredValue] {
      get throws { try #require(try store.rows("SELECT number, text, note FROM Crate").first) }
    }
    var storedCount: _StoredValue? {
      get throws { try store.value("SELECT count(*) FROM Crate") }
    }
  }

  @Test(arguments: Case.all)
  func editOfTheSameProperty(_ test: Case) throws {
    let meeting = try Encounter(test)
    let (context, crate, theirs) = (meeting.context, meeting.crate, meeting.theirs)
    crate.text = "mine"
    theirs.text = "theirs"
    theirs.note = "theirs"
    try meeting.saveTheirs()
    switch context.mergePolicy {
    case .error:
      #expect(crate.text == "mine" && crate.note == (meeting.isMerged ? "theirs" : "old"))
      let error = #expect(throws: SaveError.self) { try context.save() }
      #expect(error?.code == .mergeConflict)
      #expect(error?.properties == ["text"])
      #expect(error?.identifiers == [crate.persistentModelID])
      #expect(try meeting.stored == [.integer(1), .text("theirs"), .text("theirs")])
      #expect(crate.text == "mine" && context.hasChanges)
      // Another policy decides it.
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()
      #expect(try meeting.stored == [.integer(1), .text("mine"), .text("theirs")])
    case .mergeByPropertyStoreTrump:
      if meeting.isMerged { #expect(crate.text == "theirs" && !context.hasChanges) }
      try context.save()
      #expect(try meeting.stored == [.integer(1), .text("theirs"), .text("theirs")])
      #expect(crate.text == "theirs" && crate.note == "theirs")
    case .mergeByPropertyObjectTrump:
      if meeting.isMerged { #expect(crate.note == "theirs") }
      #expect(crate.text == "mine")
      try context.save()
      #expect(try meeting.stored == [.integer(1), .text("mine"), .text("theirs")])
    case .overwrite:
      #expect(crate.text == "mine" && crate.note == "old")
      try context.save()
      #expect(try meeting.stored == [.integer(1), .text("mine"), .text("old")])
    }
    #expect(!context.hasChanges)
    let again = try #require(try context.fetch(FetchDescriptor<Crate>()).first)
    #expect(again === crate)
    #expect([.integer(Int64(crate.number)), .text(crate.text), .text(crate.note ?? "")] == (try meeting.stored))
  }

  @Test(arguments: Case.all)
  func editsOfDifferentProperties(_ test: Case) throws {
    let meeting = try Encounter(test)
    let (context, crate, theirs) = (meeting.context, meeting.crate, meeting.theirs)
    crate.text = "mine"
    theirs.note = "theirs"
    try meeting.saveTheirs()
    if context.mergePolicy == .error {
      #expect(throws: SaveError.self) { try context.save() }
      return #expect(try meeting.stored == [.integer(1), .text("old"), .text("theirs")])
    }
    try context.save()
    let note = context.mergePolicy == .overwrite ? "old" : "theirs"
    #expect(try meeting.stored == [.integer(1), .text("mine"), .text(note)])
    _ = try context.fetch(FetchDescriptor<Crate>())
    #expect(crate.text == "mine" && crate.note == note)
  }

  @Test(arguments: Case.all)
  func editOfARowThatIsGone(_ test: Case) throws {
    let meeting = try Encounter(test)
    let (context, crate, theirs) = (meeting.context, meeting.crate, meeting.theirs)
    crate.text = "mine"
    meeting.other.delete(theirs)
    try meeting.saveTheirs()
    if context.mergePolicy == .error {
      let error = #expect(throws: SaveError.self) { try context.save() }
      #expect(error?.code == .rowDeleted)
      #expect(crate.modelContext == context)
      context.delete(crate)
    }
    try context.save()
    #expect(crate.modelContext == nil && crate.text == "mine")
    #expect(!context.hasChanges)
    #expect(try meeting.storedCount == .integer(0))
  }

  /// By name, with those that are saved; also where nothing else is.
  @Test(arguments: StoreLocation.allCases, [false, true])
  func theSaveTellsOfEditsThatWentWithTheirRows(_ place: StoreLocation, _ isAll: Bool) throws {
    let store = try TestStore(place, Crate.self)
    let other = try store.saved([Crate(number: 1), Crate(number: 2)])
    let context = store.context()
    let crates = try context.fetch(FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number)]))
    for crate in crates.dropLast(isAll ? 1 : 0) { crate.text = "edited" }
    try other.delete(model: Crate.self, where: #Predicate { $0.number == 1 })
    try other.save()
    let told = Counted<[[PersistentIdentifier]]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notification in
      let vanished = notification.userInfo?[ModelContext.droppedEditIdentifiersKey] as? [PersistentIdentifier]
      told.update { $0.append(vanished ?? []) }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try context.save()
    #expect(told.value == [[crates[0].persistentModelID]])
    crates[1].text = "again"
    try context.save()
    #expect(told.value.count == 2 && told.value.last == [])
    #expect(try store.value("SELECT text FROM Crate") == .text("again"))
  }

  @Test(arguments: Case.all)
  func deletionOfARowThatOthersEdited(_ test: Case) throws {
    let meeting = try Encounter(test)
    let (context, crate, theirs) = (meeting.context, meeting.crate, meeting.theirs)
    context.delete(crate)
    theirs.text = "theirs"
    try meeting.saveTheirs()
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
    #expect(try meeting.storedCount == .integer(isRefused ? 1 : 0))
    // Who has seen what the other saved may delete it.
    if isRefused { context.delete(crate) }
    try context.save()
    #expect(try meeting.storedCount == .integer(0))
  }

  /// Who deletes an object has decided by what he has read of it, whatever was saved of it until then.
  @Test(arguments: Case.all)
  func deletionOfARowThatOthersHadEditedUnseen(_ test: Case) throws {
    let meeting = try Encounter(test)
    let (context, crate) = (meeting.context, meeting.crate)
    meeting.theirs.text = "theirs"
    try meeting.other.save()
    context.delete(crate)
    if test.isMerged { _ = try context.fetchCount(FetchDescriptor<Sensor>()) }
    let isRefused = context.mergePolicy == .error
    if isRefused {
      let error = #expect(throws: SaveError.self) { try context.save() }
      #expect(error?.code == .mergeConflict)
      context.rollback()
      _ = try context.fetch(FetchDescriptor<Crate>())
      #expect(crate.text == "theirs")
      context.delete(crate)
    }
    try context.save()
    #expect(try meeting.storedCount == .integer(0))
  }

  /// A rollback leads to what is stored by now, not to what was when the edit began.
  @Test(arguments: Case.all)
  func rollbackLeadsToWhatIsStored(_ test: Case) throws {
    let meeting = try Encounter(test)
    let (context, crate, theirs) = (meeting.context, meeting.crate, meeting.theirs)
    crate.text = "mine"
    crate.number = 7
    theirs.text = "theirs"
    theirs.note = "theirs"
    try meeting.saveTheirs()
    context.rollback()
    #expect(!context.hasChanges)
    if meeting.isMerged,
      context.mergePolicy == .mergeByPropertyObjectTrump || context.mergePolicy == .mergeByPropertyStoreTrump
    {
      #expect(crate.text == "theirs" && crate.number == 1 && crate.note == "theirs")
    }
    _ = try context.fetch(FetchDescriptor<Crate>())
    #expect(crate.text == "theirs" && crate.number == 1 && crate.note == "theirs")
  }

  @Test(arguments: StoreLocation.allCases)
  func rollbackLeadsToWhatIsStoredBesideTheRow(_ place: StoreLocation) throws {
    let store = try TestStore(place, Photo.self, Sensor.self)
    _ = try store.saved([Photo(title: "a", image: Data([1]))])
    let context = store.context()
    let photo = try #require(try context.fetch(FetchDescriptor<Photo>()).first)
    #expect(photo.image == Data([1]))
    photo.image = Data([2])
    let other = store.context()
    let theirs = try #require(try other.fetch(FetchDescriptor<Photo>()).first)
    theirs.image = Data([3])
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Sensor>())
    #expect(photo.image == Data([2]))
    context.rollback()
    #expect(photo.image == Data([3]))
  }

  /// It decides anew of edits that had been left as they were.
  @Test(arguments: StoreLocation.allCases, [MergePolicy.error, .overwrite])
  func anotherPolicyAppliesToEditsThatAreThere(_ place: StoreLocation, _ policy: MergePolicy) throws {
    let meeting = try Encounter(Case(policy: policy, place: place, isMerged: true))
    let (context, crate, theirs) = (meeting.context, meeting.crate, meeting.theirs)
    crate.text = "mine"
    theirs.text = "theirs"
    theirs.note = "theirs"
    try meeting.saveTheirs()
    #expect(crate.text == "mine")
    context.mergePolicy = .mergeByPropertyStoreTrump
    _ = try context.fetchCount(FetchDescriptor<Sensor>())
    #expect(crate.text == "theirs" && crate.note == "theirs")
    #expect(!context.hasChanges)
  }

  /// What another program wrote comes with no change set: the save that meets it has the object look again.
  @Test(.directly("it changes the rows past the store"), arguments: StoreLocation.allCases)
  func objectWhoseSaveMetAnotherProgramIsInStepAfterIt(_ place: StoreLocation) throws {
    let meeting = try Encounter(Case(policy: .mergeByPropertyObjectTrump, place: place, isMerged: true))
    let (context, crate) = (meeting.context, meeting.crate)
    crate.text = "mine"
    try meeting.store.execute("UPDATE Crate SET note = 'theirs', larder_version = larder_version + 1")
    try context.save()
    #expect(try meeting.stored == [.integer(1), .text("mine"), .text("theirs")])
    _ = try context.fetchCount(FetchDescriptor<Sensor>())
    #expect(crate.text == "mine" && crate.note == "theirs")
    #expect(!context.hasChanges)
  }

  /// Edits that were dropped leave nothing behind that is mixed up with those that stay.
  @Test(arguments: StoreLocation.allCases)
  func editsThatStayAreUnharmedByThoseThatAreDropped(_ place: StoreLocation) throws {
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

  /// An edit that the fetch has ended is followed by another one.
  @Test(arguments: StoreLocation.allCases)
  func editAfterOneThatTheStoreWonIsSaved(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let crate = Crate(number: 1)
    let context = try store.saved([crate])
    context.mergePolicy = .mergeByPropertyStoreTrump
    context.automaticallyMergesChanges = false
    crate.number = 2
    let other = store.context()
    try #require(try other.fetch(FetchDescriptor<Crate>()).first).number = 3
    try other.save()
    _ = try context.fetch(FetchDescriptor<Crate>())
    #expect(crate.number == 3)
    crate.number = 4
    crate.text = "also"
    try context.save()
    #expect(try store.rows("SELECT number, text FROM Crate") == [[.integer(4), .text("also")]])
    #expect(!context.hasChanges)
  }

  /// With `error` an edited object whose row others have deleted stays in the context for the save to refuse, and is in no answer,
  /// whether the question concerns the edit or not.
  @Test(arguments: StoreLocation.allCases)
  func whatOthersDeletedIsInNoAnswer(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let first = store.context()
    for number in 1...3 { first.insert(Crate(number: number, text: "\(number)")) }
    try first.save()
    let context = store.context()
    context.mergePolicy = .error
    let crate = try #require(try context.all(Crate.self).first { $0.number == 2 })
    crate.number = 20
    try first.delete(model: Crate.self, where: #Predicate { $0.number == 2 })
    try first.save()
    let edited = FetchDescriptor<Crate>(predicate: #Predicate { $0.number > 1 })
    let unedited = FetchDescriptor<Crate>(predicate: #Predicate { $0.text != "1" })
    let byNumber = FetchDescriptor<Crate>(sortBy: [SortDescriptor(\.number, order: .reverse)])
    #expect(try context.fetch(FetchDescriptor<Crate>()).map(\.number) == [1, 3])
    #expect(try context.fetch(edited).map(\.number) == [3] && context.fetch(unedited).map(\.number) == [3])
    #expect(try context.fetchCount(edited) == 1 && context.fetchIdentifiers(edited).count == 1)
    #expect(try context.fetch(byNumber).map(\.number) == [3, 1])
    #expect(crate.number == 20 && context.hasChanges)
    let error = #expect(throws: SaveError.self) { try context.save() }
    #expect(error?.code == .rowDeleted)
    context.rollback()
    #expect(try context.fetch(edited).map(\.number) == [3])
  }
}
