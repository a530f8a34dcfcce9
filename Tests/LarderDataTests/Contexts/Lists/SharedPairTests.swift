import LarderData
import SwiftData
import Testing

/// Pairs of many to many that two contexts change alike, each at either end: they are in both lists, or in neither.
@Suite struct SharedPairTests {
  /// What becomes of a pair: here nothing is saved meanwhile.
  enum Change: String, CaseIterable {
    case bothAdd, bothPart, bothAddAndTheyPart, bothPartAndTheyAdd

    var isAdded: Bool { self == .bothAdd || self == .bothAddAndTheyPart }
    var isTakenBack: Bool { self == .bothAddAndTheyPart || self == .bothPartAndTheyAdd }
  }

  struct Case: CustomTestStringConvertible {
    let link: ListLink
    let change: Change
    let policy: MergePolicy
    var testDescription: String { "\(link), \(change), \(policy.rawValue)" }

    static let all = [ListLink.pinned, .likes].flatMap { link in
      Change.allCases.flatMap { change in
        MergePolicy.allCases.map { Case(link: link, change: change, policy: $0) }
      }
    }
  }

  /// When this context reads an end of the pair: before anything is changed, after the others' first save, after all.
  struct Reading: CaseIterable {
    let isBefore: Bool
    let isBetween: Bool
    let isAtTheEnd: Bool

    static let allCases = [false, true].flatMap { before in
      [false, true].flatMap { between in
        [false, true].map { Reading(isBefore: before, isBetween: between, isAtTheEnd: $0) }
      }
    }
  }

  /// A context's two ends of the pair.
  private struct Ends {
    let context: ModelContext
    let board: Board
    let other: any Listed
    let link: ListLink

    init(_ context: ModelContext, _ link: ListLink) throws {
      self.context = context
      self.link = link
      let boards = try context.all(Board.self)
      board = try #require(boards.first { $0.number == 0 })
      other =
        if link.leadsToCards {
          try #require(try context.all(Card.self).first { $0.number == 1 })
        } else {
          try #require(boards.first { $0.number == 1 })
        }
    }

    /// Whether the pair is in the board's list, and in the other's.
    var shown: [Bool] { [board.list(link).contains { $0 === other }, read()] }

    /// Reads the other's list alone.
    @discardableResult
    func read() -> Bool { other.list(link.other ?? link).contains { $0 === board } }

    func change(_ isIn: Bool, atTheOther: Bool) {
      let (owner, member, link): (any Listed, any Listed, ListLink) =
        atTheOther ? (other, board, link.other ?? link) : (board, other, link)
      let rest = owner.list(link).filter { $0 !== member }
      owner.set(link, isIn ? rest + [member] : rest)
    }
  }

  @Test(arguments: Case.all)
  func pairThatBothChangeIsInBothListsOrInNeither(_ test: Case) throws {
    for (turn, reading) in Reading.allCases.enumerated() {
      let others = [(false, false), (false, true), (true, false), (true, true)].thinned(toOneOf: 4, turn: turn)
      for (isKnown, isTheirEnd) in others {
        try check(test, reading, isKnown: isKnown, isTheirEnd: isTheirEnd)
      }
    }
  }

  /// - Parameters:
  ///   - isKnown: Whether this context takes the others' first save over before they save again.
  ///   - isTheirEnd: Whether they change the pair at its other end.
  private func check(_ test: Case, _ reading: Reading, isKnown: Bool, isTheirEnd: Bool) throws {
    let store = try TestStore(.memory, Board.self, Card.self)
    let isAdded = test.change.isAdded
    let board = Board(number: 0)
    let other: any Listed = test.link.leadsToCards ? Card(number: 1) : Board(number: 1)
    let writer = store.context()
    writer.insert(board)
    // Others are in both lists all the while.
    board.pinned = [Card(number: 2)]
    board.likes = [Board(number: 2)]
    board.set(test.link, board.list(test.link) + [other])
    if isAdded {
      try writer.save()
      board.set(test.link, board.list(test.link).filter { $0 !== other })
    }
    try writer.save()
    let context = store.context()
    context.mergePolicy = test.policy
    let (mine, theirs) = (try Ends(context, test.link), try Ends(writer, test.link))
    if reading.isBefore { mine.read() }
    mine.change(isAdded, atTheOther: false)
    theirs.change(isAdded, atTheOther: isTheirEnd)
    try writer.save()
    if reading.isBetween { mine.read() }
    if isKnown { _ = try context.fetchCount(FetchDescriptor<Board>()) }
    if test.change.isTakenBack {
      theirs.change(!isAdded, atTheOther: isTheirEnd)
      try writer.save()
    }
    // What is known as the others' own is no change of this context any more.
    let isIn = test.change.isTakenBack && isKnown ? !isAdded : isAdded
    let name: Comment = "\(reading), known: \(isKnown), at their other end: \(isTheirEnd)"
    if reading.isAtTheEnd {
      _ = try context.fetchCount(FetchDescriptor<Board>())
      #expect(mine.shown == [isIn, isIn], name)
    }
    try context.save()
    #expect(mine.shown == [isIn, isIn], name)
    #expect(try Ends(store.context(), test.link).shown == [isIn, isIn], name)
  }
}
