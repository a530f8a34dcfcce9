public import SwiftData

// A store in which every save touches what all processes share, and what is so can be counted afterwards.

/// How many saves there were: each raises it by one.
@Model
public final class Tally {
  @Attribute(.unique) public var name: String
  public var saves = 0
  public var deletions = 0

  public init(name: String) { self.name = name }
}

@Model
public final class Shelf {
  @Attribute(.unique) public var name: String
  /// How many items are on it, as those say who put them there.
  public var count = 0
  @Relationship(deleteRule: .cascade, inverse: \Item.shelf) public var items: [Item] = []

  public init(name: String) { self.name = name }
}

/// What a save has put on a shelf.
@Model
public final class Item {
  #Unique<Item>([\.writer, \.save])
  public var writer: Int
  public var save: Int
  public var text: String
  public var shelf: Shelf?

  public init(writer: Int, save: Int, text: String, shelf: Shelf) {
    self.writer = writer
    self.save = save
    self.text = text
    self.shelf = shelf
  }
}

/// A writer's last save.
@Model
public final class Progress {
  @Attribute(.unique) public var writer: Int
  public var save = 0

  public init(writer: Int) { self.writer = writer }
}

package enum SharedStore {
  package static let models: [any PersistentModel.Type] = [Tally.self, Shelf.self, Item.self, Progress.self]
  package static let shelves = ["a", "b", "c", "d"]
  package static let writers = 2

  package static func author(_ writer: Int) -> String { "writer \(writer)" }
}
