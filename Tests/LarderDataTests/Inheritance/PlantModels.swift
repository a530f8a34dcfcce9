import Botany
import Foundation
import LarderData
import SwiftData

/// A subclass in another module than its superclass.
@available(macOS 26, *)
@Model
class Tree: Plant {
  #Unique<Tree>([\.registration, \.name])
  #Index<Tree>([\.height, \.name])

  var height: Double
  var registration: Int?
  var bark: Bark
  var keeper: Keeper?
  @Relationship(inverse: \Visitor.climbed) var climbers: [Visitor] = []

  init(code: String, name: String, height: Double, bark: Bark = .smooth) {
    self.height = height
    self.bark = bark
    super.init(code: code, name: name)
  }
}

enum Bark: String, Codable { case smooth, rough }

@Model
final class Oak: Tree {
  var acorns: Int = 0
  var measured: Bed?

  init(code: String, name: String, height: Double, acorns: Int) {
    self.acorns = acorns
    super.init(code: code, name: name, height: height, bark: .rough)
  }
}

/// Has a property of the same name as `Tree`, which is no subclass and no superclass of it.
@Model
class Flower: Plant {
  var height: Int
  @Attribute(.unique) var registration: String?
  var colours: [String] = []

  init(code: String, name: String, height: Int) {
    self.height = height
    super.init(code: code, name: name)
  }
}

/// Adds nothing.
@Model
class Weed: Plant {
  override init(code: String, name: String, planted: Date? = nil) {
    super.init(code: code, name: name, planted: planted)
  }
}

@Model
class Keeper {
  var name: String
  @Relationship(deleteRule: .nullify, inverse: \Tree.keeper) var trees: [Tree] = []
  /// Nothing leads back.
  var favourite: Plant?

  init(name: String) { self.name = name }
}

@Model
class Visitor {
  var name: String
  var climbed: [Tree] = []

  init(name: String) { self.name = name }
}

func plantContainer() throws -> ModelContainer {
  try ModelContainer(
    for: Plant.self, Tree.self, Oak.self, Flower.self, Weed.self, Keeper.self, Visitor.self,
    configurations: ModelConfiguration(isStoredInMemoryOnly: true))
}

/// One object of each class.
func insertPlants(_ context: ModelContext) {
  context.insert(Plant(code: "p", name: "moss"))
  context.insert(Tree(code: "t", name: "beech", height: 20))
  context.insert(Oak(code: "o", name: "oak", height: 30, acorns: 5))
  context.insert(Flower(code: "f", name: "rose", height: 1))
  context.insert(Weed(code: "w", name: "nettle"))
}
