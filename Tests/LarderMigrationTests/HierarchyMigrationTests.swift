import Foundation
import SwiftData
import Testing

// A hierarchy of models in several versions of a program.

enum Flat {
  @Model class Vehicle {
    var name: String
    var wheels: Int
    init(name: String, wheels: Int) {
      self.name = name
      self.wheels = wheels
    }
  }

  @Model final class Trailer {
    var name: String
    var vehicle: Vehicle?
    init(name: String, vehicle: Vehicle?) {
      self.name = name
      self.vehicle = vehicle
    }
  }
}

enum Deep {
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
    var vehicle: Vehicle?
    init(name: String, vehicle: Vehicle?) {
      self.name = name
      self.vehicle = vehicle
    }
  }
}

/// `doors` has moved up and `wheels` down; there is a class above, and `Van` is no more.
enum Moved {
  @Model class Thing {
    var name: String
    var doors: Int?
    init(name: String) { self.name = name }
  }

  @Model class Vehicle: Thing {
    override init(name: String) { super.init(name: name) }
  }

  @Model final class Car: Vehicle {
    var wheels: Int
    init(name: String, wheels: Int) {
      self.wheels = wheels
      super.init(name: name)
    }
  }

  @Model final class Trailer {
    var name: String
    var vehicle: Vehicle?
    init(name: String, vehicle: Vehicle?) {
      self.name = name
      self.vehicle = vehicle
    }
  }
}

enum DeepVersion: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Deep.Van.self, Deep.Trailer.self] }
}

enum MovedVersion: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
  static var models: [any PersistentModel.Type] { [Moved.Car.self, Moved.Trailer.self] }
}

enum VehiclePlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [DeepVersion.self, MovedVersion.self] }
  static var stages: [MigrationStage] {
    [.lightweight(fromVersion: DeepVersion.self, toVersion: MovedVersion.self)]
  }
}

@Suite struct HierarchyMigrationTests {
  @Test func subclassesComeToAModelThatHadNone() throws {
    let store = try TemporaryStore()
    try store.open(Flat.Trailer.self) { context in
      context.insert(Flat.Trailer(name: "t", vehicle: Flat.Vehicle(name: "bike", wheels: 2)))
    }
    try store.open(Deep.Trailer.self, Deep.Van.self) { context in
      let trailer = try #require(try context.all(Deep.Trailer.self).first)
      #expect(trailer.vehicle?.name == "bike")
      #expect(type(of: try #require(trailer.vehicle)) == Deep.Vehicle.self)
      context.insert(Deep.Van(name: "van", load: 1.5))
    }
    let names = try store.open(Deep.Trailer.self, Deep.Van.self) { try $0.all(Deep.Vehicle.self).map(\.name).sorted() }
    #expect(names == ["bike", "van"])
  }

  private func deepStore() throws -> TemporaryStore {
    let store = try TemporaryStore()
    try store.open(Schema(versionedSchema: DeepVersion.self)) { context in
      let car = Deep.Car(name: "car", wheels: 3)
      let van = Deep.Van(name: "van", load: 2)
      context.insert(Deep.Vehicle(name: "cart", wheels: 2))
      context.insert(Deep.Trailer(name: "of the car", vehicle: car))
      context.insert(Deep.Trailer(name: "of the van", vehicle: van))
    }
    return store
  }

  @Test func aClassWithRowsIsNotForgottenByMistake() throws {
    let store = try deepStore()
    let error = #expect(throws: StoreError.self) {
      try store.open(Schema([Deep.Car.self, Deep.Trailer.self], version: Schema.Version(2, 0, 0))) { _ in }
    }
    #expect(error?.explanation.contains("the store has the class Van, which inherits from Vehicle") == true)
  }

  @Test func propertiesMoveUpAndDownAndClassesGoAndCome() throws {
    let store = try deepStore()
    try store.open(Schema(versionedSchema: MovedVersion.self), plan: VehiclePlan.self) { context in
      let things = try context.all(Moved.Thing.self).sorted { $0.name < $1.name }
      #expect(things.map { "\(type(of: $0)) \($0.name) \($0.doors ?? -1)" } == ["Car car 4", "Vehicle cart -1"])
      #expect((things.first as? Moved.Car)?.wheels == 3)
      let trailers = try context.all(Moved.Trailer.self).map { "\($0.name): \($0.vehicle?.name ?? "nothing")" }.sorted()
      #expect(trailers == ["of the car: car", "of the van: nothing"])
    }
    #expect(try store.tables().contains("Thing"))
    #expect(try !store.tables().contains("Vehicle"))
  }

  @Test func aRelationshipToAClassBelowIsRefusedWhereOthersAreRelated() throws {
    let store = try TemporaryStore()
    try store.open(Deep.Trailer.self, Deep.Van.self) { context in
      context.insert(Deep.Trailer(name: "t", vehicle: Deep.Vehicle(name: "bike", wheels: 2)))
    }
    let error = store.failure(Narrow.Trailer.self, Narrow.Van.self) as? StoreError
    #expect(error?.explanation.contains("Trailer.vehicle relates a Car, and did relate a Vehicle") == true)
    try store.open(Deep.Trailer.self, Deep.Van.self) { context in
      try context.all(Deep.Trailer.self)[0].vehicle = Deep.Car(name: "car", wheels: 4)
    }
    let names = try store.open(Narrow.Trailer.self, Narrow.Van.self) {
      try $0.all(Narrow.Trailer.self).map { $0.vehicle?.name }
    }
    #expect(names == ["car"])
  }
}
