import Foundation
import LarderData
import SwiftData
import Testing

@Suite struct ContextLifeTests {
  @Test(arguments: StoreLocation.allCases)
  func contextThatGoesSavesIfItMay(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    do {
      let context = store.context()
      context.autosaveEnabled = true
      context.insert(Crate(number: 1))
    }
    #expect(try store.value("SELECT count(*) FROM Crate") == .integer(1))
  }

  @Test(arguments: StoreLocation.allCases)
  func contextThatGoesDropsWhatItMayNotSave(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let held = Crate(number: 1)
    weak var core: _ContextCore?
    do {
      let context = store.context()
      core = context.core
      context.insert(held)
      context.insert(Crate(number: 2))
    }
    #expect(try store.value("SELECT count(*) FROM Crate") == .integer(0))
    #expect(held.modelContext == nil)
    #expect(held.number == 1)
    // Nothing pending is left, so nothing holds on to the context.
    #expect(core == nil)
  }

  @Test(arguments: StoreLocation.allCases)
  func contextThatCannotSaveWhenItGoesDropsItsChanges(_ place: StoreLocation) throws {
    let store = try TestStore(place, EveryValue.self)
    weak var core: _ContextCore?
    do {
      let context = store.context()
      context.autosaveEnabled = true
      core = context.core
      let model = EveryValue()
      model.double = .nan
      context.insert(model)
    }
    #expect(core == nil)
    #expect(try store.value("SELECT count(*) FROM EveryValue") == .integer(0))
  }

  @Test(arguments: StoreLocation.allCases)
  func modelsOutliveTheirContext(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    do {
      let context = store.context()
      context.insert(Sensor("a", label: "kept", spot: Site(name: "here", x: 1, y: 2)))
      try context.save()
    }
    weak var core: _ContextCore?
    var fetched: [Sensor] = []
    do {
      let context = store.context()
      core = context.core
      fetched = try context.fetch(FetchDescriptor<Sensor>())
    }
    #expect(core != nil)
    #expect(fetched.first?.label == "kept")
    #expect(fetched.first?.spot == Site(name: "here", x: 1, y: 2))
    // Its context can still be had, finds the same instance and saves.
    do {
      let context = try #require(fetched.first?.modelContext)
      #expect(try context.fetch(FetchDescriptor<Sensor>()).first === fetched.first)
      fetched.first?.label = "edited"
      try context.save()
    }
    #expect(try store.value("SELECT label FROM Sensor") == .text("edited"))
    fetched = []
    #expect(core == nil)
  }

  @Test(arguments: StoreLocation.allCases)
  func editsAreUndoneWhenTheContextGoes(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    var context: ModelContext? = store.context()
    let crate = Crate(number: 1)
    context?.insert(crate)
    try context?.save()
    crate.number = 2
    context = nil
    #expect(crate.number == 1)
    #expect(!crate.hasChanges)
    #expect(try store.value("SELECT number FROM Crate") == .integer(1))
  }

  @Test(arguments: StoreLocation.allCases)
  func contextAndStoreGoWithTheLastReference(_ place: StoreLocation) throws {
    weak var container: ModelContainer?
    weak var database: SQLiteStore?
    do {
      let store = try TestStore(place, Crate.self)
      container = store.container
      database = store.container.store
      let context = store.context()
      for number in 0..<100 { context.insert(Crate(number: number)) }
      try context.save()
      let fetched = try context.fetch(FetchDescriptor<Crate>())
      fetched[0].number = 1
      withObservationTracking {
        _ = fetched.map(\.number)
      } onChange: {
      }
      try context.save()
    }
    #expect(container == nil)
    #expect(database == nil)
  }

  @MainActor @Test func mainContextIsOneAndSavesByItself() throws {
    let store = try TestStore(.memory, Crate.self)
    #expect(store.container.mainContext === store.container.mainContext)
    #expect(store.container.mainContext.autosaveEnabled)
    #expect(!store.context().autosaveEnabled)
  }
}
