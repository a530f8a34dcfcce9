import Foundation
import LarderData
import SwiftData
import Testing

/// A container with a store of one's own beside one of SQLite.
@Suite struct MixedStoresTests {
  let folder = TestFolder()
  let cabinet = Cabinet()

  private func open() throws -> ModelContainer {
    try ModelContainer(
      for: Schema([Crate.self, Sensor.self]),
      configurations: [
        CabinetConfiguration(cabinet: cabinet, schema: Schema([Crate.self])),
        ModelConfiguration(schema: Schema([Sensor.self]), url: folder.url("a.store")),
      ])
  }

  @Test func bothAreSaved() throws {
    let context = ModelContext(try open())
    context.insert(Crate(number: 1))
    context.insert(Sensor("a"))
    try context.save()
    #expect(cabinet.models.count == 1)
    let other = ModelContext(try open())
    #expect(try other.all(Crate.self).count == 1 && other.all(Sensor.self).count == 1)
    #expect(try other.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 1)
  }

  @Test(.directly("two data stores are asked one after the other")) func whatEitherRefusesIsSavedInNone() throws {
    let container = try open()
    let context = ModelContext(container)
    context.insert(Crate(number: 1))
    context.insert(Sensor("a"))
    cabinet.beforeSave = { throw CocoaError(.fileWriteOutOfSpace) }
    #expect(throws: CocoaError.self) { try context.save() }
    #expect(try ModelContext(container).all(Sensor.self).isEmpty && cabinet.models.isEmpty)
    cabinet.beforeSave = {}
    let bad = Sensor("b", level: .nan)
    context.insert(bad)
    #expect(throws: SaveError.self) { try context.save() }
    #expect(cabinet.saves.isEmpty, "it is asked last")
    bad.level = 0
    try context.save()
    #expect(try ModelContext(container).all(Sensor.self).count == 2 && cabinet.models.count == 1)
  }

  @Test func whatAStoreThrowsIsThrown() throws {
    let context = ModelContext(try open())
    context.insert(Crate(number: 1))
    cabinet.beforeSave = { throw DataStoreError.invalidPredicate }
    #expect(throws: DataStoreError.invalidPredicate) { try context.save() }
  }
}
