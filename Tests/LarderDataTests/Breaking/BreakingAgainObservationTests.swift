import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Synchronization
import Testing

/// Observing properties of all kinds, and observers that change what they observe.
@Suite struct BreakingAgainObservationTests: BreakingAgain {
  private typealias Pane = Again.Pane
  private typealias Glass = Again.Glass
  private typealias Mirror = Again.Mirror
  private typealias Frame = Again.Frame
  private typealias Maker = Again.Maker
  private typealias Stain = Again.Stain

  // MARK: Observing

  @Test func everyPropertyOfEveryClassIsObservedForItself() throws {
    let store = try store()
    let context = store.context()
    let frame = Frame("f")
    let mirror = Mirror("m", tint: "t")
    frame.panes = [mirror, Pane("p")]
    context.insert(frame)
    let maker = Maker("x")
    context.insert(maker)
    try context.save()
    let stain = Stain("s")
    let pane: Pane = mirror
    let changes: [(name: String, change: () -> Void)] = [
      ("title", { pane.title += "!" }), ("size", { mirror.size += 1 }), ("frame", { mirror.frame = nil }),
      ("makers", { mirror.makers.append(maker) }), ("tint", { mirror.tint = nil }), ("spare", { mirror.spare = pane }),
      ("stains", { mirror.stains?.append(stain) }), ("isConvex", { mirror.isConvex.toggle() }),
      ("back", { mirror.back = maker }),
    ]
    let reads: [String: () -> Void] = [
      "title": { _ = mirror.title }, "size": { _ = pane.size }, "frame": { _ = pane.frame },
      "makers": { _ = pane.makers }, "tint": { _ = mirror.tint }, "spare": { _ = mirror.spare },
      "stains": { _ = mirror.stains }, "isConvex": { _ = mirror.isConvex }, "back": { _ = mirror.back },
    ]
    for (name, change) in changes {
      var told: Set<String> = []
      func observe(_ rest: ArraySlice<(key: String, value: () -> Void)>) {
        guard let first = rest.first else { return change() }
        if isTold(first.value(), { observe(rest.dropFirst()) }) { told.insert(first.key) }
      }
      observe(Array(reads)[...])
      #expect(told == [name])
    }
  }

  @Test func whatIsComputedFromPropertiesIsObserved() throws {
    let store = try store()
    let context = store.context()
    let frame = Frame("f")
    let glass = Glass("g", tint: "t")
    context.insert(frame)
    context.insert(glass)
    try context.save()
    #expect(isTold(frame.titles) { frame.panes.append(glass) })
    #expect(isTold(frame.titles) { glass.title = "h" })
    #expect(isTold(glass.summary) { glass.size = 2 })
    #expect(isTold(glass.description) { glass.stains?.append(Stain("s")) })
    #expect(isTold(glass.description) { glass.stains?[0].glass = nil })
    #expect(isTold((glass as any Summarized).summary) { glass.title = "i" })
    #expect(!isTold(glass.summary) { glass.tint = "u" })
    // By the other end, and by a deletion.
    #expect(isTold(frame.titles) { glass.frame = nil })
    let pane = Pane("p")
    #expect(
      isTold(frame.titles) {
        pane.frame = frame
        context.insert(pane)
      })
    #expect(isTold(pane.frame?.name) { frame.name = "g" })
    try context.save()
    #expect(
      isTold(frame.titles) {
        context.delete(pane)
        _ = frame.panes
      })
    #expect(isTold(frame.titles) { context.rollback() })
    #expect(frame.titles == "p")
  }

  @Test func movedMembersAreNoticedByAllThree() throws {
    let store = try store()
    let seed = store.context()
    for name in ["1", "2"] {
      let family = Family(name: name)
      family.members = (0..<3).map { Member(name: "\($0)") }
      seed.insert(family)
    }
    try seed.save()
    let context = store.context()
    let read = try families(context)
    // Loading is no change.
    #expect(!isTold(read[0].members) { _ = read[1].members })
    let member = read[0].members[0]
    var told: [Bool] = []
    let first = isTold(read[0].members) {
      let second = isTold(read[1].members) { told.append(isTold(member.family) { read[1].members.append(member) }) }
      told.append(second)
    }
    #expect(told == [true, true] && first)
    #expect(read.map { $0.members.count } == [2, 4])
    try context.save()
    // What another context saves is noticed once it is read.
    let other = store.context()
    try families(other)[0].members.append(Member(name: "x"))
    try other.save()
    _ = try all(context, Member.self)
    #expect(read[0].members.count == 3)
  }

  @Test func placesPastTheMaskAreObserved() throws {
    let store = try store()
    let context = store.context()
    let wide = Wide("w")
    context.insert(wide)
    try context.save()
    #expect(isTold(wide.a63) { wide.a63 = 1 })
    #expect(!isTold(wide.a63) { wide.a62 = 1 })
    #expect(isTold(wide.late) { wide.late = 1 })
    #expect(!isTold(wide.late) { wide.parts.append(Wide("p")) })
    #expect(isTold(wide.parts) { wide.parts.append(Wide("q")) })
    #expect(isTold(wide.parts) { wide.parts[0].owner = nil })
    #expect(isTold(wide.name) { wide.name = "v" })
    #expect(!isTold(wide.name) { wide.owner = wide })
    try context.save()
    let reader = store.context()
    defer { withExtendedLifetime(reader) {} }
    let read = try #require(try all(reader, Wide.self).first { $0.name == "v" })
    #expect(read.parts.map(\.name) == ["q", "v"])
    #expect(read.owner === read)
  }

  // MARK: Observers that change what they observe

  @Test func observerOfALinkedListThatSavesLosesNoMember() throws {
    let store = try store()
    let context = store.context()
    let course = Course(title: "c")
    course.students = [Student(name: "a")]
    context.insert(course)
    try context.save()
    whenChanged(course.students) { try? context.save() }
    course.students.append(Student(name: "b"))
    try context.save()
    let reader = store.context()
    defer { withExtendedLifetime(reader) {} }
    let read = try all(reader, Course.self)[0]
    #expect(read.students.map(\.name) == ["a", "b"])
    #expect(read.students.allSatisfy { $0.courses == [read] })
  }

  @Test func observerDeletesTheOwner() throws {
    let store = try store()
    let context = store.context()
    let family = Family(name: "f")
    family.members = [Member(name: "a")]
    context.insert(family)
    try context.save()
    whenChanged(family.members) { context.delete(family) }
    family.members.append(Member(name: "b"))
    try context.save()
    try check(store)
    #expect(try all(store.context(), Family.self).isEmpty)
    #expect(try all(store.context(), Member.self).allSatisfy { $0.family == nil })
  }

  @Test func observerChangesTheSameText() throws {
    let member = Member(name: "a" + String(repeating: "x", count: 40))
    let store = try store()
    let context = store.context()
    context.insert(member)
    try context.save()
    // The runtime asks an observer again until it has returned.
    var isInside = false
    whenChanged(member.name) {
      guard !isInside else { return }
      isInside = true
      member.name = "inner" + String(repeating: "y", count: 40)
    }
    member.name = "outer" + String(repeating: "z", count: 40)
    try context.save()
    #expect(member.name.hasPrefix("outer"))
    #expect(try all(store.context(), Member.self)[0].name == member.name)
  }

  @Test func privatePropertiesAreObserved() throws {
    let store = try store()
    let context = store.context()
    let maker = Maker("m")
    #expect(isTold(maker.isUsed) { maker.use() })
    context.insert(maker)
    try context.save()
    let other = store.context()
    let read = try all(other, Maker.self)[0]
    #expect(isTold(read.isUsed) { read.use() })
    #expect(!isTold(read.isUsed) { read.name = "n" })
    // An edit of an object whose context has gone would wait for a save for ever.
    #expect(read.modelContext == other)
  }

  @Test func propertiesBesideTheRowAreObserved() throws {
    let store = try TestStore(
      .disk, Exhibit.self, Statue.self, Bronze.self, Hall.self, Plaque.self, Tour.self, Pedestal.self, Sculptor.self)
    let seed = store.context()
    seed.insert(Bronze(1, scan: Data([1])))
    seed.insert(Tour("t"))
    try seed.save()
    let context = store.context()
    let bronze = try all(context, Bronze.self)[0]
    let tour = try all(context, Tour.self)[0]
    #expect(isTold(bronze.scan) { bronze.scan = Data([2]) })
    #expect(isTold(bronze.picture) { bronze.picture = Data([3]) })
    #expect(isTold(bronze.isShown) { bronze.isShown = true })
    #expect(isTold(bronze.paint) { bronze.paint = Paint("blue") })
    #expect(isTold(bronze.base) { bronze.base = Paint("red") })
    #expect(isTold(bronze.marks) { bronze.marks = [] } == false)
    #expect(isTold(bronze.angle) { bronze.angle = 3 })
    #expect(isTold(bronze.isWarm) { bronze.isWarm = false })
    #expect(isTold(bronze.picturesOfCasting) { bronze.picturesOfCasting = ["x"] })
    #expect(isTold(bronze.alloy) { bronze.alloy = "lead" })
    #expect(isTold(bronze.tours) { tour.stops.append(bronze) })
    #expect(!isTold(bronze.scan) { bronze.picture = nil })
    try context.save()
    let fresh = try all(store.context(), Bronze.self)[0]
    #expect(fresh.scan == Data([2]) && fresh.picture == nil && fresh.alloy == "lead" && fresh.tours.count == 1)
  }
}
