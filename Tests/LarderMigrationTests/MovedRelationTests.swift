import Foundation
import LarderData
import SwiftData
import Testing

/// Relationships that move between the classes of a hierarchy, with their pairs.
@Suite struct MovedRelationTests {
  /// Each class has its own: a key without an inverse, pairs without one, pairs with one, and a value beside the row.
  enum Apart {
    @Model final class Garage {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Person {
      var name: String
      @Relationship(inverse: \Car.drivers) var cars: [Car] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Car {
      var name: String
      var garage: Garage?
      var former: [Garage] = []
      var drivers: [Person] = []
      @Attribute(.externalStorage) var photo: Data?
      init(_ name: String) { self.name = name }
    }

    @Model final class Truck {
      var name: String
      var garage: Garage?
      var former: [Garage] = []
      @Attribute(.externalStorage) var photo: Data?
      init(_ name: String) { self.name = name }
    }

    static var models: [any PersistentModel.Type] { [Garage.self, Person.self, Car.self, Truck.self] }
  }

  /// A class above both has all of it.
  enum Above {
    @Model final class Garage {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Person {
      var name: String
      @Relationship(inverse: \Asset.drivers) var cars: [Asset] = []
      init(_ name: String) { self.name = name }
    }

    @Model class Asset {
      var name: String
      var garage: Garage?
      var former: [Garage] = []
      var drivers: [Person] = []
      @Attribute(.externalStorage) var photo: Data?
      init(_ name: String) { self.name = name }
    }

    @Model final class Car: Asset {
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Truck: Asset {
      override init(_ name: String) { super.init(name) }
    }

    static var models: [any PersistentModel.Type] { [Garage.self, Person.self, Car.self, Truck.self] }
  }

  /// Cars alone have it still.
  enum Below {
    @Model final class Garage {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model class Asset {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Car: Asset {
      var garage: Garage?
      var former: [Garage] = []
      @Attribute(.externalStorage) var photo: Data?
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Truck: Asset {
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Person {
      var name: String
      init(_ name: String) { self.name = name }
    }

    static var models: [any PersistentModel.Type] { [Garage.self, Person.self, Car.self, Truck.self] }
  }

  private func apart() throws -> TemporaryStore {
    let store = try TemporaryStore()
    try store.open(Schema(Apart.models)) { context in
      let garages = ["a", "b"].map { Apart.Garage($0) }
      let (one, two) = (Apart.Car("one"), Apart.Car("two"))
      (one.garage, one.former, one.drivers) = (garages[0], [garages[1], garages[0]], [Apart.Person("p")])
      one.photo = Data("of one".utf8)
      let truck = Apart.Truck("truck")
      (truck.garage, truck.former, truck.photo) = (garages[1], [garages[0]], Data("of the truck".utf8))
      for car in [one, two] { context.insert(car) }
      context.insert(truck)
    }
    return store
  }

  @Test func whatMovesToAClassAboveKeepsItsPairs() throws {
    let store = try apart()
    try store.open(Schema(Above.models), options: MigrationOptions(removedValues: .refuse)) { context in
      let assets = try context.fetch(FetchDescriptor<Above.Asset>(sortBy: [SortDescriptor(\.name)]))
      #expect(assets.map(\.name) == ["one", "truck", "two"])
      #expect(assets.map { $0.garage?.name } == ["a", "b", nil])
      #expect(assets.map { $0.former.map(\.name) } == [["b", "a"], ["a"], []])
      #expect(assets.map { $0.drivers.map(\.name) } == [["p"], [], []])
      #expect(assets.map { $0.photo.map { String(decoding: $0, as: UTF8.self) } } == ["of one", "of the truck", nil])
    }
  }

  @Test func whatMovesToAClassBelowLeavesTheOthers() throws {
    let store = try apart()
    try store.open(Schema(Above.models)) { _ in }
    let lost = #expect(throws: StoreError.self) {
      try store.open(Schema(Below.models), options: MigrationOptions(removedValues: .refuse)) { _ in }
    }
    #expect(lost?.code == .valueLoss)
    // Of the truck's.
    for part in ["Asset.garage (1 row)", "Asset.former (1 row)", "Asset.photo (1 row)"] {
      #expect(lost?.explanation.contains(part) == true, "\(part): \(lost?.explanation ?? "")")
    }
    try store.open(Schema(Below.models)) { context in
      let cars = try context.fetch(FetchDescriptor<Below.Car>(sortBy: [SortDescriptor(\.name)]))
      #expect(cars.map { $0.garage?.name } == ["a", nil])
      #expect(cars.map { $0.former.map(\.name) } == [["b", "a"], []])
      #expect(cars.map { $0.photo.map { String(decoding: $0, as: UTF8.self) } } == ["of one", nil])
      #expect(try context.all(Below.Truck.self).count == 1)
    }
    // None of a truck's.
    #expect(try store.strings("SELECT count(*) FROM larder_Car_former") == ["2"])
    #expect(try store.strings("SELECT count(*) FROM larder_external_Car_photo") == ["1"])
  }
}
