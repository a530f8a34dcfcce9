import Foundation
import SwiftData

// One relationship in each form that it can have: every version can be opened after every other.

/// A crate's owner has the key, and nothing leads back.
enum OneWay {
  @Model final class Owner {
    var name: String
    init(name: String) { self.name = name }
  }

  @Model final class Crate {
    var name: String
    var owner: Owner?
    init(name: String, owner: Owner?) {
      self.name = name
      self.owner = owner
    }
  }
}

/// The same, and the owner's list mirrors it.
enum Mirrored {
  @Model final class Owner {
    var name: String
    @Relationship(inverse: \Crate.owner) var crates: [Crate] = []
    init(name: String) { self.name = name }
  }

  @Model final class Crate {
    var name: String
    var owner: Owner?
    init(name: String) { self.name = name }
  }
}

/// The owner has a list in a table of pairs, and nothing leads back.
enum Listed {
  @Model final class Owner {
    var name: String
    var crates: [Crate] = []
    init(name: String) { self.name = name }
  }

  @Model final class Crate {
    var name: String
    init(name: String) { self.name = name }
  }
}

/// Both have lists.
enum Shared {
  @Model final class Owner {
    var name: String
    @Relationship(inverse: \Crate.owners) var crates: [Crate] = []
    init(name: String) { self.name = name }
  }

  @Model final class Crate {
    var name: String
    @Relationship(originalName: "owner") var owners: [Owner] = []
    init(name: String) { self.name = name }
  }
}

/// The crate has one owner, who has one crate.
enum Single {
  @Model final class Owner {
    var name: String
    @Relationship(originalName: "crates", inverse: \Crate.owner) var crate: Crate?
    init(name: String) { self.name = name }
  }

  @Model final class Crate {
    var name: String
    @Relationship(originalName: "owners") var owner: Owner?
    init(name: String) { self.name = name }
  }
}

/// As `Mirrored`, and every crate has an owner.
enum Required {
  @Model final class Owner {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Crate.owner) var crates: [Crate] = []
    init(name: String) { self.name = name }
  }

  @Model final class Crate {
    var name: String
    @Relationship(originalName: "owners") var owner: Owner
    init(name: String, owner: Owner) {
      self.name = name
      self.owner = owner
    }
  }
}

/// As `Mirrored`, under other names.
enum Renamed {
  @Model final class Keeper: RenamedModel {
    static var originalEntityName: String { "Owner" }
    @Attribute(originalName: "name") var title: String
    @Relationship(originalName: "crates", inverse: \Crate.keeper) var boxes: [Crate] = []
    init(title: String) { self.title = title }
  }

  @Model final class Crate {
    var name: String
    @Relationship(originalName: "owner") var keeper: Keeper?
    init(name: String) { self.name = name }
  }
}

/// As `OneWay`, and the owner has one crate, by the same key.
enum SingleKey {
  @Model final class Owner {
    var name: String
    @Relationship(inverse: \Crate.owner) var crate: Crate?
    init(name: String) { self.name = name }
  }

  @Model final class Crate {
    var name: String
    var owner: Owner?
    init(name: String) { self.name = name }
  }
}

/// As `Flat`, and a trailer leads to a class below.
enum Narrow {
  @Model class Vehicle {
    var name: String
    var wheels: Int
    init(name: String, wheels: Int) {
      self.name = name
      self.wheels = wheels
    }
  }

  @Model class Car: Vehicle {
    var doors: Int = 4
    override init(name: String, wheels: Int) { super.init(name: name, wheels: wheels) }
  }

  @Model final class Van: Car {
    var load: Double
    init(name: String, load: Double) {
      self.load = load
      super.init(name: name, wheels: 4)
    }
  }

  @Model final class Trailer {
    var name: String
    var vehicle: Car?
    init(name: String, vehicle: Car?) {
      self.name = name
      self.vehicle = vehicle
    }
  }
}
