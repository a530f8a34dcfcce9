import Foundation
import SwiftData

// The same models in two versions.

enum FormerYard {
  @Model final class Boat {
    var title: String
    var berth: Int32
    var owner: String?
    var rank: Int
    var paint: String
    var dock: Dock?
    init(_ title: String, berth: Int32, owner: String? = nil, rank: Int = 0) {
      self.title = title
      self.berth = berth
      self.owner = owner
      self.rank = rank
      paint = "white"
    }
  }

  @Model final class Dock {
    var number: Int
    init(number: Int) { self.number = number }
  }

  @Model final class Rope {
    var length: Double
    init(length: Double) { self.length = length }
  }

  static let models: [any PersistentModel.Type] = [Boat.self, Dock.self, Rope.self]
}

enum LaterYard {
  @Model final class Boat {
    @Attribute(.unique, originalName: "title") var name: String
    var berth: Int64
    var owner: String
    var rank: String
    var note: String?
    var draught: Double = 1.5
    var dock: Dock?
    init(_ name: String) {
      self.name = name
      berth = 0
      owner = ""
      rank = ""
    }
  }

  @Model final class Dock {
    #Index<Dock>([\.number])
    var number: Int
    init(number: Int) { self.number = number }
  }

  @Model final class Crew {
    var name: String
    init(name: String) { self.name = name }
  }

  static let models: [any PersistentModel.Type] = [Boat.self, Dock.self, Crew.self]
}

/// As the later one, in what every store can become.
enum EasyYard {
  @Model final class Boat {
    @Attribute(originalName: "title") var name: String
    var berth: Int64
    var owner: String?
    var rank: Int
    var note: String?
    var dock: Dock?
    init(_ name: String) {
      self.name = name
      berth = 0
      rank = 0
    }
  }

  @Model final class Dock {
    var number: Int
    init(number: Int) { self.number = number }
  }

  static let models: [any PersistentModel.Type] = [Boat.self, Dock.self]
}
