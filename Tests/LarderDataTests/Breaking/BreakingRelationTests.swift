import Foundation
import LarderData
import LarderSQLite
import Observation
import SwiftData
import Synchronization
import Testing

/// What real programs and nasty ones do with relationships.
@Suite struct BreakingRelationTests {
  private typealias Hub = Tangle.Hub
  private typealias Spoke = Tangle.Spoke
  private typealias Bead = Tangle.Bead
  private typealias Mark = Tangle.Mark
  private typealias Human = Tangle.Human
  private typealias Link = Tangle.Link

  private func store(_ place: Place = .memory) throws -> TestStore {
    try TestStore(
      place, Hub.self, Spoke.self, Bead.self, Mark.self, Link.self, Human.self, Tangle.Odd.self, Tangle.Odd2.self)
  }

  private func all<T: PersistentModel>(_ context: ModelContext, _ type: T.Type = T.self) throws -> [T] {
    try context.fetch(FetchDescriptor<T>())
  }

  private func check(_ store: TestStore, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try store.rows("PRAGMA foreign_key_check").isEmpty, sourceLocation: sourceLocation)
  }

  // MARK: Names

  @Test(arguments: Place.allCases) func oddNames(place: Place) throws {
    let store = try store(place)
    let context = store.context()
    let (one, two) = (Tangle.Odd("one"), Tangle.Odd("two"))
    let (a, b) = (Tangle.Odd2("a"), Tangle.Odd2("b"))
    context.insert(one)
    one.target = [two]
    one.order = [a, b]
    two.order = [b]
    one.default = a
    two.default = a
    one.größe = b
    one.家族 = [b, a]
    try context.save()
    try check(store)
    let other = store.context()
    let odds = try other.fetch(FetchDescriptor<Tangle.Odd>(sortBy: [SortDescriptor(\.larder)]))
    #expect(odds[0].target.map(\.larder) == ["two"])
    #expect(odds[1].source?.larder == "one")
    #expect(odds[0].order.map(\.select) == ["a", "b"])
    #expect(odds[0].default?.in.map(\.larder) == ["one", "two"])
    #expect(odds[0].größe?.where === odds[0])
    #expect(odds[0].家族.map(\.select) == ["b", "a"])
    #expect(odds[0].家族[0].group === odds[0])
    func count(_ predicate: Predicate<Tangle.Odd>) throws -> Int {
      try other.fetchCount(FetchDescriptor(predicate: predicate))
    }
    #expect(try count(#Predicate { $0.source?.larder == "one" }) == 1)
    #expect(try count(#Predicate { $0.target.contains { $0.larder == "two" } }) == 1)
    #expect(try count(#Predicate { $0.order.contains { $0.select == "b" } }) == 2)
    #expect(try count(#Predicate { $0.order.count == 2 }) == 1)
    #expect(try count(#Predicate { $0.default?.select == "a" }) == 2)
    #expect(try count(#Predicate { $0.größe?.select == "b" }) == 1)
    #expect(try count(#Predicate { $0.家族.contains { $0.select == "b" } }) == 1)
    #expect(try count(#Predicate { $0.source?.source == nil }) == 2)
    let sorted = try other.fetch(
      FetchDescriptor<Tangle.Odd>(sortBy: [SortDescriptor(\.größe?.select, order: .reverse), SortDescriptor(\.larder)]))
    #expect(sorted.map(\.larder) == ["one", "two"])
    let byWhere = try other.fetch(FetchDescriptor<Tangle.Odd2>(sortBy: [SortDescriptor(\.where?.larder)]))
    #expect(byWhere.map(\.select) == ["a", "b"])
    other.delete(odds[0])
    try other.save()
    try check(store)
    #expect(try all(store.context(), Tangle.Odd.self).map(\.larder) == ["two"])
  }

  // MARK: Symmetric

  @Test(arguments: Place.allCases) func friends(place: Place) throws {
    let store = try store(place)
    let context = store.context()
    let humans = (0..<5).map { Human("\($0)") }
    for one in humans { context.insert(one) }
    humans[0].friends = Array(humans[1...])
    #expect(humans[1].friends.map(\.name) == ["0"])
    humans[1].friends.append(humans[2])
    humans[3].friends.append(humans[3])
    humans[0].spouse = humans[1]
    try context.save()
    try check(store)
    let other = store.context()
    var found = try other.fetch(FetchDescriptor<Human>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map { $0.friends.map(\.name).sorted() } == humans.map { $0.friends.map(\.name).sorted() })
    found[0].friends.removeAll { $0.name == "1" }
    #expect(found[1].friends.map(\.name) == ["2"])
    found[3].friends = []
    try other.save()
    found = try store.context().fetch(FetchDescriptor<Human>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map { $0.friends.map(\.name) } == [["2", "4"], ["2"], ["0", "1"], [], ["0"]])
    let last = store.context()
    last.delete(try all(last, Human.self)[0])
    try last.save()
    try check(store)
    #expect(try all(store.context(), Human.self).map { $0.friends.map(\.name) } == [["2"], ["1"], [], []])
  }

  // MARK: One to one, on itself

  @Test(arguments: Place.allCases) func linkedList(place: Place) throws {
    let store = try store(place)
    let context = store.context()
    let links = (0..<10).map { Link($0) }
    for (one, other) in zip(links, links.dropFirst()) { one.next = other }
    context.insert(links[5])
    links[9].next = links[0]
    try context.save()
    func ring(_ first: Link) -> [Int] {
      var result: [Int] = []
      var link: Link? = first
      while let one = link, result.count < 100 {
        result.append(one.number)
        if let next = one.next { #expect(next.previous === one) }
        link = one.next
        if link === first { break }
      }
      return result
    }
    #expect(ring(links[0]) == Array(0..<10))
    let other = store.context()
    let found = try other.fetch(FetchDescriptor<Link>(sortBy: [SortDescriptor(\.number)]))
    #expect(ring(found[3]) == Array(3..<10) + [0, 1, 2])
    // Takes 5 out, and puts it behind 0.
    let five = found[5]
    five.previous?.next = five.next
    #expect(five.previous == nil && five.next == nil)
    five.next = found[0].next
    found[0].next = five
    #expect(five.previous === found[0])
    #expect(ring(found[0]) == [0, 5, 1, 2, 3, 4, 6, 7, 8, 9])
    try other.save()
    try check(store)
    let third = store.context()
    let again = try third.fetch(FetchDescriptor<Link>(sortBy: [SortDescriptor(\.number)]))
    #expect(ring(again[0]) == [0, 5, 1, 2, 3, 4, 6, 7, 8, 9])
    #expect(
      try third.fetchCount(FetchDescriptor<Link>(predicate: #Predicate { $0.next?.next?.next?.number == 2 })) == 1)
    #expect(
      try third.fetchCount(FetchDescriptor<Link>(predicate: #Predicate { $0.previous?.previous?.number == 0 })) == 1)
    third.delete(again[5])
    #expect(again[0].next == nil)
    #expect(again[1].previous == nil)
    try third.save()
    // To itself, and back.
    again[0].next = again[0]
    #expect(again[0].previous === again[0])
    try third.save()
    #expect(
      try store.context().fetchCount(
        FetchDescriptor<Link>(predicate: #Predicate { ($0.next?.number ?? -1) == $0.number })) == 1
    )
    again[0].next = nil
    #expect(again[0].previous == nil)
    try third.save()
    try check(store)
  }

  // MARK: Predicates

  private struct Case<Model: PersistentModel>: Sendable {
    let name: String
    let predicate: Predicate<Model>
    let test: @Sendable (Model) -> Bool
    init(_ name: String, _ predicate: Predicate<Model>, _ test: @escaping @Sendable (Model) -> Bool) {
      self.name = name
      self.predicate = predicate
      self.test = test
    }
  }

  private static let spokeCases: [Case<Spoke>] = {
    let names = ["h0", "h2"]
    return [
      Case("depth 1 nil", #Predicate { $0.hub == nil }) { $0.hub == nil },
      Case("in", #Predicate { $0.hub.flatMap { names.contains($0.name) } == true }) {
        names.contains($0.hub?.name ?? "")
      },
      Case("two ways", #Predicate { $0.hub?.name == $0.spare?.name }) { $0.hub?.name == $0.spare?.name },
      Case("same object", #Predicate { $0.hub == $0.spare }) { $0.hub === $0.spare },
      Case("not same object", #Predicate { $0.hub != $0.spare }) { $0.hub !== $0.spare },
      Case("to-many of to-one", #Predicate { $0.hub?.spokes.contains { $0.number > 4 } ?? false }) {
        $0.hub?.spokes.contains { $0.number > 4 } ?? false
      },
      Case("to-many of to-one, or true", #Predicate { $0.hub?.spokes.contains { $0.number > 4 } ?? true }) {
        $0.hub?.spokes.contains { $0.number > 4 } ?? true
      },
      Case("nested", #Predicate { $0.beads.contains { $0.marks.contains { $0.name == "m1" } } }) {
        $0.beads.contains { $0.marks.contains { $0.name == "m1" } }
      },
      Case("nested filter", #Predicate { $0.beads.filter { $0.marks.count > 1 }.count == 1 }) {
        $0.beads.filter { $0.marks.count > 1 }.count == 1
      },
      Case("all empty", #Predicate { $0.beads.allSatisfy { $0.weight > 1 } }) {
        $0.beads.allSatisfy { $0.weight > 1 }
      },
      Case("outer", #Predicate { spoke in spoke.beads.contains { $0.weight > 1 && spoke.number > 2 } }) { spoke in
        spoke.beads.contains { $0.weight > 1 && spoke.number > 2 }
      },
      Case("isEmpty", #Predicate { $0.beads.isEmpty }) { $0.beads.isEmpty },
      Case("not isEmpty and", #Predicate { !$0.beads.isEmpty && $0.spare == nil }) {
        !$0.beads.isEmpty && $0.spare == nil
      },
      Case("ternary", #Predicate { $0.hub == nil ? $0.number > 3 : $0.number < 3 }) {
        $0.hub == nil ? $0.number > 3 : $0.number < 3
      },
    ]
  }()

  private static let beadCases: [Case<Bead>] = [
    Case("depth 2", #Predicate { $0.spoke?.hub?.name == "h1" }) { $0.spoke?.hub?.name == "h1" },
    Case("depth 2 !=", #Predicate { $0.spoke?.hub?.name != "h1" }) { $0.spoke?.hub?.name != "h1" },
    Case("depth 2 nil", #Predicate { $0.spoke?.hub == nil }) { $0.spoke?.hub == nil },
    Case("depth 3", #Predicate { ($0.spoke?.hub?.spokes.count ?? 0) > 2 }) { ($0.spoke?.hub?.spokes.count ?? 0) > 2 },
    Case("depth 3 optional many", #Predicate { ($0.spoke?.hub?.spares?.count ?? 0) > 1 }) {
      ($0.spoke?.hub?.spares?.count ?? 0) > 1
    },
    Case("marks", #Predicate { $0.marks.contains { $0.name.starts(with: "m") } }) {
      $0.marks.contains { $0.name.hasPrefix("m") }
    },
    Case("back again", #Predicate { bead in bead.marks.contains { $0.beads.count > 1 } }) { bead in
      bead.marks.contains { $0.beads.count > 1 }
    },
    Case("through marks to hub", #Predicate { $0.marks.contains { $0.beads.contains { $0.spoke?.hub?.name == "h0" } } })
    { $0.marks.contains { $0.beads.contains { $0.spoke?.hub?.name == "h0" } } },
  ]

  private static let hubCases: [Case<Hub>] = [
    Case(
      "three deep", #Predicate { $0.spokes.contains { $0.beads.contains { $0.marks.contains { $0.name == "m0" } } } }
    ) { $0.spokes.contains { $0.beads.contains { $0.marks.contains { $0.name == "m0" } } } },
    Case("all of all", #Predicate { $0.spokes.allSatisfy { $0.beads.allSatisfy { $0.weight < 4 } } }) {
      $0.spokes.allSatisfy { $0.beads.allSatisfy { $0.weight < 4 } }
    },
    Case("optional many", #Predicate { $0.spares?.contains { $0.number > 3 } ?? false }) {
      $0.spares?.contains { $0.number > 3 } ?? false
    },
    Case("optional many all", #Predicate { $0.spares?.allSatisfy { $0.number > 3 } ?? false }) {
      $0.spares?.allSatisfy { $0.number > 3 } ?? false
    },
    Case("sides", #Predicate { hub in hub.spokes.contains { ($0.spare?.name ?? "") == hub.name } }) { hub in
      hub.spokes.contains { $0.spare?.name == hub.name }
    },
    Case("element's other hub", #Predicate { $0.spokes.contains { $0.spare?.name == "h2" } }) {
      $0.spokes.contains { $0.spare?.name == "h2" }
    },
  ]

  private func compare<Model: PersistentModel>(
    _ context: ModelContext, _ cases: [Case<Model>], _ when: String, sort: KeyPath<Model, String>? = nil
  ) throws {
    let objects = try all(context, Model.self)
    for one in cases {
      let wanted = Set(objects.filter { one.test($0) }.map(\.persistentModelID))
      let descriptor = FetchDescriptor(predicate: one.predicate)
      let found = try context.fetch(descriptor)
      #expect(Set(found.map(\.persistentModelID)) == wanted && found.count == wanted.count, "\(one.name), \(when)")
      #expect(try context.fetchCount(descriptor) == wanted.count, "count: \(one.name), \(when)")
      #expect(Set(try context.fetchIdentifiers(descriptor)) == wanted, "identifiers: \(one.name), \(when)")
      var walked: [PersistentIdentifier] = []
      try context.enumerate(descriptor, batchSize: 2, allowEscapingMutations: true) {
        walked.append($0.persistentModelID)
      }
      #expect(Set(walked) == wanted && walked.count == wanted.count, "enumerate: \(one.name), \(when)")
      let batches = try context.fetch(descriptor, batchSize: 2).map(\.persistentModelID)
      #expect(Set(batches) == wanted && batches.count == wanted.count, "batches: \(one.name), \(when)")
    }
  }

  private func compareAll(_ context: ModelContext, _ when: String) throws {
    try compare(context, Self.spokeCases, when)
    try compare(context, Self.beadCases, when)
    try compare(context, Self.hubCases, when)
    try compareSorts(context, when)
  }

  private func compareSorts(_ context: ModelContext, _ when: String) throws {
    let beads = try all(context, Bead.self)
    func key(_ bead: Bead) -> (String, Int) { (bead.spoke?.hub?.name ?? "", bead.spoke?.number ?? -1) }
    for reverse in [false, true] {
      let sort: [SortDescriptor<Bead>] = [
        SortDescriptor(\.spoke?.hub?.name, order: reverse ? .reverse : .forward),
        SortDescriptor(\.spoke?.number, order: reverse ? .reverse : .forward), SortDescriptor(\.color),
      ]
      let wanted = beads.sorted {
        let (a, b) = (key($0), key($1))
        if a != b { return reverse ? a > b : a < b }
        return $0.color < $1.color
      }
      for (offset, limit) in [(0, 0), (0, 3), (2, 3), (5, 100), (100, 1)] {
        var descriptor = FetchDescriptor<Bead>(sortBy: sort)
        descriptor.fetchOffset = offset
        if limit > 0 { descriptor.fetchLimit = limit }
        let part = wanted.dropFirst(offset).prefix(limit > 0 ? limit : .max).map(\.color)
        #expect(
          try context.fetch(descriptor).map(\.color) == Array(part), "sort \(offset) \(limit) \(reverse), \(when)")
        #expect(
          try context.fetchIdentifiers(descriptor)
            == wanted.dropFirst(offset).prefix(limit > 0 ? limit : .max).map(\.persistentModelID),
          "sorted identifiers \(offset) \(limit) \(reverse), \(when)")
      }
    }
  }

  private func fill(_ context: ModelContext) -> (hubs: [Hub], spokes: [Spoke], beads: [Bead], marks: [Mark]) {
    let hubs = (0..<4).map { Hub(name: "h\($0)") }
    let spokes = (0..<8).map { Spoke(number: $0) }
    let beads = (0..<12).map { Bead(color: String(format: "c%02d", $0), weight: Double($0 % 6)) }
    let marks = (0..<3).map { Mark(name: "m\($0)") }
    for one in hubs { context.insert(one) }
    for one in spokes { context.insert(one) }
    for one in beads { context.insert(one) }
    for one in marks { context.insert(one) }
    for (i, spoke) in spokes.enumerated() where i % 4 != 3 { spoke.hub = hubs[i % 3] }
    for (i, spoke) in spokes.enumerated() where i % 3 != 1 { spoke.spare = hubs[(i / 2) % 4] }
    for (i, bead) in beads.enumerated() where i % 5 != 4 { bead.spoke = spokes[(i * 3) % 8] }
    for (i, bead) in beads.enumerated() {
      bead.marks = marks.enumerated().filter { i >> $0.offset & 1 == 1 }.map(\.element)
    }
    return (hubs, spokes, beads, marks)
  }

  @Test(arguments: Place.allCases) func predicatesThroughPendingChanges(place: Place) throws {
    let store = try store(place)
    let first = store.context()
    _ = fill(first)
    try compareAll(first, "pending")
    try first.save()
    try check(store)
    try compareAll(first, "saved")
    try compareAll(store.context(), "saved, another context")

    // Each edit alone in a context that has loaded nothing else.
    let edits: [(String, (ModelContext) throws -> Void)] = [
      ("hub renamed", { try all($0, Hub.self)[0].name = "h1" }),
      (
        "spoke moved",
        {
          let h = try all($0, Hub.self)
          try all($0, Spoke.self)[0].hub = h[2]
        }
      ),
      ("spoke to none", { try all($0, Spoke.self)[1].hub = nil }),
      (
        "spares set",
        {
          let s = try all($0, Spoke.self)
          try all($0, Hub.self)[3].spares = [s[0], s[6]]
        }
      ),
      ("spares nil", { try all($0, Hub.self)[1].spares = nil }),
      ("spokes cleared", { try all($0, Hub.self)[1].spokes.removeAll() }),
      (
        "bead moved",
        {
          let s = try all($0, Spoke.self)
          try all($0, Bead.self)[0].spoke = s[7]
        }
      ),
      ("bead heavier", { try all($0, Bead.self)[3].weight = 9 }),
      (
        "bead new",
        {
          let s = try all($0, Spoke.self)
          $0.insert(Bead(color: "new", weight: 8, spoke: s[3]))
        }
      ),
      ("bead deleted", { $0.delete(try all($0, Bead.self)[7]) }),
      ("marks cleared", { try all($0, Bead.self)[7].marks = [] }),
      (
        "mark beads",
        {
          let b = try all($0, Bead.self)
          try all($0, Mark.self)[0].beads = [b[0], b[2]]
        }
      ),
      (
        "mark appended",
        {
          let m = try all($0, Mark.self)
          try all($0, Bead.self)[8].marks.append(m[0])
        }
      ),
      ("mark deleted", { $0.delete(try all($0, Mark.self)[1]) }),
      ("hub deleted", { $0.delete(try all($0, Hub.self)[0]) }),
      ("mark renamed", { try all($0, Mark.self)[1].name = "q" }),
      (
        "new graph",
        {
          let hub = Hub(name: "h0")
          hub.spokes = [Spoke(number: 100), Spoke(number: 101)]
          hub.spares = try all($0, Spoke.self).filter { $0.number < 2 }
          $0.insert(hub)
          let bead = Bead(color: "graph", weight: 3)
          bead.spoke = hub.spokes[1]
          bead.marks = try all($0, Mark.self)
        }
      ),
    ]
    for (name, edit) in edits {
      let context = store.context()
      try edit(context)
      try compareAll(context, name)
      context.rollback()
      try compareAll(context, "\(name), rolled back")
      try edit(context)
      try compareAll(context, "\(name), again")
      context.rollback()
    }
    // All of them, saved one after the other; what the context shows is what another then reads.
    let context = store.context()
    for (name, edit) in edits {
      try edit(context)
      let shown = try snapshot(context)
      try context.save()
      try check(store)
      #expect(try snapshot(context) == shown, "\(name) after save")
      #expect(try snapshot(store.context()) == shown, "\(name) in another context")
      try compareAll(context, "\(name) saved")
    }
  }

  private func snapshot(_ context: ModelContext) throws -> [String] {
    let hubs = try all(context, Hub.self).sorted { $0.persistentModelID < $1.persistentModelID }
    let spokes = try all(context, Spoke.self).sorted { $0.persistentModelID < $1.persistentModelID }
    let beads = try all(context, Bead.self).sorted { $0.persistentModelID < $1.persistentModelID }
    let marks = try all(context, Mark.self).sorted { $0.persistentModelID < $1.persistentModelID }
    var result: [String] = []
    for h in hubs { result.append("\(h.name): \(h.spokes.map(\.number)) / \((h.spares ?? []).map(\.number))") }
    for s in spokes {
      result.append("\(s.number): \(s.hub?.name ?? "-") \(s.spare?.name ?? "-") \(s.beads.map(\.color))")
    }
    for b in beads { result.append("\(b.color): \(b.spoke?.number ?? -1) \(b.marks.map(\.name))") }
    for m in marks { result.append("\(m.name): \(m.beads.map(\.color))") }
    return result
  }

  // MARK: Deleting, updating and summing by predicate

  @Test(arguments: Place.allCases) func deletingByPredicate(place: Place) throws {
    for pending in [false, true] {
      for one in Self.spokeCases {
        let store = try store(place)
        let context = store.context()
        _ = fill(context)
        if !pending { try context.save() }
        let left = try all(context, Spoke.self).filter { !one.test($0) }.map(\.number).sorted()
        try context.delete(model: Spoke.self, where: one.predicate)
        #expect(try all(context, Spoke.self).map(\.number).sorted() == left, "\(one.name) \(pending)")
        try context.save()
        #expect(try all(store.context(), Spoke.self).map(\.number).sorted() == left, "\(one.name) \(pending), saved")
        try check(store)
        let beads = try all(store.context(), Bead.self)
        #expect(beads.allSatisfy { bead in bead.spoke.map { left.contains($0.number) } ?? true })
        #expect(try snapshot(context) == snapshot(store.context()), "\(one.name) \(pending)")
      }
    }
  }

  @Test(arguments: Place.allCases) func updatingAndSummingByPredicate(place: Place) throws {
    for one in Self.spokeCases {
      let store = try store(place)
      let context = store.context()
      let made = fill(context)
      try context.save()
      made.hubs[0].name = "renamed"
      made.spokes[2].hub = made.hubs[3]
      let matching = try all(context, Spoke.self).filter { one.test($0) }.map(\.number)
      #expect(
        try context.sum(of: \Spoke.number, where: one.predicate) == matching.reduce(0, +), "sum: \(one.name)")
      #expect(try context.maximum(of: \Spoke.number, where: one.predicate) == matching.max(), "max: \(one.name)")
      let count = try context.update(Spoke.self, where: one.predicate) { $0.set(\.number, to: 77) }
      #expect(count == matching.count, "update: \(one.name)")
      #expect(try all(store.context(), Spoke.self).filter { $0.number == 77 }.count == matching.count, "\(one.name)")
    }
  }
}
