import Foundation
import LarderData
import SwiftData
import Testing

@Suite struct SharedStoreTests {
  @Test func containersOfOneFileShareAStore() throws {
    let folder = TestFolder()
    let first = try TestStore.open(.disk, folder.url("test.store"), [Crate.self])
    try FileManager.default.createSymbolicLink(
      at: folder.url("link.store"), withDestinationURL: folder.url("test.store"))
    try FileManager.default.linkItem(at: folder.url("test.store"), to: folder.url("hard.store"))
    for name in ["test.store", "link.store", "hard.store"] {
      let second = try TestStore.open(.disk, folder.url(name), [Crate.self])
      #expect(second.store === first.store)
      let context = ModelContext(second)
      let crate = Crate(number: 1, text: name)
      context.insert(crate)
      try context.save()
      let found: Crate = try ModelContext(first).existingModel(for: crate.persistentModelID)
      #expect(found.text == name)
      #expect(found == crate)
    }
  }

  @Test func containersInMemoryShareNothing() throws {
    let first = try TestStore(.memory, Crate.self)
    let second = try TestStore(.memory, Crate.self)
    let context = first.context()
    context.insert(Crate(number: 1))
    try context.save()
    #expect(try second.context().fetchCount(FetchDescriptor<Crate>()) == 0)
    #expect(first.container.store !== second.container.store)
  }

  @Test func secondContainerMayBringMoreModels() throws {
    let folder = TestFolder()
    let first = try TestStore.open(.disk, folder.url("test.store"), [Crate.self])
    let second = try TestStore.open(.disk, folder.url("test.store"), [Crate.self, Sensor.self])
    let context = ModelContext(second)
    context.insert(Sensor("a"))
    try context.save()
    #expect(throws: SwiftDataError.unknownSchema) { try ModelContext(first).fetch(FetchDescriptor<Sensor>()) }
  }

  @Test func openingWithFewerModelsLeavesTheOthersAlone() throws {
    let folder = TestFolder()
    do {
      let context = ModelContext(try TestStore.open(.disk, folder.url("test.store"), [Crate.self, Sensor.self]))
      context.insert(Sensor("a"))
      context.insert(Crate(number: 1))
      try context.save()
    }
    do {
      let context = ModelContext(try TestStore.open(.disk, folder.url("test.store"), [Crate.self]))
      context.insert(Crate(number: 2))
      try context.save()
    }
    let context = ModelContext(try TestStore.open(.disk, folder.url("test.store"), [Crate.self, Sensor.self]))
    #expect(try context.fetchCount(FetchDescriptor<Sensor>()) == 1)
    #expect(try context.fetchCount(FetchDescriptor<Crate>()) == 2)
  }

  @Test(arguments: StoreLocation.allCases)
  func whatAnotherContextSavedIsReadByTheNextFetch(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let writer = store.context()
    let crate = Crate(number: 1)
    writer.insert(crate)
    try writer.save()
    let reader = store.context()
    let seen = try #require(try reader.fetch(FetchDescriptor<Crate>()).first)
    let observed = Counted(0)
    withObservationTracking {
      _ = seen.number
    } onChange: {
      observed.update { $0 += 1 }
    }
    crate.number = 2
    try writer.save()
    #expect(try reader.fetch(FetchDescriptor<Crate>()).first === seen)
    #expect(seen.number == 2)
    #expect(!seen.hasChanges)
    #expect(observed.value == 1)
  }
}
