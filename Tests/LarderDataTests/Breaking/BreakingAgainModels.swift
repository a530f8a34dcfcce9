import Foundation
import SwiftData

/// What a model may conform to, so that its text does not tell whether it inherits.
protocol Summarized { var summary: String { get } }

/// Models whose accessors are asked for by objects of several classes.
enum Again {
  @Model
  class Pane: Summarized {
    var title: String
    var size: Double = 1
    var frame: Frame?
    @Relationship(inverse: \Again.Maker.panes) var makers: [Maker] = []
    var summary: String { "\(title) \(size)" }

    init(_ title: String) { self.title = title }
  }

  @Model
  class Glass: Pane, CustomStringConvertible {
    var tint: String?
    var spare: Pane?
    @Relationship(inverse: \Again.Stain.glass) var stains: [Stain]? = []
    var description: String { "\(summary) \(tint ?? "") \(stains?.count ?? 0)" }

    init(_ title: String, tint: String) {
      self.tint = tint
      super.init(title)
    }
  }

  @Model
  final class Mirror: Glass {
    var isConvex = false
    var back: Maker?

    override init(_ title: String, tint: String) { super.init(title, tint: tint) }
  }

  @Model
  final class Frame {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Again.Pane.frame) var panes: [Pane] = []
    /// The whole list as one text.
    var titles: String { panes.map(\.title).joined() }

    init(_ name: String) { self.name = name }
  }

  @Model
  final class Maker {
    var name: String
    var panes: [Pane] = []
    private var uses = 0
    var isUsed: Bool { uses > 0 }

    init(_ name: String) { self.name = name }

    func use() { uses += 1 }
  }

  @Model
  final class Stain {
    var text: String
    var glass: Glass?

    init(_ text: String) { self.text = text }
  }

  /// At least one and at most three.
  @Model
  final class Band {
    var name: String
    @Relationship(minimumModelCount: 1, maximumModelCount: 3, inverse: \Again.Player.band) var players: [Player] = []

    init(_ name: String) { self.name = name }
  }

  @Model
  final class Player {
    var name: String
    var band: Band?

    init(_ name: String) { self.name = name }
  }

  /// Properties named as what generated code names its own things.
  @Model
  final class Named {
    var value: Int = 0
    var key: String = ""
    var row: Double = 0
    var mask: [Int] = []
    var binder: Named?
    @Relationship(inverse: \Again.Named.binder) var property: [Named] = []
    var state: Bool?
    var header: Data = Data()
    var place: Int = 0
    var newValue: Int?
    var initialValue: String?
    var model: Maker?
    var box: [String: Int] = [:]

    init() {}
  }

  /// A value whose coding does more than it should.
  struct Sly: Codable, Equatable {
    var number: Int
    nonisolated(unsafe) static var whenDecoded: (() -> Void)?
    nonisolated(unsafe) static var whenEncoded: (() -> Void)?

    init(number: Int) { self.number = number }

    init(from decoder: any Decoder) throws {
      number = try decoder.singleValueContainer().decode(Int.self)
      let hook = Sly.whenDecoded
      Sly.whenDecoded = nil
      hook?()
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(number)
      let hook = Sly.whenEncoded
      Sly.whenEncoded = nil
      hook?()
    }
  }

  @Model
  final class Chest {
    var name: String
    @Relationship(inverse: \Again.Trinket.chest) var trinkets: [Trinket] = []

    init(_ name: String) { self.name = name }
  }

  @Model
  final class Trinket {
    var number: Int
    var sly: [Sly]
    var chest: Chest?

    init(_ number: Int) {
      self.number = number
      sly = [Sly(number: number)]
    }
  }

  /// A subclass that is no model: it cannot be stored.
  final class Painted: Pane {}
}

/// Fills families of its own and one of all, by appending to lists that are in memory.
@ModelActor
actor Filler {
  func fill(_ number: Int, rounds: Int) throws {
    let own = Family(name: "own \(number)")
    modelContext.insert(own)
    for round in 0..<rounds {
      own.members.append(Member(name: "\(round)", age: round))
      if round % 5 == 4 { try modelContext.save() }
      if round % 7 == 6, let first = own.members.first {
        own.members.append(own.members.removeFirst())
        _ = first
      }
      let families = try modelContext.fetch(FetchDescriptor<Family>(sortBy: [SortDescriptor(\.name)]))
      for family in families { for member in family.members where member.family !== family { throw Astray() } }
    }
    try modelContext.save()
  }

  struct Astray: Error {}
}
