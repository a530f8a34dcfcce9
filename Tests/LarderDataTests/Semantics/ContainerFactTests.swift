import Foundation
import SwiftData
import Testing

@testable import LarderData

@Suite struct ContainerFactTests {
  @Test(arguments: StoreLocation.allCases)
  func aContainerNamesItsStore(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let name = try #require(store.container.configurations.first?.name)
    let identifier = try #require(store.container.storeIdentifier(forConfigurationNamed: name))
    #expect(store.container.configurationName(forStoreIdentifier: identifier) == name)
    #expect(store.container.storeIdentifier(forConfigurationNamed: name + "?") == nil)
    #expect(store.container.configurationName(forStoreIdentifier: name) == nil)
    let context = store.context()
    let crate = Crate(number: 1)
    context.insert(crate)
    try context.save()
    #expect(crate.persistentModelID.storeIdentifier == identifier)
  }

  @Test(arguments: StoreLocation.allCases)
  func aContextHasAnEditingStateOfItsOwn(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    #expect(context.editingState.id == context.editingState.id)
    #expect(context.editingState.id != store.context().editingState.id)
    #expect(context.editingState.author == nil)
    context.author = "importer"
    #expect(context.editingState.author == "importer")
    let identity = context.editingState.id
    context.editingState.author = "feed"
    #expect(context.author == "feed")
    // Another context's state is its author alone.
    context.editingState = store.context().editingState
    #expect(context.author == nil && context.editingState.id == identity)
  }

  @Test(arguments: StoreLocation.allCases)
  func aContainerThatMayNotSaveIsNotErased(_ place: StoreLocation) throws {
    let folder = TestFolder()
    let url = folder.url("test.store")
    let context = ModelContext(try TestStore.open(.disk, url, [Crate.self]))
    context.insert(Crate(number: 1))
    try context.save()
    let container = try TestStore.open(place, url, [Crate.self], allowsSave: false)
    #expect { try container.erase() } throws: { ($0 as? StoreError)?.code == .readOnly }
    #expect(try context.fetchCount(FetchDescriptor<Crate>()) == 1)
  }
}
