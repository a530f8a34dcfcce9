import Foundation
import LarderData
import SwiftData
import Testing

/// Relationships that were changed here, and that others have changed, too.
@Suite struct MergingRelationTests {
  /// Has the context take over what others saved, without asking for any of it.
  private func meet(_ context: ModelContext) throws { _ = try context.fetchCount(FetchDescriptor<Sensor>()) }

  @Test(arguments: StoreLocation.allCases)
  func memberThatOthersDeletedLeavesListsThatWereChangedHere(_ place: StoreLocation) throws {
    let store = try TestStore(place, Course.self, Student.self, Sensor.self)
    _ = try store.saved([Course(title: "old"), Student(name: "ann"), Student(name: "bob")])
    let context = store.context()
    let students = try context.fetch(FetchDescriptor<Student>(sortBy: [SortDescriptor(\.name)]))
    let old = try #require(try context.all(Course.self).first)
    let new = Course(title: "new")
    context.insert(new)
    for course in [old, new] { course.students = students }
    let other = store.context()
    try other.delete(model: Student.self, where: #Predicate { $0.name == "ann" })
    try other.save()
    try meet(context)
    for course in [old, new] { #expect(course.students.map(\.name) == ["bob"]) }
    try context.save()
    for course in try store.context().all(Course.self) { #expect(course.students.map(\.name) == ["bob"]) }
  }

  /// A pair that both have added is one that the store has: either of them may part it, and the other end, which is not
  /// loaded here, knows of it as well.
  @Test(arguments: StoreLocation.allCases, [false, true])
  func pairThatBothAddedAndOneHasPartedIsPartedAtBothEnds(_ place: StoreLocation, _ isRead: Bool) throws {
    let store = try TestStore(place, Course.self, Student.self, Sensor.self)
    let (course, student) = (Course(title: "one"), Student(name: "ann"))
    let context = try store.saved([course, student])
    let other = store.context()
    let (theirs, their) = (
      try #require(try other.all(Course.self).first), try #require(try other.all(Student.self).first)
    )
    if isRead { #expect(their.courses.isEmpty) }
    theirs.students.append(their)
    course.students.append(student)
    try context.save()
    try meet(other)
    #expect(theirs.students == [their])
    course.students = []
    try context.save()
    try meet(other)
    #expect(theirs.students.isEmpty)
    try other.save()
    #expect(their.courses.isEmpty)
    #expect(try store.context().all(Course.self).first?.students == [])
  }

  /// The same the other way round: both take it out, and one puts it in again.
  @Test(arguments: StoreLocation.allCases, [false, true])
  func pairThatBothPartedAndOneHasAddedIsThereAtBothEnds(_ place: StoreLocation, _ isRead: Bool) throws {
    let store = try TestStore(place, Course.self, Student.self, Sensor.self)
    let (course, student) = (Course(title: "one"), Student(name: "ann"))
    course.students = [student]
    let context = try store.saved([course])
    let other = store.context()
    let (theirs, their) = (
      try #require(try other.all(Course.self).first), try #require(try other.all(Student.self).first)
    )
    if isRead { #expect(their.courses == [theirs]) }
    theirs.students = []
    course.students = []
    try context.save()
    try meet(other)
    course.students = [student]
    try context.save()
    try meet(other)
    #expect(theirs.students == [their])
    try other.save()
    #expect(their.courses == [theirs])
    #expect(try store.context().all(Course.self).first?.students.count == 1)
  }

  /// By the deletion's rule, as soon as it is known.
  @Test(arguments: StoreLocation.allCases)
  func whatOthersRelateToADeletedObjectGoesWithIt(_ place: StoreLocation) throws {
    let store = try TestStore(place, Family.self, Member.self, Sensor.self)
    _ = try store.saved([Family(name: "Doe")])
    let context = store.context()
    let family = try #require(try context.all(Family.self).first)
    context.delete(family)
    #expect(context.deletedModelsArray.count == 1)
    let other = store.context()
    let theirs = try #require(try other.all(Family.self).first)
    theirs.members = [Member(name: "ann")]
    try other.save()
    try meet(context)
    #expect(try context.fetchCount(FetchDescriptor<Member>()) == 0)
    try context.save()
    #expect(try store.value("SELECT count(*) FROM Member") == .integer(0))
  }

  /// There can be one: ours, or the stored one where the store wins.
  @Test(arguments: StoreLocation.allCases, [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump])
  func toOneThatWasGivenAwayTwiceIsWhereThePolicySays(_ place: StoreLocation, _ policy: MergePolicy) throws {
    let store = try TestStore(place, Person.self, Permit.self, Sensor.self)
    _ = try store.saved(["ann", "bob", "cid"].map { Person(name: $0) } + ["1", "2", "3"].map { Permit(number: $0) })
    func objects(_ context: ModelContext) throws -> (people: [Person], permits: [Permit]) {
      (
        try context.fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name)])),
        try context.fetch(FetchDescriptor<Permit>(sortBy: [SortDescriptor(\.number)]))
      )
    }
    let context = store.context()
    context.mergePolicy = policy
    let mine = try objects(context)
    // Two want one, at either end: which of the rows has the key is nothing that anybody sees.
    mine.people[0].permit = mine.permits[0]
    mine.permits[1].holder = mine.people[2]
    let other = store.context()
    let theirs = try objects(other)
    theirs.people[1].permit = theirs.permits[0]
    theirs.permits[2].holder = theirs.people[2]
    try other.save()
    try meet(context)
    let isOurs = policy == .mergeByPropertyObjectTrump
    let permits = isOurs ? ["1", nil, "2"] : [nil, "1", "3"]
    let holders = isOurs ? ["ann", "cid", nil] : ["bob", nil, "cid"]
    #expect(mine.people.map { $0.permit?.number } == permits)
    #expect(mine.permits.map { $0.holder?.name } == holders)
    try context.save()
    let stored = try objects(store.context())
    #expect(stored.people.map { $0.permit?.number } == permits)
    #expect(stored.permits.map { $0.holder?.name } == holders)
  }

  /// The other end has the key, and goes with it; under its number it may come back without.
  @Test(arguments: StoreLocation.allCases) func toOneWhoseOtherEndOthersDeletedIsNil(_ place: StoreLocation) throws {
    let store = try TestStore(
      place, Squad.self, Player.self, Kit.self, Club.self, Locker.self, Coach.self, Branch.self)
    let (mentor, pupil) = (Player(number: 1), Player(number: 2))
    let other = try store.saved([mentor, pupil])
    let manager = UndoManager()
    other.undoManager = manager
    let context = store.context()
    context.mergePolicy = .mergeByPropertyStoreTrump
    let (first, second) = (mentor.persistentModelID, pupil.persistentModelID)
    let mine = try context.existingModel(for: second, as: Player.self)
    mine.mentor = try context.existingModel(for: first, as: Player.self)
    other.delete(mentor)
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Squad>())
    #expect(mine.mentor == nil)
    manager.undo()
    try other.save()
    let back = try context.existingModel(for: first, as: Player.self)
    #expect(back.pupil == nil && mine.mentor == nil)
    try context.save()
    #expect(back.pupil == nil && mine.mentor == nil)
  }

  /// What others have parted while one of the two was deleted here is joined again by the insert, and is stored so.
  @Test(arguments: StoreLocation.allCases, [false, true])
  func pairThatOthersPartedIsStoredAgainByAnInsert(_ place: StoreLocation, _ isEdited: Bool) throws {
    let store = try TestStore.ofTeams(place)
    let saved = Player(number: 1)
    saved.coaches = [Coach(number: 2), Coach(number: 3)]
    _ = try store.saved([saved, Coach(number: 4)])
    let context = store.context()
    let player = try #require(try context.all(Player.self).first)
    let coach = try #require(player.coaches.first { $0.number == 3 })
    if isEdited { player.coaches.append(try #require(try context.all(Coach.self).first { $0.number == 4 })) }
    context.delete(coach)
    #expect(player.coaches.count == (isEdited ? 2 : 1))
    let other = store.context()
    try #require(try other.all(Player.self).first).coaches.removeAll { $0.number == 3 }
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Player>())
    context.insert(coach)
    let seen = player.coaches.map(\.number)
    try context.save()
    #expect(try store.context().all(Player.self).first?.coaches.map(\.number) == seen)
    #expect(player.coaches.map(\.number) == seen)
  }

  /// One to one, read before it was deleted here, and given another by others meanwhile.
  @Test(arguments: StoreLocation.allCases)
  func rollbackOfADeletionShowsWhatOthersGaveIt(_ place: StoreLocation) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Player(number: 1), Locker(number: 2), Player(number: 3)])
    let context = store.context()
    let players = try context.all(Player.self).sorted { $0.number < $1.number }
    #expect(players.allSatisfy { $0.locker == nil && $0.mentor == nil && $0.pupil == nil })
    context.delete(players[0])
    _ = try context.fetchCount(FetchDescriptor<Player>())
    let other = store.context()
    let theirs = try other.all(Player.self).sorted { $0.number < $1.number }
    theirs[0].locker = try other.all(Locker.self).first
    theirs[0].mentor = theirs[1]
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Player>())
    // Asked for in another object, after which all are thought to be known.
    #expect(players[1].locker == nil && players[1].pupil == nil)
    context.rollback()
    #expect(players[0].locker?.number == 2 && players[0].mentor === players[1] && players[1].pupil === players[0])
  }

  /// The pair was put together here and there, and parted there: what had its key is held by nobody here any more.
  @Test(arguments: StoreLocation.allCases, MergePolicy.allCases)
  func pairThatOthersMadeTooAndPartedIsParted(_ place: StoreLocation, _ policy: MergePolicy) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Player(number: 3), Player(number: 4), Locker(number: 7)])
    let context = store.context()
    context.mergePolicy = policy
    let player = try #require(try context.all(Player.self).first { $0.number == 4 })
    player.locker = try context.all(Locker.self).first
    let other = store.context()
    let others = try other.all(Player.self).sorted { $0.number < $1.number }
    others[1].locker = try other.all(Locker.self).first
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Squad>())
    others[0].locker = others[1].locker
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Squad>())
    let locker = try #require(try context.all(Locker.self).first)
    let wins = policy != .mergeByPropertyStoreTrump
    #expect((player.locker === locker) == wins && (locker.player === player) == wins)
    if policy == .error { return }
    try context.save()
    let stored = try store.context().all(Player.self).filter { $0.locker != nil }
    #expect(stored.map(\.number) == [wins ? 4 : 3])
    #expect(stored.allSatisfy { $0.locker?.player === $0 })
  }

  /// A to-one that was led to what others have deleted stays so until the save refuses it, unless the store wins: where others
  /// have brought that back before, both ends lead to each other.
  @Test(arguments: StoreLocation.allCases, MergePolicy.allCases)
  func endsAgreeWhenOthersBringBackWhatTheyDeleted(_ place: StoreLocation, _ policy: MergePolicy) throws {
    let store = try TestStore.ofTeams(place)
    _ = try store.saved([Player(number: 1), Player(number: 2)])
    let context = store.context()
    context.mergePolicy = policy
    let players = try context.all(Player.self).sorted { $0.number < $1.number }
    players[0].partner = players[1]
    let (other, manager) = store.undoing()
    other.delete(try #require(try other.all(Player.self).first { $0.number == 2 }))
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Squad>())
    manager.undo()
    try other.save()
    let back = try #require(try context.all(Player.self).first { $0.number == 2 })
    let isPair = policy != .mergeByPropertyStoreTrump
    #expect((players[0].partner === back) == isPair && (back.partner === players[0]) == isPair)
    #expect(isPair || players[0].partner == nil && back.partner == nil)
    try context.save()
    let stored = try store.context().all(Player.self).filter { $0.partner != nil }
    #expect(stored.count == (isPair ? 2 : 0))
    #expect(stored.allSatisfy { $0.partner?.partner === $0 })
  }

  /// As of any to-one that is led to what others delete, the save refuses it; what was led at the end that goes has gone with it.
  @Test(arguments: StoreLocation.allCases, MergePolicy.allCases)
  func oneOfAPairIsDeletedElsewhere(_ place: StoreLocation, _ policy: MergePolicy) throws {
    for isLedByTheOther in [false, true] {
      let store = try TestStore.ofTeams(place)
      _ = try store.saved([Player(number: 1), Player(number: 2)])
      let context = store.context()
      context.mergePolicy = policy
      let players = try context.all(Player.self).sorted { $0.number < $1.number }
      players[isLedByTheOther ? 1 : 0].partner = players[isLedByTheOther ? 0 : 1]
      let other = store.context()
      other.delete(try #require(try other.all(Player.self).first { $0.number == 2 }))
      try other.save()
      _ = try context.fetchCount(FetchDescriptor<Squad>())
      let refusal: SaveError.Code? =
        if isLedByTheOther {
          policy == .error ? .rowDeleted : nil
        } else {
          policy == .mergeByPropertyStoreTrump ? nil : .referencedRowDeleted
        }
      if let refusal {
        let error = #expect(throws: SaveError.self) { try context.save() }
        #expect(error?.code == refusal)
        context.rollback()
      }
      #expect(players[0].partner == nil)
      try context.save()
      #expect(try store.context().all(Player.self).map(\.partner?.number) == [nil])
    }
  }

  /// The change goes with the row, whichever of the two has the key.
  @Test(arguments: StoreLocation.allCases, MergePolicy.allCases.filter { $0 != .error })
  func oneToOneGoesWithTheEndAtWhichItWasSet(_ place: StoreLocation, _ policy: MergePolicy) throws {
    for isThePlayers in [false, true] {
      let store = try TestStore.ofTeams(place)
      _ = try store.saved([Player(number: 1), Locker(number: 2)])
      let context = store.context()
      context.mergePolicy = policy
      let player = try #require(try context.all(Player.self).first)
      let locker = try #require(try context.all(Locker.self).first)
      if isThePlayers { player.locker = locker } else { locker.player = player }
      let other = store.context()
      if isThePlayers {
        other.delete(try #require(try other.all(Player.self).first))
      } else {
        other.delete(try #require(try other.all(Locker.self).first))
      }
      try other.save()
      _ = try context.fetchCount(FetchDescriptor<Squad>())
      try context.save()
      #expect(isThePlayers ? locker.player == nil : player.locker == nil)
      let fresh = store.context()
      #expect(try fresh.all(Player.self).allSatisfy { $0.locker == nil })
      #expect(try fresh.all(Locker.self).allSatisfy { $0.player == nil })
    }
  }
}
