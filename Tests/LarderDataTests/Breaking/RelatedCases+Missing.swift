import Foundation
import SwiftData

extension RelatedCases {
  /// To-manys that nobody has, because the to-one before them is nil, and to-manys that have a name of their own.
  static var missingCases: [Case<Tangle.Spoke>] {
    let words = ["c01", "c04", "c07"]
    return [
      Case("no hub's spares empty", #Predicate { $0.hub?.spares?.isEmpty == true }) { $0.hub?.spares?.isEmpty == true },
      Case("or no hub", #Predicate { $0.hub?.spares?.isEmpty ?? true }) { $0.hub?.spares?.isEmpty ?? true },
      Case("count 0", #Predicate { $0.hub?.spares?.count == 0 }) { $0.hub?.spares?.count == 0 },
      Case("count not 0", #Predicate { $0.hub?.spares?.count != 0 }) { $0.hub?.spares?.count != 0 },
      Case("all or false", #Predicate { $0.hub?.spares?.allSatisfy { $0.number > 3 } ?? false }) {
        $0.hub?.spares?.allSatisfy { $0.number > 3 } ?? false
      },
      Case("some or true", #Predicate { $0.hub?.spares?.contains { $0.number > 3 } ?? true }) {
        $0.hub?.spares?.contains { $0.number > 3 } ?? true
      },
      Case("spares nil", #Predicate { $0.hub?.spares == nil }) { $0.hub?.spares == nil },
      Case("spares not nil", #Predicate { $0.hub?.spares != nil }) { $0.hub?.spares != nil },
      Case("spokes nil", #Predicate { $0.hub?.spokes == nil }) { $0.hub?.spokes == nil },
      Case(
        "within itself",
        #Predicate {
          if let spares = $0.hub?.spares {
            spares.contains { a in spares.contains { b in b.number > a.number } }
          } else {
            false
          }
        }
      ) { spoke in
        let spares = spoke.hub?.spares ?? []
        return spares.contains { a in spares.contains { b in b.number > a.number } }
      },
      Case(
        "within itself, thrice",
        #Predicate {
          if let spokes = $0.hub?.spokes {
            spokes.contains { a in spokes.contains { b in spokes.contains { c in a.number + b.number < c.number } } }
          } else {
            false
          }
        }
      ) { spoke in
        let spokes = spoke.hub?.spokes ?? []
        return spokes.contains { a in
          spokes.contains { b in spokes.contains { c in a.number + b.number < c.number } }
        }
      },
      Case(
        "what a filter leaves",
        #Predicate { spoke in
          if let spares = spoke.hub?.spares { spares.filter { $0.number > 2 }.count < 2 } else { false }
        }
      ) { spoke in spoke.hub?.spares.map { $0.filter { $0.number > 2 }.count < 2 } ?? false },
      Case(
        "what a filter has left",
        #Predicate { spoke in
          if let few = spoke.hub.flatMap({ hub in hub.spares.flatMap { $0.filter { $0.number > 2 } } }) {
            few.count < 2
          } else {
            false
          }
        }
      ) { spoke in spoke.hub?.spares.map { $0.filter { $0.number > 2 }.count < 2 } ?? false },
      Case(
        "one within another",
        #Predicate { spoke in
          if let spares = spoke.hub?.spares {
            spoke.beads.contains { bead in
              spares.contains { $0.number < bead.marks.count }
            }
          } else {
            false
          }
        }
      ) { spoke in
        let spares = spoke.hub?.spares ?? []
        return spoke.beads.contains { bead in spares.contains { $0.number < bead.marks.count } }
      },
      Case(
        "one within another, in Swift",
        #Predicate { spoke in
          if let spares = spoke.hub?.spares {
            spoke.beads.contains { bead in spares.contains { _ in words.contains { $0 == bead.color } } }
          } else {
            false
          }
        }
      ) { spoke in
        // As one expression its types take 15 seconds to be found.
        guard let spares = spoke.hub?.spares, !spares.isEmpty else { return false }
        return !Set(words).isDisjoint(with: spoke.beads.map(\.color))
      },
      Case(
        "name only where there is a hub",
        #Predicate { spoke in if let hub = spoke.hub { hub.name == "h0" } else { true } }
      ) { $0.hub.map { $0.name == "h0" } ?? true },
    ]
  }
}
