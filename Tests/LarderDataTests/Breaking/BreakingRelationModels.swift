// Names as users may choose them, which no style guide would.
// swift-format-ignore-file: AlwaysUseLowerCamelCase, IdentifiersMustBeASCII, TypeNamesShouldBeCapitalized

import Foundation
import SwiftData

/// Models inside a type of another kind.
enum Tangle {
  @Model
  final class Hub {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Tangle.Spoke.hub) var spokes: [Spoke] = []
    @Relationship(inverse: \Tangle.Spoke.spare) var spares: [Spoke]?

    init(name: String) { self.name = name }
  }

  @Model
  final class Spoke {
    var number: Int
    var hub: Hub?
    var spare: Hub?
    @Relationship(deleteRule: .cascade, inverse: \Tangle.Bead.spoke) var beads: [Bead] = []

    init(number: Int, hub: Hub? = nil) {
      self.number = number
      self.hub = hub
    }
  }

  @Model
  final class Bead {
    var color: String
    var weight: Double
    var spoke: Spoke?
    var marks: [Mark] = []

    init(color: String, weight: Double = 1, spoke: Spoke? = nil) {
      self.color = color
      self.weight = weight
      self.spoke = spoke
    }
  }

  @Model
  final class Mark {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Tangle.Bead.marks) var beads: [Bead] = []

    init(name: String) { self.name = name }
  }

  /// A list that is linked one to one.
  @Model
  final class Link {
    var number: Int
    var next: Link?
    @Relationship(inverse: \Tangle.Link.next) var previous: Link?

    init(_ number: Int) { self.number = number }
  }

  @Model
  final class Human {
    var name: String
    @Relationship(inverse: Human.friendsOfFriends) var friends: [Human] = []
    var spouse: Human?
    // A property that names itself in an attribute of its own would be a circle for the compiler.
    static var friendsOfFriends: AnyKeyPath { \Human.friends }

    init(_ name: String) { self.name = name }
  }

  /// Relationships named as what the store and SQL have names for.
  @Model
  final class Odd {
    var larder: String
    var source: Odd?
    @Relationship(inverse: \Tangle.Odd.source) var target: [Odd] = []
    var order: [Odd2] = []
    var `default`: Odd2?
    var größe: Odd2?
    var 家族: [Odd2] = []
    var larderID: Int?

    init(_ larder: String) { self.larder = larder }
  }

  @Model
  final class Odd2 {
    var select: String
    @Relationship(inverse: \Tangle.Odd.order) var target_order: [Odd] = []
    @Relationship(inverse: \Tangle.Odd.default) var `in`: [Odd] = []
    @Relationship(inverse: \Tangle.Odd.größe) var `where`: Odd?
    @Relationship(inverse: \Tangle.Odd.家族) var group: Odd?

    init(_ select: String) { self.select = select }
  }
}
