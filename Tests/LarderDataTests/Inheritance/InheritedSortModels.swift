import SwiftData

/// What a subclass inherits of everything that a key path can lead through.
@Model
class Beast {
  var home: Den?
  var name: String
  var alias: String?
  var weight: Int
  var pt: Site
  var opt: Site?
  var spare: Site?

  init(_ name: String, home: Den? = nil) {
    self.name = name
    self.home = home
    weight = name.count
    pt = Site(name: name, x: Double(name.count), y: 0)
  }
}

@Model
class Lynx: Beast {
  var lives: Int
  var lair: Den?

  init(_ name: String, home: Den? = nil, lives: Int) {
    self.lives = lives
    super.init(name, home: home)
  }
}

@Model
final class Cub: Lynx {
  var milk: Site?

  override init(_ name: String, home: Den? = nil, lives: Int) { super.init(name, home: home, lives: lives) }
}

@Model
final class Den {
  var name: String
  var street: String?
  @Relationship(inverse: \Beast.home) var beasts: [Beast] = []
  @Relationship(inverse: \Lynx.lair) var lynxes: [Lynx] = []

  init(_ name: String, street: String? = nil) {
    self.name = name
    self.street = street
  }
}

@Model
final class Ball {
  var number: Int
  var lynx: Lynx?
  var cub: Cub?

  init(_ number: Int, lynx: Lynx? = nil, cub: Cub? = nil) {
    self.number = number
    self.lynx = lynx
    self.cub = cub
  }
}
