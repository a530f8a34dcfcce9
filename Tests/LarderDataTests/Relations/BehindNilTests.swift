import Foundation
import LarderData
import SwiftData
import Testing

/// What lies behind a to-one that is nil: there is no struct of that either, nor anything that it leads to.
@Suite struct BehindNilTests {
  private typealias Case = RelatedCases.Case<Lost.Van>

  private static let cases: [Case] = {
    let (none, empty) = (nil as Lost.Spot?, Lost.Spot(x: nil, y: nil) as Lost.Spot?)
    let some = Lost.Spot(x: 1, y: nil) as Lost.Spot?
    return [
      Case("no struct", #Predicate { $0.depot?.spot == nil }) { $0.depot?.spot == nil },
      Case("a struct", #Predicate { $0.depot?.spot != nil }) { $0.depot?.spot != nil },
      Case("is none", #Predicate { $0.depot?.spot == none }) { $0.depot?.spot == nil },
      Case("is not none", #Predicate { $0.depot?.spot != none }) { $0.depot?.spot != nil },
      Case("is empty", #Predicate { $0.depot?.spot == empty }) { $0.depot?.spot == empty },
      Case("is some", #Predicate { $0.depot?.spot == some }) { $0.depot?.spot == some },
      Case("structs alike", #Predicate { $0.depot?.spot == $0.other?.spot }) { $0.depot?.spot == $0.other?.spot },
      Case("structs unlike", #Predicate { $0.depot?.spot != $0.other?.spot }) { $0.depot?.spot != $0.other?.spot },
      Case("own struct's struct", #Predicate { $0.frame?.spot == nil }) { $0.frame?.spot == nil },
      Case("own struct's struct is empty", #Predicate { $0.frame?.spot == empty }) { $0.frame?.spot == empty },
      Case("struct's struct", #Predicate { $0.depot?.frame?.spot == nil }) { $0.depot?.frame?.spot == nil },
      Case("struct's struct is empty", #Predicate { $0.depot?.frame?.spot == empty }) {
        $0.depot?.frame?.spot == empty
      },
      Case("struct's structs alike", #Predicate { $0.depot?.frame?.spot == $0.frame?.spot }) {
        $0.depot?.frame?.spot == $0.frame?.spot
      },
      Case("member", #Predicate { $0.depot?.spot.x == nil }) { $0.depot?.spot.x == nil },
      Case("same center", #Predicate { $0.depot?.center == $0.other?.center }) {
        $0.depot?.center === $0.other?.center
      },
      Case("other center", #Predicate { $0.depot?.center != $0.other?.center }) {
        $0.depot?.center !== $0.other?.center
      },
      Case("center's name", #Predicate { $0.depot?.center.name == $0.other?.center.name }) {
        $0.depot?.center.name == $0.other?.center.name
      },
      Case(
        "same identifier",
        #Predicate { $0.depot?.center.persistentModelID == $0.other?.center.persistentModelID }
      ) { $0.depot?.center.persistentModelID == $0.other?.center.persistentModelID },
      // The same numbers, of tables that have nothing in common.
      Case("of another model", #Predicate { $0.depot?.persistentModelID == $0.depot?.center.persistentModelID }) {
        $0.depot == nil
      },
      Case("not of another model", #Predicate { $0.depot?.persistentModelID != $0.depot?.center.persistentModelID }) {
        $0.depot != nil
      },
    ]
  }()

  private func fill(_ context: ModelContext) {
    let centers = (0..<2).map { Lost.Center(name: "c\($0)") }
    let depots = [
      Lost.Depot(
        name: "d0", center: centers[0], spot: Lost.Spot(x: 1, y: nil), frame: Lost.Frame(spot: Lost.Spot(x: 1, y: nil))),
      Lost.Depot(name: "d1", center: centers[0], spot: Lost.Spot(x: nil, y: nil), frame: nil),
      Lost.Depot(
        name: "d2", center: centers[1], spot: Lost.Spot(x: nil, y: nil),
        frame: Lost.Frame(spot: Lost.Spot(x: nil, y: nil))),
    ]
    let frames = [nil, Lost.Frame(spot: Lost.Spot(x: nil, y: nil)), Lost.Frame(spot: Lost.Spot(x: 1, y: nil))]
    for (one, depot) in ([nil] + depots.map { $0 }).enumerated() {
      for (two, other) in ([nil] + depots.map { $0 }).enumerated() {
        context.insert(Lost.Van(name: "\(one) \(two)", depot: depot, other: other, frame: frames[(one + two) % 3]))
      }
    }
  }

  @Test(arguments: StoreLocation.allCases) func predicatesBehindNil(place: StoreLocation) throws {
    let store = try TestStore(place, Lost.Van.self, Lost.Depot.self, Lost.Center.self)
    let context = store.context()
    fill(context)
    try compare(context, "pending")
    try context.save()
    try compare(context, "saved")
    try compare(store.context(), "in another context")
    for van in try context.fetch(FetchDescriptor<Lost.Van>()) where van.name.hasPrefix("2") { van.depot = nil }
    try compare(context, "edited")
  }

  private func compare(_ context: ModelContext, _ when: String) throws {
    let vans = try context.fetch(FetchDescriptor<Lost.Van>())
    #expect(vans.count == 16)
    for one in Self.cases {
      let wanted = vans.filter { one.test($0) }.map(\.name).sorted()
      let descriptor = FetchDescriptor(predicate: one.predicate)
      let found = try context.fetch(descriptor).map(\.name).sorted()
      #expect(found == wanted, "\(one.name), \(when)")
      #expect(try context.fetchCount(descriptor) == wanted.count, "count: \(one.name), \(when)")
    }
  }

  @Test(arguments: StoreLocation.allCases) func updatesReachWhatTheySaveThemselves(place: StoreLocation) throws {
    let store = try TestStore(place, Lost.Van.self, Lost.Depot.self, Lost.Center.self)
    let context = store.context()
    let center = Lost.Center(name: "c")
    let depot = Lost.Depot(name: "d", center: center, spot: Lost.Spot(x: 1, y: 2), frame: nil)
    context.insert(Lost.Van(name: "stored", depot: depot, other: nil, frame: nil))
    try context.save()
    context.insert(Lost.Van(name: "new", depot: depot, other: nil, frame: nil))
    context.insert(Lost.Van(name: "another", depot: nil, other: depot, frame: nil))
    // Structs are compared in Swift, which follows the relationship of each row.
    let count = try context.updateAndSave(
      Lost.Van.self, where: #Predicate { $0.depot?.spot == $0.depot?.spot && $0.depot != nil }
    ) {
      $0.set(\.name, to: "renamed")
    }
    #expect(count == 2)
    let names = try store.context().fetch(FetchDescriptor<Lost.Van>()).map(\.name).sorted()
    #expect(names == ["another", "renamed", "renamed"])
  }

  /// What is followed for it is read as the save has written it, by nobody else's objects.
  @Test(arguments: StoreLocation.allCases) func updatesLeaveObjectsAsTheyAre(place: StoreLocation) throws {
    let store = try TestStore(
      place, Tangle.Hub.self, Tangle.Spoke.self, Tangle.Bead.self, Tangle.Mark.self)
    let context = store.context()
    context.insert(Tangle.Hub(name: "h"))
    context.insert(Tangle.Hub(name: "none"))
    try context.save()
    let hubs = try context.fetch(FetchDescriptor<Tangle.Hub>(sortBy: [SortDescriptor(\.name)]))
    let spoke = Tangle.Spoke(number: 1, hub: hubs[0])
    context.insert(spoke)
    hubs[0].name = "hub"
    let numbers = [1, 2]
    let count = try context.updateAndSave(
      Tangle.Hub.self,
      where: #Predicate { hub in
        hub.name == "hub" && hub.spokes.contains { spoke in numbers.contains { $0 == spoke.number } }
      }
    ) {
      $0.set(\.name, to: "changed")
    }
    #expect(count == 1)
    #expect(hubs.map(\.name) == ["changed", "none"])
    spoke.number = 2
    #expect(spoke.hub === hubs[0] && hubs[0].spokes.first === spoke)
    try context.save()
    let fresh = try store.context().fetch(FetchDescriptor<Tangle.Spoke>())
    #expect(fresh.map(\.number) == [2] && fresh.first?.hub?.name == "changed")
    #expect(fresh.first?.persistentModelID == spoke.persistentModelID)
  }

  /// An insert that becomes a stored row is asked with what that row is related to.
  @Test(arguments: StoreLocation.allCases) func updatesAskRowsThatInsertsBecame(place: StoreLocation) throws {
    let store = try TestStore(
      place, Tangle.Hub.self, Tangle.Spoke.self, Tangle.Bead.self, Tangle.Mark.self)
    let context = store.context()
    let bead = Tangle.Bead(color: "red")
    bead.marks = [Tangle.Mark(name: "m")]
    context.insert(bead)
    try context.save()
    let other = store.context()
    other.insert(Tangle.Mark(name: "m"))
    let colors = ["red"]
    let count = try other.updateAndSave(
      Tangle.Mark.self,
      where: #Predicate { mark in mark.beads.contains { bead in colors.contains { $0 == bead.color } } }
    ) {
      $0.set(\.name, to: "n")
    }
    #expect(count == 1)
    #expect(try store.context().fetch(FetchDescriptor<Tangle.Mark>()).map(\.name) == ["n"])
  }

  @Test func whatCannotBeChosenSaysSo() throws {
    let store = try TestStore(
      .memory, Tangle.Hub.self, Tangle.Spoke.self, Tangle.Bead.self, Tangle.Mark.self)
    // Each by itself: in one expression their types take seconds to be found.
    let eitherList = #Predicate<Tangle.Spoke> { spoke in
      if let spare = spoke.spare { (spoke.hub.flatMap { $0.spares } ?? spare.spokes).isEmpty } else { false }
    }
    let filteredList = #Predicate<Tangle.Spoke> { spoke in
      if let few = spoke.hub.flatMap({ hub in hub.spokes.filter { $0.number > 1 } }) {
        few.contains { a in few.contains { b in b.number > a.number } }
      } else {
        false
      }
    }
    let unwrapped = #Predicate<Tangle.Spoke> { spoke in spoke.hub.flatMap { $0.spares }!.isEmpty }
    let unsupported = [("by ?? in a predicate", eitherList), ("filtered to-many", filteredList), ("! on", unwrapped)]
    for (words, predicate) in unsupported {
      let error = #expect(throws: SwiftDataError.self) {
        try store.context().fetch(FetchDescriptor(predicate: predicate))
      }
      #expect(error == .unsupportedPredicate)
      #expect(error?.explanation?.contains(words) == true, "\(String(describing: error))")
    }
  }
}

enum Lost {
  struct Spot: Codable, Hashable {
    var x: Int?
    var y: Int?
  }

  struct Frame: Codable, Hashable {
    var spot: Spot
    var note: String?
  }

  @Model
  final class Van {
    var name: String
    var depot: Depot?
    var other: Depot?
    var frame: Frame?

    init(name: String, depot: Depot?, other: Depot?, frame: Frame?) {
      self.name = name
      self.depot = depot
      self.other = other
      self.frame = frame
    }
  }

  @Model
  final class Depot {
    var name: String
    var center: Center
    var spot: Spot
    var frame: Frame?

    init(name: String, center: Center, spot: Spot, frame: Frame?) {
      self.name = name
      self.center = center
      self.spot = spot
      self.frame = frame
    }
  }

  @Model
  final class Center {
    var name: String

    init(name: String) { self.name = name }
  }
}
