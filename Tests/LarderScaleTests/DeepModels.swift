import Foundation
import SwiftData
import Synchronization

/// How many objects have ended.
final class EndCount: Sendable {
  private let ended = Mutex(0)
  var count: Int { ended.withLock { $0 } }
  func add() { ended.withLock { $0 += 1 } }
}

/// A chain by a to-one.
@Model
final class Link {
  @Relationship(deleteRule: .cascade) var next: Link?
  @Transient var ends: EndCount?
  init(_ next: Link?, _ ends: EndCount?) {
    self.next = next
    self.ends = ends
  }
  deinit { ends?.add() }
}

/// A chain by a to-one that is not optional, of two classes in turn, as one alone has no end.
@Model
final class Coach {
  var name = ""
  @Relationship(deleteRule: .cascade) var coupling: Coupling?
  @Transient var ends: EndCount?
  init(_ coupling: Coupling?, _ ends: EndCount?) {
    self.coupling = coupling
    self.ends = ends
  }
  deinit { ends?.add() }
}

@Model
final class Coupling {
  @Relationship(deleteRule: .cascade) var coach: Coach
  init(_ coach: Coach) { self.coach = coach }
}

@Model
class Carriage {
  var name = ""
  @Transient var ends: EndCount?
  init(_ ends: EndCount?) { self.ends = ends }
  deinit { ends?.add() }
}

/// A chain whose to-one a class declares that inherits from another.
@Model
final class Wagon: Carriage {
  @Relationship(deleteRule: .cascade) var following: Wagon?
  init(_ following: Wagon?, _ ends: EndCount?) {
    self.following = following
    super.init(ends)
  }
}

/// A tree by a to-many, and by a to-many that may be nil; and a chain of both kinds in turn.
@Model
final class Twig {
  @Relationship(deleteRule: .cascade, inverse: \Twig.parent) var twigs: [Twig] = []
  var parent: Twig?
  @Relationship(deleteRule: .cascade) var others: [Twig]?
  @Relationship(deleteRule: .cascade) var next: Twig?
  @Transient var ends: EndCount?
  init(_ ends: EndCount?) { self.ends = ends }
  deinit { ends?.add() }
}

func deepContainer() throws -> ModelContainer {
  try ModelContainer(
    for: Link.self, Coach.self, Coupling.self, Carriage.self, Wagon.self, Twig.self,
    configurations: ModelConfiguration(isStoredInMemoryOnly: true))
}
