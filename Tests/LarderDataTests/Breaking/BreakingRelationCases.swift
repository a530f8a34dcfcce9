import Foundation
import SwiftData

/// Predicates through relationships of all kinds.
enum RelatedCases {
  /// A predicate, and what it means of objects in memory.
  struct Case<Model: PersistentModel>: Sendable {
    let name: String
    let predicate: Predicate<Model>
    let test: @Sendable (Model) -> Bool
    init(_ name: String, _ predicate: Predicate<Model>, _ test: @escaping @Sendable (Model) -> Bool) {
      self.name = name
      self.predicate = predicate
      self.test = test
    }
  }

  // Computed, since a stored property's value is checked whenever a file of this module is compiled.

  static var spokeCases: [Case<Tangle.Spoke>] {
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
  }

  static var beadCases: [Case<Tangle.Bead>] {
    [
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
      Case(
        "through marks to hub", #Predicate { $0.marks.contains { $0.beads.contains { $0.spoke?.hub?.name == "h0" } } }
      ) { $0.marks.contains { $0.beads.contains { $0.spoke?.hub?.name == "h0" } } },
    ]
  }

  static var hubCases: [Case<Tangle.Hub>] {
    [
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
  }
}
