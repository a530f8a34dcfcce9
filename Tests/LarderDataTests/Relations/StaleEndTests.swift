import Foundation
import LarderData
import LarderSQLite
import Observation
import SwiftData
import Testing

/// Relationships that are changed where one end is as others left it, and the other as it was seen last.
@Suite struct StaleEndTests {
  private func one<Model: PersistentModel>(_ type: Model.Type, _ context: ModelContext) throws -> Model {
    try #require(try context.fetch(FetchDescriptor<Model>()).first)
  }

  private func family(_ name: String, _ context: ModelContext) throws -> Family {
    try #require(try context.fetch(FetchDescriptor<Family>(predicate: #Predicate { $0.name == name })).first)
  }

  private func permit(_ number: String, _ context: ModelContext) throws -> Permit {
    try #require(try context.fetch(FetchDescriptor<Permit>(predicate: #Predicate { $0.number == number })).first)
  }

  /// Who holds which permit, by what the store has.
  private func holders(_ store: TestStore) throws -> [String: String?] {
    let permits = try store.context().fetch(FetchDescriptor<Permit>())
    return Dictionary(uniqueKeysWithValues: permits.map { ($0.number, $0.holder?.name) })
  }

  @Test(arguments: StoreLocation.allCases)
  func aMemberComesBackThatOthersHaveTaken(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Member.self)
    let context = try store.saved([Family(name: "Doe"), Family(name: "Roe")])
    let doe = try family("Doe", context)
    let ann = Member(name: "Ann", family: doe)
    context.insert(ann)
    try context.save()
    let mine = store.context()
    let (my, myAnn) = (try family("Doe", mine), try one(Member.self, mine))
    #expect(myAnn.family === my)
    ann.family = try family("Roe", context)
    try context.save()
    my.members.append(myAnn)
    #expect(myAnn.family === my && my.members.map(\.name) == ["Ann"])
    try mine.save()
    #expect(try one(Member.self, store.context()).family?.name == "Doe")
  }

  /// Ann, Bob, and permits 1 and 2; each to one.
  private func permits(_ place: StoreLocation) throws -> (TestStore, ModelContext) {
    let store = try TestStore(place, Person.self)
    return (store, try store.saved([Permit(number: "1"), Permit(number: "2")] + [Person(name: "Ann")]))
  }

  @Test(arguments: StoreLocation.allCases)
  func whatOthersRelatedToAnotherIsRelatedAgain(_ place: StoreLocation) throws {
    let (store, context) = try permits(place)
    let ann = try one(Person.self, context)
    ann.permit = try permit("1", context)
    try context.save()
    let mine = store.context()
    let (myAnn, first) = (try one(Person.self, mine), try permit("1", mine))
    ann.permit = try permit("2", context)
    try context.save()
    myAnn.permit = first
    try mine.save()
    #expect(try holders(store) == ["1": "Ann", "2": nil])
  }

  /// What is taken over by the way has not been seen, where that matters.
  @Test(arguments: StoreLocation.allCases)
  func whatOthersRelatedUnseenIsAConflict(_ place: StoreLocation) throws {
    let (store, context) = try permits(place)
    let ann = try one(Person.self, context)
    ann.permit = try permit("1", context)
    try context.save()
    let mine = store.context()
    mine.mergePolicy = .error
    let (myAnn, first) = (try one(Person.self, mine), try permit("1", mine))
    ann.permit = try permit("2", context)
    try context.save()
    myAnn.permit = first
    let error = #expect(throws: SaveError.self) { try mine.save() }
    #expect(error?.code == .mergeConflict)
    #expect(try holders(store) == ["1": nil, "2": "Ann"])
    mine.rollback()
    #expect(myAnn.permit?.number == "2")
    myAnn.permit = first
    try mine.save()
    #expect(try holders(store) == ["1": "Ann", "2": nil])
  }

  /// A context in which Ann had permit 2 when it was looked at last, after another has given her permit 1.
  private func exchanged(
    _ place: StoreLocation
  ) throws -> (store: TestStore, mine: ModelContext, ann: Person, first: Permit, second: Permit) {
    let (store, context) = try permits(place)
    let ann = try one(Person.self, context)
    ann.permit = try permit("2", context)
    try context.save()
    let mine = store.context()
    let (myAnn, second) = (try one(Person.self, mine), try permit("2", mine))
    #expect(myAnn.permit === second)
    ann.permit = try permit("1", context)
    try context.save()
    let first = try permit("1", mine)
    return (store, mine, myAnn, first, second)
  }

  /// Her permit is loaded to be changed, and with it that she is gone.
  @Test(arguments: StoreLocation.allCases)
  func aChangeOfWhatOthersHaveDeletedGoesWithIt(_ place: StoreLocation) throws {
    let (store, context) = try permits(place)
    let mine = store.context()
    let (ann, first) = (try one(Person.self, mine), try permit("1", mine))
    try context.delete(model: Person.self)
    try context.save()
    ann.permit = first
    #expect(ann.modelContext == nil && first.holder == nil)
    try mine.save()
    #expect(try holders(store) == ["1": nil, "2": nil])
  }

  /// Ann's permit is loaded to be changed, and with it that the one that she is to have is gone.
  @Test(arguments: StoreLocation.allCases)
  func aChangeToWhatOthersHaveDeletedIsAnError(_ place: StoreLocation) throws {
    let (store, context) = try permits(place)
    let mine = store.context()
    let (ann, first) = (try one(Person.self, mine), try permit("1", mine))
    context.delete(try permit("1", context))
    try context.save()
    ann.permit = first
    let error = #expect(throws: SaveError.self) { try mine.save() }
    #expect(error?.code == .referencedRowDeleted && error?.entityName == "Person" && error?.properties == ["permit"])
    mine.rollback()
    #expect(ann.permit == nil)
    try mine.save()
  }

  @Test(arguments: StoreLocation.allCases)
  func aChangeToWhatOthersHaveDeletedIsDroppedWhereTheStoreWins(_ place: StoreLocation) throws {
    let (store, context) = try permits(place)
    let mine = store.context()
    mine.mergePolicy = .mergeByPropertyStoreTrump
    let (ann, first) = (try one(Person.self, mine), try permit("1", mine))
    context.delete(try permit("1", context))
    try context.save()
    ann.permit = first
    #expect(ann.permit == nil)
    try mine.save()
    #expect(try holders(store) == ["2": nil])
  }

  /// A list that leads to others of many goes without them, as one that was changed before does.
  @Test(arguments: StoreLocation.allCases)
  func aListIsSetWithoutThoseThatOthersHaveDeleted(_ place: StoreLocation) throws {
    let store = try TestStore(place, Squad.self, Player.self, Kit.self, Club.self, Locker.self, Coach.self, Branch.self)
    let context = try store.saved((1...3).map { Player(number: $0) })
    let mine = store.context()
    let players = try mine.fetch(FetchDescriptor<Player>(sortBy: [SortDescriptor(\.number)]))
    try context.delete(model: Player.self, where: #Predicate { $0.number == 2 })
    try context.save()
    players[0].rivals = [players[1], players[2]]
    #expect(players[0].rivals.map(\.number) == [3])
    try mine.save()
    let left = try store.context().fetch(FetchDescriptor<Player>(sortBy: [SortDescriptor(\.number)]))
    #expect(left.map { $0.rivals.map(\.number) } == [[3], []])
  }

  /// Another commits between a save's look at what there is and its own transaction: Ann has one permit all the same.
  @Test(arguments: StoreLocation.allCases, [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump])
  func twoCommitsAtOnceLeaveOneToOne(_ place: StoreLocation, _ policy: MergePolicy) throws {
    let (store, context) = try permits(place)
    let mine = store.context()
    mine.mergePolicy = policy
    let (ann, first) = (try one(Person.self, mine), try permit("1", mine))
    ann.permit = first
    let (hers, second) = (try one(Person.self, context), try permit("2", context))
    let observer = once(ModelContext.willSave, of: mine) {
      hers.permit = second
      try context.save()
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try mine.save()
    let isMine = policy != .mergeByPropertyStoreTrump
    #expect(try holders(store) == ["1": isMine ? "Ann" : nil, "2": isMine ? nil : "Ann"])
    #expect(try one(Person.self, store.context()).permit?.number == (isMine ? "1" : "2"))
    #expect(ann.permit?.number == (isMine ? "1" : "2") && (first.holder === ann) == isMine)
    #expect(try permit("2", mine).holder === (isMine ? nil : ann))
  }

  @Test(arguments: StoreLocation.allCases, [false, true])
  func whatIsDeletedAndComesBackKeepsWhatOthersGaveIt(_ place: StoreLocation, _ isHolder: Bool) throws {
    let (store, mine, myAnn, first, _) = try exchanged(place)
    if isHolder {
      mine.delete(myAnn)
      mine.insert(myAnn)
    } else {
      mine.delete(first)
      mine.insert(first)
    }
    try mine.save()
    #expect(try holders(store) == ["1": "Ann", "2": nil])
    #expect(myAnn.permit === first && first.holder === myAnn)
  }

  @Test(arguments: StoreLocation.allCases)
  func aRollbackLeadsToWhatOthersRelated(_ place: StoreLocation) throws {
    let (store, mine, myAnn, first, second) = try exchanged(place)
    first.holder = nil
    #expect(myAnn.permit == nil)
    mine.rollback()
    #expect(myAnn.permit === first && first.holder === myAnn && second.holder == nil)
    myAnn.permit = nil
    try mine.save()
    #expect(try holders(store) == ["1": nil, "2": nil])
  }

  /// A cascade leads to what there is by now.
  @Test(arguments: StoreLocation.allCases)
  func aDeletionLeavesWhatOthersHaveTakenOver(_ place: StoreLocation) throws {
    let store = try TestStore(place, Coach.self)
    let context = try store.saved((1...3).map { Coach(number: $0) })
    let coaches = try context.fetch(FetchDescriptor<Coach>(sortBy: [SortDescriptor(\.number)]))
    coaches[0].apprentice = coaches[2]
    try context.save()
    let mine = store.context()
    let first = try #require(try mine.fetch(FetchDescriptor<Coach>(predicate: #Predicate { $0.number == 1 })).first)
    coaches[0].apprentice = nil
    coaches[1].apprentice = coaches[2]
    try context.save()
    mine.delete(first)
    try mine.save()
    let left = try store.context().fetch(FetchDescriptor<Coach>(sortBy: [SortDescriptor(\.number)]))
    #expect(left.map(\.number) == [2, 3])
    #expect(left.first?.apprentice?.number == 3)
  }

  /// The main context takes over in turns of its own, and not at each look at what is observed.
  @MainActor
  @Test(arguments: StoreLocation.allCases)
  func observersAreToldOfWhatWasLoadedByTheWay(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Member.self, Person.self)
    let context = try store.saved([Family(name: "Doe"), Family(name: "Roe")] + [Person(name: "Bob")])
    let mine = store.container.mainContext
    let person = try one(Person.self, mine)
    let families = try mine.fetch(FetchDescriptor<Family>(sortBy: [SortDescriptor(\.name)]))
    let told = Counted(0)
    for family in families {
      withObservationTracking {
        _ = family.members
      } onChange: {
        told.update { $0 += 1 }
      }
    }
    context.insert(Member(name: "Ann", family: try family("Doe", context)))
    try context.save()
    // What is read for the first time is of the commit, and so is the other family's list. The first one's comes with it.
    #expect(person.permit == nil)
    #expect(families[1].members.isEmpty && told.value == 0)
    _ = try mine.fetch(FetchDescriptor<Member>())
    #expect(told.value == 1)
    #expect(families[0].members.map(\.name) == ["Ann"])
  }

  @MainActor
  @Test(arguments: StoreLocation.allCases)
  func observersAreToldOfAToOneThatWasForgotten(_ place: StoreLocation) throws {
    let store = try TestStore(place, Person.self, Family.self)
    let context = try store.saved(
      [Permit(number: "1")] + [Person(name: "Ann"), Person(name: "Bob")] + [Family(name: "Doe")])
    let mine = store.container.mainContext
    let doe = try family("Doe", mine)
    let people = try mine.fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name)]))
    let told = Counted(0)
    for person in people {
      withObservationTracking {
        _ = person.permit
      } onChange: {
        told.update { $0 += 1 }
      }
    }
    try context.fetch(FetchDescriptor<Person>()).first { $0.name == "Ann" }?.permit = try permit("1", context)
    try context.save()
    #expect(doe.members.isEmpty)
    #expect(people[1].permit == nil && told.value == 0)
    _ = try mine.fetch(FetchDescriptor<Permit>())
    #expect(told.value == 1)
    #expect(people[0].permit?.number == "1")
  }

  /// A context that goes saves by the same rules as before.
  @Test(arguments: StoreLocation.allCases)
  func aContextThatGoesIsRefusedWhatASaveIs(_ place: StoreLocation) throws {
    let store = try TestStore(place, Slideshow.self, Slide.self)
    do {
      let context = store.context()
      let (show, slide) = (Slideshow(number: 1), Slide(number: 2))
      context.insert(show)
      show.cover = [slide]
      try context.save()
    }
    do {
      let context = store.context()
      context.autosaveEnabled = true
      context.delete(try one(Slideshow.self, context))
      #expect(try context.fetchCount(FetchDescriptor<Slideshow>()) == 0)
    }
    let show = try store.context().fetch(FetchDescriptor<Slideshow>()).first
    #expect(show?.cover.map(\.number) == [2])
  }
}
