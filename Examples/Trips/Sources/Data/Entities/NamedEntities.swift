import SwiftData

/// An entity that is known by its name alone, and shared by trips.
protocol NamedEntity: PersistentModel {
  var name: String { get }
  init(name: String)
  /// The one of a name.
  static func named(_ name: String) -> Predicate<Self>
}

/// Somebody who comes along.
@Model
final class PersonEntity: NamedEntity {
  @Attribute(.unique) var name: String
  var trips: [TripEntity] = []

  init(name: String) {
    self.name = name
  }

  static func named(_ name: String) -> Predicate<PersonEntity> { #Predicate { $0.name == name } }
}

/// A word that trips are found by.
@Model
final class TagEntity: NamedEntity {
  @Attribute(.unique) var name: String
  var trips: [TripEntity] = []

  init(name: String) {
    self.name = name
  }

  static func named(_ name: String) -> Predicate<TagEntity> { #Predicate { $0.name == name } }
}

extension ModelContext {
  /// The entities of these names, in their order; those that are not there yet are inserted.
  func entities<Entity: NamedEntity>(_ type: Entity.Type, named names: [String]) throws -> [Entity] {
    try names.map { name in
      if let known = try fetch(FetchDescriptor(predicate: Entity.named(name))).first { return known }
      let new = Entity(name: name)
      insert(new)
      return new
    }
  }
}
