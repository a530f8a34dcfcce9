import Foundation
import LarderData
import SwiftData
import Testing

/// Predicates through relationships, with changes pending in whatever they lead to.
@Suite struct BreakingRelationPredicateTests: BreakingRelations {
  private typealias Hub = Tangle.Hub
  private typealias Spoke = Tangle.Spoke
  private typealias Bead = Tangle.Bead
  private typealias Mark = Tangle.Mark

  @Test(arguments: StoreLocation.allCases) func predicatesThroughPendingChanges(place: StoreLocation) throws {
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
    for (number, (name, edit)) in edits.enumerated() {
      let context = store.context()
      try edit(context)
      // In memory all of them, but through data stores. What they then repeat takes turns: each edit has other ones.
      let isWhole = place == .memory && !StoreOptions().usesDataStores
      try compareAll(context, name, quarter: isWhole ? nil : number)
      context.rollback()
      try compareAll(context, "\(name), rolled back", quarter: number + 1)
      try edit(context)
      try compareAll(context, "\(name), again", quarter: number + 2)
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

  @Test(arguments: StoreLocation.allCases) func deletingByPredicate(place: StoreLocation) throws {
    for pending in [false, true] {
      for one in RelatedCases.spokeCases + RelatedCases.missingCases {
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

  @Test(arguments: StoreLocation.allCases) func updatingAndSummingByPredicate(place: StoreLocation) throws {
    for one in RelatedCases.spokeCases + RelatedCases.missingCases {
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
      let count = try context.updateAndSave(Spoke.self, where: one.predicate) { $0.set(\.number, to: 77) }
      #expect(count == matching.count, "update: \(one.name)")
      #expect(try all(store.context(), Spoke.self).filter { $0.number == 77 }.count == matching.count, "\(one.name)")
    }
  }

  // MARK: Comparing

  private func compare<Model: PersistentModel>(
    _ context: ModelContext, _ cases: [RelatedCases.Case<Model>], _ when: String, sort: KeyPath<Model, String>? = nil
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

  /// - Parameter quarter: Which quarter of the predicates is compared, by its number modulo 4; nil for all of them.
  private func compareAll(_ context: ModelContext, _ when: String, quarter: Int? = nil) throws {
    func chosen<Case>(_ cases: [Case]) -> [Case] {
      guard let quarter else { return cases }
      return stride(from: quarter % 4, to: cases.count, by: 4).map { cases[$0] }
    }
    try compare(context, chosen(RelatedCases.spokeCases + RelatedCases.missingCases), when)
    try compare(context, chosen(RelatedCases.beadCases), when)
    try compare(context, chosen(RelatedCases.hubCases), when)
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
}
