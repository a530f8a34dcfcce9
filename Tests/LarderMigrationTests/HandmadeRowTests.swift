import Foundation
import LarderMigration
import SwiftData
import Testing

@testable import LarderData

/// There is a class above both models of `Flat`, which have had a table each.
enum Above {
  @Model class Thing {
    var name: String
    init(name: String) { self.name = name }
  }

  @Model final class Vehicle: Thing {
    var wheels: Int
    init(name: String, wheels: Int) {
      self.wheels = wheels
      super.init(name: name)
    }
  }

  @Model final class Trailer: Thing {
    var vehicle: Vehicle?
    init(name: String, vehicle: Vehicle?) {
      self.vehicle = vehicle
      super.init(name: name)
    }
  }
}

/// What other programs have written into the store in other ways than this one does.
@Suite struct HandmadeRowTests {
  /// Any whole number may be a row's.
  @Test(arguments: [[Int64.min, .max], [.min], [.max], [.min, .min + 1, 0, .max - 1, .max]])
  func rowsAtTheEndsOfTheNumbersAreCarried(_ identifiers: [Int64]) throws {
    let store = try TemporaryStore()
    try store.open(Plain.Note.self) { _ in }
    for identifier in identifiers {
      try store.execute(
        "INSERT INTO Note (larder_id, larder_version, title, pages) VALUES (\(identifier), 1, 'row \(identifier)', 7)")
    }
    try store.open(Fuller.Note.self) { _ in }
    let titles = try store.strings("SELECT title FROM Note ORDER BY larder_id")
    #expect(titles == identifiers.map { "row \($0)" })
  }

  @Test func rowsOfTwoTablesThatBecomeOneMayNotShareANumber() throws {
    let store = try TemporaryStore()
    try store.open(Flat.Trailer.self) { context in
      for number in 0..<3 { context.insert(Flat.Trailer(name: "t\(number)", vehicle: nil)) }
      context.insert(Flat.Vehicle(name: "bike", wheels: 2))
    }
    let above = [Above.Thing.self, Above.Vehicle.self, Above.Trailer.self] as [any PersistentModel.Type]
    try store.execute(
      "INSERT INTO Vehicle (larder_id, larder_version, name, wheels) SELECT larder_id, 1, 'of ' || name, 4 FROM Trailer "
        + "WHERE name <> 't0'")
    let shared = try #require(try store.strings("SELECT min(larder_id) FROM Trailer WHERE name <> 't0'").first)
    let before = store.bytes
    let error = #expect(throws: StoreError.self) { try store.open(Schema(above)) { _ in } }
    #expect(error?.code == .schemaMismatch)
    let sentence = "Trailer and Vehicle both have a row with the larder_id \(shared) (and 1 more in common)"
    #expect(error?.explanation.contains(sentence) == true, "\(error?.explanation ?? "")")
    #expect(store.bytes == before)

    let forecast = try forecast(store, above)
    #expect(forecast.verdict == .impossible)
    #expect(forecast.problems.contains { $0.hasPrefix(sentence) }, "\(forecast.problems)")

    // What it says is to be done.
    try store.execute("UPDATE Vehicle SET larder_id = larder_id + 100 WHERE name LIKE 'of %'")
    #expect(try self.forecast(store, above).verdict == .possible)
    let names = try store.open(Schema(above)) { try $0.all(Above.Thing.self).map(\.name).sorted() }
    #expect(names == ["bike", "of t1", "of t2", "t0", "t1", "t2"])
  }

  private func forecast(_ store: TemporaryStore, _ models: [any PersistentModel.Type]) throws -> MigrationForecast {
    var options = SQLiteStore.Options(url: store.url)
    options.isReadOnly = true
    let definitions = ModelHierarchy.all(try ContainerCore.layouts(of: Schema(models))).map { TableDefinition($0) }
    return try SQLiteStore.open(options, layouts: []).forecast(to: definitions)
  }

  /// A name that no program has written, of a type that no model has.
  @Test func aTypeOfManyLayersIsAnUnknownOne() throws {
    let store = try TemporaryStore()
    try store.open(Plain.Note.self) { $0.insert(Plain.Note(title: "a", pages: 1)) }
    try store.execute(
      "UPDATE larder_store SET value = json_set(value, '$[0].columns[0].valueType', '\(name(100_000))') "
        + "WHERE key = 'schema'")
    let titles = try store.open(Plain.Note.self) { try $0.all(Plain.Note.self).map(\.title) }
    #expect(titles == ["a"])
  }

  private func name(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + "Int" + String(repeating: "]", count: depth)
  }

  @Test func namesOfTypesAreToldUpToADepth() {
    let deepest = ValueTypes.maximumNameDepth
    #expect(ValueTypes.type(named: "[[String?]]?") is [[String?]]?.Type)
    #expect(ValueTypes.name(of: ValueTypes.type(named: name(deepest))) == name(deepest))
    let deeper = ValueTypes.name(of: ValueTypes.type(named: name(deepest + 1)))
    #expect(deeper == name(deepest).replacing("Int", with: "Unresolved"))
    let optional = ValueTypes.name(of: ValueTypes.type(named: "Int" + String(repeating: "?", count: 100_000)))
    #expect(optional == "Unresolved" + String(repeating: "?", count: deepest))
  }
}
