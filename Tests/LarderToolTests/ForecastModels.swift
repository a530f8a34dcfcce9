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

/// In which the boats have another name.
enum VesselYard {
  @Model final class Vessel {
    var title: String
    var berth: Int32
    var owner: String?
    init(_ title: String) {
      self.title = title
      berth = 0
    }
  }

  static let models: [any PersistentModel.Type] = [Vessel.self]
}

/// In which a value has become a relationship, and a relationship a value.
enum RelatedYard {
  @Model final class Boat {
    var title: String
    var berth: Int32
    var owner: Dock?
    var rank: Int
    var paint: String
    var dock: Int?
    init(_ title: String) {
      self.title = title
      berth = 0
      rank = 0
      paint = ""
    }
  }

  @Model final class Dock {
    var number: Int
    init(number: Int) { self.number = number }
  }

  static let models: [any PersistentModel.Type] = [Boat.self, Dock.self]
}

/// A model with a value that becomes unique, and with a new one that is.
enum SingleYard {
  enum Former {
    @Model final class Buoy {
      var code: String
      init(code: String) { self.code = code }
    }
  }

  enum Unique {
    @Model final class Buoy {
      @Attribute(.unique) var code: String
      init(code: String) { self.code = code }
    }
  }

  enum Numbered {
    @Model final class Buoy {
      var code: String
      @Attribute(.unique) var number: Int = 1
      init(code: String) { self.code = code }
    }
  }

  static let former: [any PersistentModel.Type] = [Former.Buoy.self]
  static let unique: [any PersistentModel.Type] = [Unique.Buoy.self]
  static let numbered: [any PersistentModel.Type] = [Numbered.Buoy.self]
}

/// In which the boats no longer say what their title was called.
enum ForgottenYard {
  @Model final class Boat {
    var name: String
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
