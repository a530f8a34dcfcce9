import Foundation
import LarderData
import SwiftData
import Testing

/// Lists that a context has read, others have saved since, and it changes without fetching before.
@Suite struct SharedListTests {
  /// What a context has gone through before it changes a list.
  enum Past: String, CaseIterable {
    case older, newer, hasReadOthers, hasSaved
  }

  struct Case: CustomTestStringConvertible {
    let link: ListLink
    let past: Past
    let policy: MergePolicy
    var testDescription: String { "\(link), \(past), \(policy.rawValue)" }

    // Three is a divisor of none of the numbers of these, so that each link, past and policy is left with others.
    static let all = ListLink.allCases.filter { !$0.isOfCards }.flatMap { link in
      Past.allCases.flatMap { past in MergePolicy.allCases.map { Case(link: link, past: past, policy: $0) } }
    }.thinned(toOneOf: 3)
  }

  /// Two contexts, each with its object of a board, and things numbered 1, 2, 3 in its list. Another board is 100, and
  /// another thing 9.
  private struct Encounter {
    let store: TestStore
    let link: ListLink
    let context: ModelContext
    let mine: Board
    let others: [any Listed]
    let other: ModelContext
    let theirs: Board

    init(_ link: ListLink, _ past: Past = .newer, _ policy: MergePolicy = .mergeByPropertyObjectTrump) throws {
      self.link = link
      store = try TestStore(.memory, Board.self, Card.self)
      let early = store.context()
      other = store.context()
      theirs = Board(number: 0)
      other.insert(theirs)
      let elsewhere = Board(number: 100)
      other.insert(elsewhere)
      elsewhere.set(link, [Encounter.member(7, link)])
      theirs.set(link, [1, 2, 3].map { Encounter.member($0, link) })
      let free: any Listed = Encounter.member(9, link)
      Encounter.insert(free, other)
      try other.save()
      context = past == .older ? early : store.context()
      context.mergePolicy = policy
      var all: [any Listed] = try context.all(Board.self)
      all += try context.all(Card.self) as [any Listed]
      others = all
      mine = try #require(all.first { $0.number == 0 } as? Board)
      if past == .hasSaved {
        let extra = Encounter.member(50, link)
        Encounter.insert(extra, context)
        try context.save()
      }
      #expect(numbers(mine) == [1, 2, 3])
    }

    private static func member(_ number: Int, _ link: ListLink) -> any Listed {
      link.leadsToCards ? Card(number: number) : Board(number: number)
    }

    static func insert<Model: Listed>(_ model: Model, _ context: ModelContext) { context.insert(model) }
    static func delete<Model: Listed>(_ model: Model, _ context: ModelContext) { context.delete(model) }

    func new(_ number: Int) -> any Listed { Encounter.member(number, link) }
    func numbers(_ board: Board) -> [Int] { board.list(link).map(\.number) }
    var stored: [Int] {
      get throws { numbers(try #require(try store.context().all(Board.self).first { $0.number == 0 })) }
    }

    /// Another context's change, which is saved.
    func they(_ change: (inout [any Listed]) -> Void) throws {
      var list = theirs.list(link)
      change(&list)
      theirs.set(link, list)
      try other.save()
    }

    func edit(_ change: (inout [any Listed]) -> Void) {
      var list = mine.list(link)
      change(&list)
      mine.set(link, list)
    }

    /// Reads a list that was not read before.
    func readAnother(_ past: Past) {
      if past == .hasReadOthers { _ = (others.first { $0.number == 100 } as? Board)?.list(link).count }
    }
  }

  /// `error` refuses the row of a list's owner, or of a member, where others have changed that.
  private func save(_ meeting: Encounter) throws {
    do { try meeting.context.save() } catch let error as SaveError where error.code == .mergeConflict {
      #expect(meeting.context.mergePolicy == .error)
      meeting.context.rollback()
    }
  }

  @Test(arguments: Case.all)
  func appendKeepsMembersSavedByOthers(_ test: Case) throws {
    let meeting = try Encounter(test.link, test.past, test.policy)
    try meeting.they { $0.append(meeting.new(4)) }
    meeting.readAnother(test.past)
    meeting.edit { $0.append(meeting.new(5)) }
    #expect(meeting.numbers(meeting.mine) == [1, 2, 3, 4, 5])
    try meeting.context.save()
    #expect(try meeting.stored == [1, 2, 3, 4, 5])
  }

  @Test(arguments: Case.all)
  func membersThatOthersTookOutStayOut(_ test: Case) throws {
    let meeting = try Encounter(test.link, test.past, test.policy)
    try meeting.they { $0.remove(at: 1) }
    meeting.readAnother(test.past)
    meeting.edit { $0.insert(meeting.new(5), at: 1) }
    #expect(meeting.numbers(meeting.mine) == [1, 5, 3])
    try save(meeting)
    #expect(try meeting.stored == [1, 5, 3])
  }

  /// The program changes what it was shown, and sets the list to that only when others have saved.
  @Test(arguments: Case.all)
  func aListThatWasShownEarlierIsADifference(_ test: Case) throws {
    let meeting = try Encounter(test.link, test.past, test.policy)
    let shown = meeting.mine.list(test.link)
    try meeting.they {
      $0.removeLast()
      $0.append(meeting.new(4))
    }
    meeting.readAnother(test.past)
    _ = try meeting.context.fetchCount(FetchDescriptor<Board>())
    meeting.mine.set(test.link, [shown[0], shown[2], meeting.new(5)])
    #expect(meeting.numbers(meeting.mine) == [1, 4, 5])
    // And once more, by what it has set before.
    try meeting.they { $0.append(meeting.new(6)) }
    meeting.edit { $0.removeFirst() }
    try save(meeting)
    let isRefused = try meeting.stored.contains(1)
    #expect(!isRefused || test.policy == .error)
    if !isRefused { #expect(try Set(meeting.stored) == [4, 5, 6]) }
  }

  enum Edit: String, CaseIterable {
    case remove, removeAll, move, reverse, append, set
  }

  @Test(arguments: Case.all, Edit.allCases)
  func memberThatOthersDeletedLeavesWhateverBecomesOfTheList(_ test: Case, _ edit: Edit) throws {
    let meeting = try Encounter(test.link, test.past, test.policy)
    let shown = meeting.mine.list(test.link)
    Encounter.delete(meeting.theirs.list(test.link)[1], meeting.other)
    try meeting.other.save()
    meeting.readAnother(test.past)
    // The first of two changes may have shown that it is gone.
    if edit == .move { meeting.mine.set(test.link, [shown[0], shown[2]]) }
    let (new, expected): ([any Listed], [Int]) =
      switch edit {
      case .remove: ([shown[0], shown[2]], [1, 3])
      case .removeAll: ([], [])
      case .move: ([shown[0], shown[2], shown[1]], [1, 3])
      case .reverse: (shown.reversed(), [3, 1])
      case .append: (shown + [meeting.new(5)], [1, 3, 5])
      case .set: ([shown[1]], [])
      }
    meeting.mine.set(test.link, new)
    try meeting.context.save()
    #expect(try meeting.stored == expected)
    #expect(meeting.numbers(meeting.mine) == expected)
  }

  @Test(arguments: ListLink.allCases.filter { !$0.isOfCards }, MergePolicy.allCases)
  func aChangeOfAListGoesWithItsOwner(_ link: ListLink, _ policy: MergePolicy) throws {
    let meeting = try Encounter(link, .newer, policy)
    let free = try #require(meeting.others.first { $0.number == 9 })
    meeting.edit { $0 += [free, meeting.new(5)] }
    meeting.other.delete(meeting.theirs)
    try meeting.other.save()
    free.number = 10
    if policy == .error {
      let error = #expect(throws: SaveError.self) { try meeting.context.save() }
      #expect(error?.code == .rowDeleted && error?.identifiers == [meeting.mine.persistentModelID])
      return meeting.context.rollback()
    }
    try meeting.context.save()
    #expect(meeting.mine.modelContext == nil)
    let context = meeting.store.context()
    let numbers = try link.leadsToCards ? context.all(Card.self).map(\.number) : context.all(Board.self).map(\.number)
    #expect(Set(numbers).isSuperset(of: [5, 10]) && !numbers.contains(9))
  }

  /// Nothing that is written would refer to the owner's row.
  @Test(arguments: [ListLink.pinned, .noted, .likes], [false, true])
  func aChangeThatAddsNothingIsRefusedWithoutItsOwner(_ link: ListLink, _ isRemoval: Bool) throws {
    let meeting = try Encounter(link, .newer, .error)
    if isRemoval { meeting.edit { $0.removeLast() } } else { meeting.edit { $0.reverse() } }
    meeting.other.delete(meeting.theirs)
    try meeting.other.save()
    let error = #expect(throws: SaveError.self) { try meeting.context.save() }
    #expect(error?.code == .rowDeleted)
    meeting.context.delete(meeting.mine)
    try meeting.context.save()
    #expect(try !meeting.store.context().all(Board.self).contains { $0.number == 0 })
  }

  @Test(arguments: ListLink.allCases.filter { !$0.isOfCards })
  func orderIsMerged(_ link: ListLink) throws {
    // Moved here, added elsewhere.
    var meeting = try Encounter(link)
    meeting.edit { $0.reverse() }
    try meeting.they { $0.append(meeting.new(4)) }
    try meeting.context.save()
    #expect(try meeting.stored == [3, 2, 1, 4])
    // Added here, moved elsewhere.
    meeting = try Encounter(link)
    meeting.edit {
      $0.insert(meeting.new(5), at: 1)
      $0.append(meeting.new(6))
    }
    try meeting.they { $0.reverse() }
    try meeting.context.save()
    #expect(try meeting.stored == [3, 2, 1, 5, 6])
    // Added here and elsewhere.
    meeting = try Encounter(link)
    try meeting.they { $0.insert(meeting.new(4), at: 1) }
    meeting.edit { $0.insert(meeting.new(5), at: 2) }
    try meeting.context.save()
    #expect(try meeting.stored == [1, 4, 2, 5, 3])
    // Moved here and taken out elsewhere, with others moved elsewhere.
    meeting = try Encounter(link)
    meeting.edit { $0 = [$0[1], $0[2], $0[0]] }
    try meeting.they { $0 = [$0[2], $0[1]] }
    try meeting.context.save()
    #expect(try meeting.stored == [3, 2])
  }

  /// Which of both is known first makes no difference.
  @Test(arguments: [ListLink.cards, .parts], [false, true])
  func aMemberThatOthersMovedStaysWhereItIs(_ link: ListLink, _ isPending: Bool) throws {
    let meeting = try Encounter(link)
    func move() throws {
      let elsewhere = try #require(try meeting.other.all(Board.self).first { $0.number == 100 })
      elsewhere.set(link, elsewhere.list(link) + [meeting.theirs.list(link)[1]])
      try meeting.other.save()
    }
    if !isPending { try move() }
    meeting.edit { $0.remove(at: 1) }
    if isPending { try move() }
    try meeting.context.save()
    #expect(try meeting.stored == [1, 3])
    let elsewhere = try #require(try meeting.store.context().all(Board.self).first { $0.number == 100 })
    #expect(elsewhere.list(link).map(\.number) == [7, 2])
  }

  /// A member that left a list here and came back stands where it was put, whatever others save of the list meanwhile.
  @Test(arguments: ListLink.allCases.filter { !$0.isOfCards }, [false, true])
  func aMemberThatCameBackStandsWhereItWasPut(_ link: ListLink, _ isAdded: Bool) throws {
    for place in 0...2 {
      let meeting = try Encounter(link)
      let member = meeting.mine.list(link)[0]
      meeting.edit { $0.removeFirst() }
      meeting.edit { $0.insert(member, at: place) }
      if isAdded {
        try meeting.they { $0.append(meeting.new(4)) }
      } else {
        meeting.theirs.list(link)[1].number = 20
        try meeting.other.save()
      }
      try meeting.context.save()
      var expected = [isAdded ? 2 : 20, 3]
      expected.insert(1, at: place)
      if isAdded { expected.append(4) }
      #expect(try meeting.stored == expected)
      #expect(meeting.numbers(meeting.mine) == expected)
    }
  }

  /// How the program puts a member elsewhere.
  enum Putting: CaseIterable { case intoAList, atItsOwnEnd }

  /// It is in one list alone, as the program knows who has put it there: that others bring it back is theirs.
  @Test(arguments: [ListLink.cards, .parts], Putting.allCases)
  func memberPutIntoAnotherListIsShownInThatAlone(_ link: ListLink, _ putting: Putting) throws {
    for isEdited in [false, true] {
      let meeting = try Encounter(link)
      if isEdited { meeting.edit { $0.reverse() } }
      let two = meeting.theirs.list(link)[1]
      let elsewhere = try #require(try meeting.other.all(Board.self).first { $0.number == 100 })
      elsewhere.set(link, elsewhere.list(link) + [two])
      try meeting.other.save()
      // Known here, and not looked at.
      _ = try meeting.context.fetchCount(FetchDescriptor<Card>())
      let mine: any Listed = try #require(meeting.others.first { $0.number == 2 })
      let target = Board(number: 200)
      meeting.context.insert(target)
      switch putting {
      case .intoAList: target.set(link, [mine])
      case .atItsOwnEnd: mine.lead(link, to: target)
      }
      try meeting.context.save()
      try meeting.they { $0.append(two) }
      meeting.mine.set(
        link, [1, 3].compactMap { number in meeting.others.first { $0.number == number } } + [meeting.new(4)])
      try meeting.context.save()
      #expect(try Set(meeting.stored) == [1, 2, 3, 4], "\(isEdited)")
      let empty = try #require(try meeting.store.context().all(Board.self).first { $0.number == 200 })
      #expect(meeting.numbers(empty).isEmpty, "\(isEdited)")
    }
  }

  /// Both take it out, each at its own end; what is put in again is new then.
  @Test func memberThatBothHaveTakenOutMayBePutInAgain() throws {
    let meeting = try Encounter(.pinned)
    let mine = try #require(meeting.others.first { $0.number == 2 } as? Card)
    #expect(mine.pins.map(\.number) == [0])
    try meeting.they { $0.remove(at: 1) }
    // Not looked at again: the program itself takes the board out of the card's list.
    mine.pins = []
    try meeting.context.save()
    meeting.mine.pinned = [1, 2, 3].compactMap { number in meeting.others.first { $0.number == number } as? Card }
    try meeting.context.save()
    #expect(try Set(meeting.stored) == [1, 2, 3])
  }

  /// The change goes with the owner, and what it takes back of the members is taken back.
  @Test(arguments: [ListLink.cards, .parts], MergePolicy.allCases.filter { $0 != .error })
  func memberTakenOutOfAListThatWentIsLedNowhere(_ link: ListLink, _ policy: MergePolicy) throws {
    let meeting = try Encounter(link, .newer, policy)
    let free: any Listed = try #require(meeting.others.first { $0.number == 9 })
    free.lead(link, to: meeting.mine)
    #expect(meeting.numbers(meeting.mine) == [1, 2, 3, 9])
    meeting.other.delete(meeting.theirs)
    try meeting.other.save()
    meeting.mine.set(link, meeting.mine.list(link).filter { $0.number != 9 })
    try meeting.context.save()
    #expect(free.owner(link) == nil)
  }

  /// It is deleted here, too, and that is what becomes of its members, whoever was first.
  @Test(arguments: [ListLink.cards, .parts], MergePolicy.allCases)
  func memberLedToWhatBothHaveDeletedIsLedNowhere(_ link: ListLink, _ policy: MergePolicy) throws {
    let meeting = try Encounter(link, .newer, policy)
    let free: any Listed = try #require(meeting.others.first { $0.number == 9 })
    free.lead(link, to: meeting.mine)
    meeting.other.delete(meeting.theirs)
    try meeting.other.save()
    meeting.context.delete(meeting.mine)
    try meeting.context.save()
    #expect(free.owner(link) == nil && free.modelContext === meeting.context)
  }

  /// What others have saved reaches a list that was put out of memory meanwhile, too.
  @Test func aListThatWasLetGoIsADifferenceToWhatWasShown() throws {
    let meeting = try Encounter(.pinned)
    let shown = meeting.mine.pinned
    // By the other end of another list, which is not loaded, a list is let go.
    try meeting.they { $0.append(meeting.new(4)) }
    _ = try meeting.context.fetchCount(FetchDescriptor<Card>())
    let free = try #require(meeting.others.first { $0.number == 9 } as? Card)
    free.pins.append(meeting.mine)
    meeting.mine.pinned = Array(shown.dropFirst()) + [free]
    #expect(Set(meeting.mine.pinned.map(\.number)) == [2, 3, 4, 9])
    try meeting.context.save()
    #expect(try Set(meeting.stored) == [2, 3, 4, 9])
  }

  /// Three actors that each fetch, append and save, in whatever turns they come.
  @Test(arguments: StoreLocation.allCases) func actorsLoseNoMember(_ place: StoreLocation) async throws {
    let store = try TestStore(place, Board.self, Card.self)
    _ = try store.saved([Board(number: 0)])
    let hands = (0..<3).map { _ in ListAdder(modelContainer: store.container) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<60 { group.addTask { try await hands[number % 3].add(number) } }
      try await group.waitForAll()
    }
    let board = try #require(try store.context().all(Board.self).first)
    #expect(Set(board.cards.map(\.number)) == Set(0..<60) && Set(board.noted.map(\.number)) == Set(0..<60))
  }

  /// What others commit while a context merges a list in which it has deleted a member is in all of the list, or in none of it.
  @Test(arguments: StoreLocation.allCases) func actorsCommitInTheMidstOfAMerge(_ place: StoreLocation) async throws {
    let store = try TestStore(place, Board.self, Card.self)
    let cards = (0..<6).map { Card(number: $0) }
    let board = Board(number: 0)
    _ = try store.saved(cards + [board])
    let (writer, reader) = (ListAdder(modelContainer: store.container), ListAdder(modelContainer: store.container))
    for round in 0..<8 {
      try await writer.set([0, 1, 2, 3, 4, 6 + round])
      try await reader.delete(6 + round)
      async let written: Void = {
        for turn in 0..<30 { try await writer.set(turn % 2 == 0 ? [3, 4, 6 + round] : [1, 2, 6 + round, 0]) }
      }()
      for _ in 0..<60 { try await reader.look() }
      try await written
      try await reader.save()
      let shown = await reader.numbers()
      #expect(shown == [1, 2, 0], "round \(round)")
      let stored = try store.context().all(Board.self).first?.noted.map(\.number)
      #expect(stored == [1, 2, 0], "round \(round)")
    }
  }
}

@ModelActor
actor ListAdder {
  private var board: Board?

  /// Sets the list to cards with some numbers, which are made where there are none, and saves.
  func set(_ numbers: [Int]) throws {
    let cards = try modelContext.fetch(FetchDescriptor<Card>())
    let board = try modelContext.fetch(FetchDescriptor<Board>())[0]
    board.noted = numbers.map { number in cards.first { $0.number == number } ?? Card(number: number) }
    try modelContext.save()
  }

  /// Deletes a card of the list, and does not save.
  func delete(_ number: Int) throws {
    board = try modelContext.fetch(FetchDescriptor<Board>())[0]
    if let card = board?.noted.first(where: { $0.number == number }) { modelContext.delete(card) }
    try look()
  }

  func look() throws { _ = try modelContext.fetchCount(FetchDescriptor<Card>()) }
  func save() throws { try modelContext.save() }
  func numbers() -> [Int] { board?.noted.map(\.number) ?? [] }

  func add(_ number: Int) throws {
    guard let board = try modelContext.fetch(FetchDescriptor<Board>()).first else { return }
    let card = Card(number: number)
    board.cards.append(card)
    board.noted.append(card)
    try modelContext.save()
  }
}
