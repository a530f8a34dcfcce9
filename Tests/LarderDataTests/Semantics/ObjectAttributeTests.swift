import LarderData
import SwiftData
import Testing

final class Preferences: Codable, Equatable {
  var size: Int
  init(size: Int) { self.size = size }
  static func == (left: Preferences, right: Preferences) -> Bool { left.size == right.size }
}

/// A value that has an object within.
struct Theme: Codable {
  var name: String
  var preferences: Preferences?
}

enum Look: Codable {
  case plain(String)
  case own(Preferences)
}

@Model
final class Viewer {
  var preferences = Preferences(size: 1)
  var maybe: Preferences? = Preferences(size: 1)
  var history: [Preferences] = [Preferences(size: 1)]
  var themes: [String: Theme] = ["a": Theme(name: "a", preferences: Preferences(size: 1))]
  var look = Look.own(Preferences(size: 1))
  var plain = Look.plain("x")
  var tags: [String] = []

  init() {}

  var sizes: [Int?] {
    var lookSize: Int?
    if case .own(let own) = look { lookSize = own.size }
    return [preferences.size, maybe?.size, history.first?.size, themes["a"]?.preferences?.size, lookSize]
  }

  /// Changes every object in place, and assigns it again.
  func change(to size: Int) {
    let (first, second, third, fourth, fifth) = (preferences, maybe, history, themes, look)
    first.size = size
    second?.size = size
    third[0].size = size
    fourth["a"]?.preferences?.size = size
    if case .own(let own) = fifth { own.size = size }
    (preferences, maybe, history, themes, look) = (first, second, third, fourth, fifth)
  }
}

/// Objects beside the row.
@Model
final class Gallery {
  @Attribute(.externalStorage) var preferences = Preferences(size: 1)
  @Attribute(.externalStorage) var themes: [String: Theme] = ["a": Theme(name: "a", preferences: Preferences(size: 1))]

  init() {}

  var sizes: [Int?] { [preferences.size, themes["a"]?.preferences?.size] }

  /// Changes every object in place, and assigns it again.
  func change(to size: Int) {
    let (first, second) = (preferences, themes)
    first.size = size
    second["a"]?.preferences?.size = size
    (preferences, themes) = (first, second)
  }
}

/// Attributes whose values are objects, or have some within.
@Suite struct ObjectAttributeTests {
  private func one<Model: PersistentModel>(_ type: Model.Type, _ context: ModelContext) throws -> Model {
    try #require(try context.fetch(FetchDescriptor<Model>()).first)
  }

  @Test(arguments: StoreLocation.allCases)
  func objectIsStoredAtEachAssignment(_ place: StoreLocation) throws {
    let store = try TestStore(place, Viewer.self)
    let context = store.context()
    let viewer = Viewer()
    context.insert(viewer)
    try context.save()
    func stored() throws -> [Int?] { try one(Viewer.self, store.context()).sizes }
    #expect(try stored() == [1, 1, 1, 1, 1])
    // Changed in place, and assigned again.
    viewer.change(to: 2)
    #expect(context.hasChanges)
    try context.save()
    #expect(try stored() == [2, 2, 2, 2, 2])
    // A new object of what the changed one has by now.
    viewer.preferences.size = 3
    viewer.preferences = Preferences(size: 3)
    try context.save()
    #expect(try stored() == [3, 2, 2, 2, 2])
  }

  /// As documented: nobody sees what is changed within an object.
  @Test(arguments: StoreLocation.allCases)
  func objectThatIsOnlyChangedInPlaceIsNoEdit(_ place: StoreLocation) throws {
    let store = try TestStore(place, Viewer.self)
    let context = store.context()
    let viewer = Viewer()
    context.insert(viewer)
    try context.save()
    viewer.preferences.size = 2
    #expect(!context.hasChanges)
    try context.save()
    #expect(try one(Viewer.self, store.context()).preferences.size == 1)
  }

  @Test(arguments: StoreLocation.allCases)
  func rollbackLeadsToWhatIsStored(_ place: StoreLocation) throws {
    let store = try TestStore(place, Viewer.self)
    let context = store.context()
    let viewer = Viewer()
    context.insert(viewer)
    try context.save()
    viewer.change(to: 2)
    context.rollback()
    #expect(!context.hasChanges)
    #expect(viewer.sizes == [1, 1, 1, 1, 1])
  }

  @Test(arguments: StoreLocation.allCases)
  func objectsBesideTheRowAreRolledBackToWhatIsStored(_ place: StoreLocation) throws {
    let store = try TestStore(place, Gallery.self)
    let context = store.context()
    let gallery = Gallery()
    context.insert(gallery)
    try context.save()
    gallery.change(to: 2)
    context.rollback()
    #expect(!context.hasChanges)
    #expect(gallery.sizes == [1, 1])
    gallery.change(to: 3)
    try context.save()
    #expect(try one(Gallery.self, store.context()).sizes == [3, 3])
  }

  /// Each step has what the object was, though it is the same one.
  @Test(arguments: StoreLocation.allCases)
  func objectsBesideTheRowAreUndoneStepByStep(_ place: StoreLocation) throws {
    let store = try TestStore(place, Gallery.self)
    let context = store.context()
    let gallery = Gallery()
    context.insert(gallery)
    try context.save()
    let undo = UndoManager()
    context.undoManager = undo
    gallery.change(to: 2)
    context.processPendingChanges()
    gallery.change(to: 3)
    try context.save()
    undo.undo()
    #expect(gallery.sizes == [2, 2])
    undo.undo()
    #expect(gallery.sizes == [1, 1])
    try context.save()
    #expect(try one(Gallery.self, store.context()).sizes == [1, 1])
    undo.redo()
    undo.redo()
    try context.save()
    #expect(gallery.sizes == [3, 3])
    #expect(try one(Gallery.self, store.context()).sizes == [3, 3])
  }

  @Test(arguments: StoreLocation.allCases)
  func equalValueWithoutObjectsIsNoEdit(_ place: StoreLocation) throws {
    let store = try TestStore(place, Viewer.self)
    let context = store.context()
    let viewer = Viewer()
    context.insert(viewer)
    try context.save()
    viewer.plain = .plain("x")
    viewer.tags = []
    #expect(!context.hasChanges)
  }
}
