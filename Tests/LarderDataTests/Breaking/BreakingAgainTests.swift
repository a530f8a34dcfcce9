import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Synchronization
import Testing

/// Appending in mixtures that nobody would write down together, and saves of it.
@Suite struct BreakingAgainTests: BreakingAgain {
  private typealias Pane = Again.Pane
  private typealias Glass = Again.Glass
  private typealias Mirror = Again.Mirror
  private typealias Frame = Again.Frame
  private typealias Band = Again.Band
  private typealias Player = Again.Player
  private typealias Human = Tangle.Human

  // MARK: Appending

  @Test(arguments: StoreLocation.allCases)
  func appendedObjectBringsOthersIntoTheSameList(_ place: StoreLocation) throws {
    let store = try store(place)
    let context = store.context()
    let root = Human("root")
    context.insert(root)
    try context.save()
    let (x, y, z) = (Human("x"), Human("y"), Human("z"))
    x.spouse = y
    y.spouse = z
    x.friends = [y, z]
    root.friends.append(x)
    #expect(root.friends.map(\.name) == ["x"])
    #expect(x.friends.map(\.name) == ["y", "z", "root"])
    #expect(y.friends == [x] && z.friends == [x])
    try context.save()
    try check(store)
    let read = try store.context().fetch(FetchDescriptor<Human>(sortBy: [SortDescriptor(\.name)]))
    #expect(read.map { $0.friends.map(\.name) } == [["x"], ["y", "z", "root"], ["x"], ["x"]])
  }

  /// Both ends agree, whoever was put into the list by the way.
  @Test func appendedObjectLeadsToOneThatNamesTheOwner() throws {
    let store = try store()
    let context = store.context()
    let root = Human("root")
    context.insert(root)
    try context.save()
    let (x, y) = (Human("x"), Human("y"))
    x.spouse = y
    y.friends = [root]
    root.friends.append(x)
    #expect(root.friends.contains { $0 === x })
    #expect(x.friends == [root])
    #expect(root.friends.contains { $0 === y } == y.friends.contains { $0 === root })
    try context.save()
    let read = try store.context().fetch(FetchDescriptor<Human>(sortBy: [SortDescriptor(\.name)]))
    #expect(read[0].friends.map(\.name) == root.friends.map(\.name))
    #expect(read[2].friends.map(\.name) == y.friends.map(\.name))
  }

  /// The same through a key: what comes along has its owner already.
  @Test func appendedChildBringsItsSiblings() throws {
    let store = try store()
    let context = store.context()
    let root = Node(name: "root")
    context.insert(root)
    try context.save()
    _ = root.children
    let (x, y) = (Node(name: "x"), Node(name: "y"))
    x.children = [y]
    y.children = [Node(name: "z")]
    root.children?.append(x)
    root.children?.append(y)
    #expect(x.children == [])
    #expect(root.children == [x, y])
    #expect(y.parent === root && y.children?.first?.parent === y)
    root.children?.append(try #require(y.children?.first))
    try context.save()
    let read = try #require(try all(store.context(), Node.self).first { $0.name == "root" })
    #expect(read.children?.map(\.name) == ["x", "y", "z"])
  }

  @Test(arguments: StoreLocation.allCases)
  func ownerIsAppendedToItself(_ place: StoreLocation) throws {
    let store = try store(place)
    let context = store.context()
    let (root, child) = (Node(name: "root"), Node(name: "child"))
    root.children = [child]
    context.insert(root)
    try context.save()
    root.children?.append(root)
    #expect(root.parent === root)
    #expect(root.children == [child, root])
    child.children?.append(root)
    #expect(root.children == [child] && root.parent === child)
    context.rollback()
    #expect(root.children == [child] && root.parent == nil && child.children == [])
    root.children?.append(root)
    try context.save()
    try check(store)
    let other = store.context()
    let read = try #require(try all(other, Node.self).first { $0.name == "root" })
    #expect(read.children?.map(\.name) == ["child", "root"])
    other.delete(read)
    try other.save()
    try check(store)
    #expect(try all(store.context(), Node.self).map(\.name) == ["child"])
    // One that is in no context yet, too.
    let loop = Node(name: "loop")
    loop.children?.append(loop)
    context.insert(loop)
    loop.children?.append(loop)
    #expect(loop.children == [loop] && loop.parent === loop)
    try context.save()
    #expect(try all(store.context(), Node.self).first { $0.name == "loop" }?.children?.count == 1)
  }

  @Test func memberThatIsAppendedAgainStaysWhereItIs() throws {
    let store = try store()
    let context = store.context()
    let family = Family(name: "f")
    family.members = ["a", "b", "c"].map { Member(name: $0) }
    context.insert(family)
    try context.save()
    family.members.append(family.members[0])
    #expect(family.members.map(\.name) == ["a", "b", "c"])
    let late = Member(name: "d")
    late.family = family
    context.insert(late)
    family.members.append(late)
    family.members += [late, family.members[1], late]
    #expect(family.members.map(\.name) == ["a", "b", "c", "d"])
    family.members.append(family.members.removeFirst())
    #expect(family.members.map(\.name) == ["b", "c", "d", "a"])
    try context.save()
    #expect(try stored(store) == ["b", "c", "d", "a"])
  }

  @Test func whatCannotBeAppendedLeavesTheListAsItWas() throws {
    let store = try store()
    let (context, other) = (store.context(), store.context())
    let family = Family(name: "f")
    family.members = [Member(name: "a")]
    let gone = Member(name: "gone")
    context.insert(family)
    context.insert(gone)
    let foreign = Member(name: "foreign")
    other.insert(foreign)
    try context.save()
    try other.save()
    context.delete(gone)
    family.members.append(gone)
    #expect(family.members.map(\.name) == ["a"])
    #expect(throws: (any Error).self) { try context.save() }
    context.pendingError = nil
    family.members.append(foreign)
    #expect(family.members.map(\.name) == ["a"] && foreign.family == nil)
    #expect(throws: (any Error).self) { try context.save() }
    context.pendingError = nil
    family.members.append(Member(name: "b"))
    try context.save()
    family.members.append(gone)
    #expect(family.members.map(\.name) == ["a", "b"])
    #expect(throws: (any Error).self) { try context.save() }
    context.pendingError = nil
    #expect(try stored(store) == ["a", "b"])
    let frame = Frame("frame")
    context.insert(frame)
    frame.panes.append(Again.Painted("no model"))
    #expect(frame.panes.isEmpty)
    #expect(throws: (any Error).self) { try context.save() }
    context.pendingError = nil
    frame.panes.append(Pane("pane"))
    try context.save()
    #expect(try all(store.context(), Frame.self)[0].titles == "pane")
    // To what is itself deleted, nothing is appended.
    let last = Member(name: "last")
    context.delete(family)
    family.members.append(last)
    #expect(last.family == nil)
    try context.save()
    #expect(try all(store.context(), Member.self).map(\.name) == ["foreign"])
  }

  @Test func listsGrowWhileTheyAreIterated() throws {
    let store = try store()
    let context = store.context()
    let family = Family(name: "f")
    family.members = (0..<20).map { Member(name: "\($0)", age: $0) }
    context.insert(family)
    try context.save()
    for member in family.members {
      family.members.append(Member(name: "copy \(member.age)"))
      if member.age % 4 == 0 { family.members.removeAll { $0 === member } }
      if member.age % 5 == 0 { context.delete(member) }
      if member.age == 10 { try context.save() }
    }
    let wanted =
      (0..<20).filter { $0 % 4 != 0 && $0 % 5 != 0 }.map { "\($0)" } + (0..<20).map { "copy \($0)" }
    #expect(family.members.map(\.name) == wanted)
    try context.save()
    #expect(try stored(store) == wanted)
  }

  @Test(arguments: StoreLocation.allCases)
  func rollbackAfterAppends(_ place: StoreLocation) throws {
    let store = try store(place)
    let context = store.context()
    let (one, two) = (Family(name: "1"), Family(name: "2"))
    one.members = ["a", "b", "c"].map { Member(name: $0) }
    two.members = ["d", "e"].map { Member(name: $0) }
    context.insert(one)
    context.insert(two)
    try context.save()
    let other = store.context()
    let read = try families(other)
    let b = read[0].members[1]
    let told = isTold(read[0].members.count) {
      read[0].members.append(Member(name: "new"))
      other.delete(read[0].members[0])
      read[1].members.append(b)
      read[1].members.append(Member(name: "newer"))
      read[0].members.append(read[1].members[0])
      #expect(read.map { $0.members.map(\.name) } == [["c", "new", "d"], ["e", "b", "newer"]])
    }
    #expect(told)
    #expect(isTold(read[0].members.count) { other.rollback() })
    #expect(read.map { $0.members.map(\.name) } == [["a", "b", "c"], ["d", "e"]])
    #expect(b.family === read[0])
    #expect(!other.hasChanges)
    read[0].members.append(Member(name: "x"))
    read[0].members.append(read[1].members[1])
    try other.save()
    #expect(try stored(store) == ["a", "b", "c", "x", "e"])
    #expect(try stored(store, 1) == ["d"])
  }

  @Test func twoListsOfTheSameMembersHaveOrdersOfTheirOwn() throws {
    let store = try store(.disk)
    let context = store.context()
    let airport = Airport("A")
    context.insert(airport)
    let flights = (0..<6).map { Flight("\($0)") }
    for flight in flights { airport.departures.append(flight) }
    for flight in flights.reversed() { airport.arrivals.append(flight) }
    try context.save()
    airport.departures.append(airport.departures.remove(at: 2))
    let late = Flight("late")
    airport.arrivals.append(late)
    airport.departures.insert(late, at: 0)
    try context.save()
    let read = try all(store.context(), Airport.self)[0]
    #expect(read.departures.map(\.number) == ["late", "0", "1", "3", "4", "5", "2"])
    #expect(read.arrivals.map(\.number) == ["5", "4", "3", "2", "1", "0", "late"])
  }

  // MARK: Saves

  @Test(arguments: StoreLocation.allCases)
  func ordersAfterASaveThatFailed(_ place: StoreLocation) throws {
    let store = try store(place)
    let context = store.context()
    let family = Family(name: "f")
    family.members = ["a", "b"].map { Member(name: $0) }
    context.insert(family)
    try context.save()
    try store.execute(
      "CREATE TRIGGER stop BEFORE INSERT ON Member WHEN new.name = 'bad' BEGIN SELECT RAISE(ABORT, 'no'); END")
    let bad = Member(name: "bad")
    family.members.append(Member(name: "c"))
    family.members.append(bad)
    family.members.append(Member(name: "d"))
    let empty = Family(name: "g")
    context.insert(empty)
    empty.members.append(Member(name: "x"))
    for _ in 0..<2 {
      #expect(throws: (any Error).self) { try context.save() }
      #expect(family.members.map(\.name) == ["a", "b", "c", "bad", "d"])
    }
    family.members.append(family.members.remove(at: 2))
    family.members.insert(Member(name: "e"), at: 1)
    empty.members.insert(bad, at: 0)
    #expect(throws: (any Error).self) { try context.save() }
    empty.members.append(Member(name: "y"))
    bad.name = "good"
    try context.save()
    try check(store)
    #expect(try stored(store) == ["a", "e", "b", "d", "c"])
    #expect(try stored(store, 1) == ["good", "x", "y"])
    #expect(family.members.map(\.name) == ["a", "e", "b", "d", "c"])
  }

  @Test func ordersAfterAFailureAndADeletionOfWhatFailed() throws {
    let store = try store()
    let context = store.context()
    try store.execute(
      "CREATE TRIGGER stop BEFORE INSERT ON Pane WHEN new.title = 'bad' BEGIN SELECT RAISE(ABORT, 'no'); END")
    let frame = Frame("f")
    context.insert(frame)
    let panes: [Pane] = [
      Pane("0"), Glass("1", tint: ""), Mirror("2", tint: ""), Pane("bad"), Mirror("4", tint: ""), Glass("5", tint: ""),
    ]
    for pane in panes { frame.panes.append(pane) }
    #expect(throws: (any Error).self) { try context.save() }
    context.delete(panes[3])
    context.delete(panes[0])
    frame.panes.append(Pane("6"))
    frame.panes.append(frame.panes.removeFirst())
    try context.save()
    let read = try all(store.context(), Frame.self)[0]
    #expect(read.panes.map(\.title) == ["2", "4", "5", "6", "1"])
  }

  @Test func appendsInObserversOfSaves() throws {
    let store = try store()
    let context = store.context()
    let family = Family(name: "f")
    family.members = [Member(name: "a")]
    context.insert(family)
    try context.save()
    // Safe: both notifications are posted by save(), on the thread of this test.
    nonisolated(unsafe) let shared = family
    let count = Saves()
    let center = NotificationCenter.default
    let will = center.addObserver(forName: ModelContext.willSave, object: context, queue: nil) { _ in
      shared.members.append(Member(name: "will \(shared.members.count)"))
    }
    let did = center.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { _ in
      if count.number.add(1, ordering: .relaxed).newValue == 1 { shared.members.append(Member(name: "did")) }
    }
    defer {
      center.removeObserver(will)
      center.removeObserver(did)
    }
    family.members.append(Member(name: "b"))
    try context.save()
    #expect(try stored(store) == ["a", "b", "will 2"])
    #expect(family.members.map(\.name) == ["a", "b", "will 2", "did"])
    family.members.append(Member(name: "c"))
    try context.save()
    #expect(try stored(store) == ["a", "b", "will 2", "did", "c", "will 5"])
  }

  @Test(arguments: StoreLocation.allCases)
  func appendedMembersUniteWithRows(_ place: StoreLocation) throws {
    let store = try store(place)
    let context = store.context()
    let (north, south) = (Region("n"), Region("s"))
    context.insert(north)
    context.insert(south)
    for code in ["a", "b", "c"] { north.accounts.append(Account(code)) }
    for code in ["d", "e"] { south.accounts.append(Account(code)) }
    try context.save()
    let other = store.context()
    let read = try other.fetch(FetchDescriptor<Region>(sortBy: [SortDescriptor(\.name)]))
    #expect(read[0].accounts.count == 3)
    // Of the list itself, of another one, and new.
    for code in ["x", "a", "e", "y"] { read[0].accounts.append(Account(code)) }
    #expect(read[0].accounts.map(\.code) == ["a", "b", "c", "x", "a", "e", "y"])
    try other.save()
    try check(store)
    let last = try store.context().fetch(FetchDescriptor<Region>(sortBy: [SortDescriptor(\.name)]))
    #expect(last[0].accounts.map(\.code) == read[0].accounts.map(\.code))
    #expect(last[1].accounts.map(\.code) == ["d"])
    #expect(read[1].accounts.map(\.code) == ["d"])
    // What was added comes after what was there, in its own order.
    #expect(last[0].accounts.map(\.code).filter { $0 != "a" } == ["b", "c", "x", "e", "y"])
    #expect(Set(last[0].accounts.map(\.code)) == ["a", "b", "c", "x", "e", "y"])
    #expect(last[0].accounts.count == 6)
    read[0].accounts.append(Account("z"))
    try other.save()
    #expect(
      try store.context().fetch(FetchDescriptor<Region>(sortBy: [SortDescriptor(\.name)]))[0].accounts.last?.code == "z"
    )
  }

  @Test func countsAreHeldToByAppends() throws {
    let store = try store()
    let context = store.context()
    let band = Band("b")
    context.insert(band)
    #expect(throws: (any Error).self) { try context.save() }
    for name in ["a", "b", "c", "d"] { band.players.append(Player(name)) }
    #expect(throws: (any Error).self) { try context.save() }
    let former = band.players.removeFirst()
    try context.save()
    former.band = band
    #expect(throws: (any Error).self) { try context.save() }
    former.band = nil
    try context.save()
    let other = store.context()
    let read = try all(other, Band.self)[0]
    #expect(read.players.map(\.name) == ["b", "c", "d"])
    for player in read.players { other.delete(player) }
    #expect(throws: (any Error).self) { try other.save() }
    read.players.append(Player("e"))
    try other.save()
    #expect(try all(store.context(), Band.self)[0].players.map(\.name) == ["e"])
  }
}

private final class Saves: Sendable { let number = Atomic<Int>(0) }
