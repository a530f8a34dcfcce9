import Foundation
import LarderData
import SwiftData
import Testing

/// What a context changed is undone: inserts and deletions.
@Suite struct UndoLifeTests {
  private func context(_ store: TestStore, _ models: [any PersistentModel] = []) throws -> (ModelContext, UndoManager) {
    let context = try store.saved(models)
    let manager = UndoManager()
    context.undoManager = manager
    return (context, manager)
  }

  @Test(arguments: StoreLocation.allCases)
  func insertIsUndoneBeforeAndAfterItsSave(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let (context, manager) = try context(store)
    let crate = Crate(number: 1, text: "kept")
    context.insert(crate)
    let identifier = crate.persistentModelID
    manager.undo()
    #expect(crate.modelContext == nil && crate.text == "kept" && !context.hasChanges)
    manager.redo()
    #expect(crate.modelContext == context && crate.persistentModelID == identifier && crate.text == "kept")
    try context.save()
    #expect(try store.value("SELECT count(*) FROM Crate") == .integer(1))

    manager.undo()
    #expect(crate.isDeleted)
    try context.save()
    #expect(try store.value("SELECT count(*) FROM Crate") == .integer(0))
    manager.redo()
    #expect(!crate.isDeleted && crate.modelContext == context && crate.persistentModelID == identifier)
    try context.save()
    #expect(try store.rows("SELECT number, text FROM Crate") == [[.integer(1), .text("kept")]])
    #expect(try context.existingModel(for: identifier, as: Crate.self) === crate)
  }

  @Test(arguments: StoreLocation.allCases)
  func deletedObjectComesBackUnderItsIdentifier(_ place: StoreLocation) throws {
    let store = try TestStore(place, EveryValue.self)
    let model = EveryValue()
    model.string = "text"
    model.home = Site(name: "home", x: 1, y: 2)
    model.measure = Measure(value: 3, unit: "m")
    let (context, manager) = try context(store, [model])
    let identifier = model.persistentModelID
    let before = try store.rows("SELECT * FROM EveryValue")
    // What was edited in the same step comes back as it was before.
    model.string = "edited"
    context.delete(model)
    try context.save()
    #expect(model.modelContext == nil)
    // What is changed of an object that has gone is dropped.
    model.int = 77
    manager.undo()
    #expect(model.modelContext == context && !model.isDeleted && model.persistentModelID == identifier)
    #expect(model.string == "text" && model.int == 0 && model.home?.name == "home")
    #expect(try context.fetch(FetchDescriptor<EveryValue>()).first === model)
    try context.save()
    let row = try store.rows("SELECT * FROM EveryValue")
    #expect(row.map(\.first) == before.map(\.first))
    #expect(row.map { $0.dropFirst(2) } == before.map { $0.dropFirst(2) })
    manager.redo()
    #expect(model.isDeleted)
    try context.save()
    #expect(try store.value("SELECT count(*) FROM EveryValue") == .integer(0))
  }

  @Test(arguments: StoreLocation.allCases)
  func deletionThatIsNotSavedIsUndone(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let crate = Crate(number: 1)
    let (context, manager) = try context(store, [crate])
    context.delete(crate)
    manager.undo()
    #expect(!crate.isDeleted && crate.modelContext == context && !context.hasChanges)
    #expect(try context.fetchCount(FetchDescriptor<Crate>()) == 1)
    manager.redo()
    #expect(crate.isDeleted)
    try context.save()
    #expect(try store.value("SELECT count(*) FROM Crate") == .integer(0))
  }

  @Test(arguments: StoreLocation.allCases)
  func deletionByPredicateOfWhatNobodyHoldsIsUndone(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self, Photo.self)
    _ = try store.saved((0..<10).map { Crate(number: $0, text: "\($0)") } + [Photo(title: "sea", image: Data([5]))])
    let (context, manager) = try context(store)
    let before = try store.rows("SELECT number, text FROM Crate ORDER BY number")
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Crate>())
    try context.delete(model: Crate.self, where: #Predicate { $0.number % 2 == 0 })
    try context.delete(model: Photo.self)
    try context.save()
    #expect(try store.value("SELECT count(*) FROM Crate") == .integer(5))
    manager.undo()
    #expect(try context.fetchCount(FetchDescriptor<Crate>()) == 10)
    try context.save()
    #expect(try store.rows("SELECT number, text FROM Crate ORDER BY number") == before)
    #expect(try context.fetchIdentifiers(FetchDescriptor<Crate>()) == identifiers)
    #expect(try store.context().fetch(FetchDescriptor<Photo>()).first?.image == Data([5]))
  }

  @Test(arguments: StoreLocation.allCases)
  func insertWithAnEditAndItsDeletionAreThreeSteps(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let (context, manager) = try context(store)
    let crate = Crate(number: 1)
    context.insert(crate)
    context.processPendingChanges()
    crate.number = 2
    context.processPendingChanges()
    context.delete(crate)
    context.processPendingChanges()
    #expect(crate.modelContext == nil)
    manager.undo()
    #expect(crate.modelContext == context && crate.number == 2)
    manager.undo()
    #expect(crate.number == 1)
    try context.save()
    manager.undo()
    try context.save()
    #expect(try store.value("SELECT count(*) FROM Crate") == .integer(0))
    for _ in 0..<3 { manager.redo() }
    #expect(!manager.canRedo && !context.hasChanges)
    manager.undo()
    try context.save()
    #expect(try store.rows("SELECT number FROM Crate") == [[.integer(2)]])
  }

  /// Also where the step had ended before the save found that out.
  @Test(arguments: [false, true])
  func insertThatMetARowIsNotUndone(_ isOfAnEarlierStep: Bool) throws {
    let store = try TestStore(.memory, Sensor.self)
    _ = try store.saved([Sensor("a", label: "was there")])
    let (context, manager) = try context(store)
    context.insert(Sensor("a", label: "met it"))
    context.insert(Sensor("b"))
    if isOfAnEarlierStep { context.processPendingChanges() }
    try context.save()
    manager.undo()
    try context.save()
    #expect(try store.rows("SELECT code, label FROM Sensor") == [[.text("a"), .text("met it")]])
  }

  /// A step names objects by their rows, and a save may give them others.
  @Test func editIsUndoneOfAnInsertThatMetARow() throws {
    let store = try TestStore(.memory, Sensor.self)
    _ = try store.saved([Sensor("a", label: "was there")])
    let (context, manager) = try context(store)
    let sensor = Sensor("a", label: "met it")
    context.insert(sensor)
    context.processPendingChanges()
    sensor.label = "edited"
    try context.save()
    #expect(try store.rows("SELECT code, label FROM Sensor") == [[.text("a"), .text("edited")]])
    manager.undo()
    #expect(sensor.label == "met it")
    try context.save()
    #expect(try store.rows("SELECT code, label FROM Sensor") == [[.text("a"), .text("met it")]])
  }

  /// A context that still has an object of the row must not take the new row for that.
  @Test(arguments: StoreLocation.allCases)
  func othersSeeThatARowCameBackAsAnother(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let crate = Crate(number: 1)
    let (context, manager) = try context(store, [crate])
    let other = store.context()
    let seen = try #require(try other.fetch(FetchDescriptor<Crate>()).first)
    context.delete(crate)
    try context.save()
    manager.undo()
    crate.text = "new"
    try context.save()
    #expect(try other.fetch(FetchDescriptor<Crate>()).first === seen)
    #expect(seen.text == "new")
    // The one that brought it back knows its version: nobody has changed it since.
    context.mergePolicy = .error
    crate.text = "newer"
    try context.save()
    // And the other can go on saving.
    seen.number = 5
    try other.save()
    _ = try context.fetch(FetchDescriptor<Crate>())
    #expect(crate.number == 5)
    crate.number = 6
    try context.save()
    #expect(try store.rows("SELECT number, text FROM Crate") == [[.integer(6), .text("newer")]])
  }

  @Test func failedSaveIsNoStep() throws {
    let store = try TestStore(.memory, Sensor.self)
    let sensor = Sensor("a", level: 1)
    let (context, manager) = try context(store, [sensor])
    sensor.level = .nan
    #expect(throws: SaveError.self) { try context.save() }
    sensor.level = 1
    try context.save()
    #expect(!manager.canUndo)
    sensor.level = .nan
    sensor.label = "new"
    #expect(throws: SaveError.self) { try context.save() }
    sensor.level = 2
    try context.save()
    manager.undo()
    #expect(sensor.level == 1 && sensor.label == "" && !manager.canUndo)
  }
}
