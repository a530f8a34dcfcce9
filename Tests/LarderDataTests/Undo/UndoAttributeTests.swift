import Foundation
import LarderData
import SwiftData
import Testing

/// What a context changed is undone: attributes of every kind.
@Suite struct UndoAttributeTests {
  @Test(arguments: StoreLocation.allCases)
  func editIsUndoneAndRedoneAcrossSaves(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let crate = Crate(number: 1, text: "one")
    let context = try store.saved([crate])
    let manager = UndoManager()
    context.undoManager = manager
    #expect(context.undoManager === manager)
    for number in 2...4 {
      crate.number = number
      try context.save()
    }
    for number in [3, 2, 1] {
      manager.undo()
      #expect(crate.number == number && context.hasChanges)
      try context.save()
      #expect(try store.value("SELECT number FROM Crate") == .integer(Int64(number)))
    }
    #expect(!manager.canUndo)
    manager.redo()
    manager.redo()
    #expect(crate.number == 3)
    try context.save()
    manager.redo()
    #expect(crate.number == 4)
    #expect(!manager.canRedo)
    try context.save()
    #expect(try store.rows("SELECT number, text FROM Crate") == [[.integer(4), .text("one")]])
  }

  @Test(arguments: StoreLocation.allCases)
  func everyKindOfValueIsWhatItWas(_ place: StoreLocation) throws {
    let store = try TestStore(place, EveryValue.self)
    let model = EveryValue()
    model.string = "e\u{301}"
    model.spot = Site(name: "old", x: 1, y: 2)
    model.tags = ["a"]
    let context = try store.saved([model])
    context.undoManager = UndoManager()
    let before = try store.rows("SELECT * FROM EveryValue")
    model.string = "\u{E9}"
    model.spot.x = 8
    model.home = Site(name: "home", x: 7, y: 8)
    model.tags.insert("b")
    model.ratios["c"] = 2
    model.rank = .first
    model.optionalDecimal = 3
    model.optionalDouble = 0.5
    model.data = Data([9])
    model.measure.value = 4
    model.date = .distantPast
    model.uint64 = 1 << 40
    try context.save()
    let after = try store.rows("SELECT * FROM EveryValue")
    context.undoManager?.undo()
    #expect(model.string.utf8.elementsEqual("e\u{301}".utf8))
    #expect(model.spot == Site(name: "old", x: 1, y: 2) && model.home == nil)
    #expect(model.tags == ["a"] && model.ratios.isEmpty && model.rank == nil)
    #expect(model.optionalDecimal == nil && model.optionalDouble == nil && model.data.isEmpty)
    #expect(model.measure == Measure(value: 0, unit: "") && model.uint64 == 0)
    try context.save()
    // But for the version, which tells others of it.
    #expect(try store.rows("SELECT * FROM EveryValue").map { $0.dropFirst(2) } == before.map { $0.dropFirst(2) })
    context.undoManager?.redo()
    #expect(model.string.utf8.elementsEqual("\u{E9}".utf8) && model.spot.x == 8 && model.tags == ["a", "b"])
    try context.save()
    #expect(try store.rows("SELECT * FROM EveryValue").map { $0.dropFirst(2) } == after.map { $0.dropFirst(2) })
  }

  @Test(arguments: StoreLocation.allCases)
  func valuesBesideTheRowAreWhatTheyWere(_ place: StoreLocation) throws {
    let store = try TestStore(place, Photo.self, Song.self)
    let photo = Photo(title: "sea", image: Data([1]))
    let song = Song(title: "air")
    _ = try store.saved([photo, song])
    // Another context, which has loaded nothing of them.
    let context = store.context()
    context.undoManager = UndoManager()
    let fetched = try #require(try context.fetch(FetchDescriptor<Photo>()).first)
    let heard = try #require(try context.fetch(FetchDescriptor<Song>()).first)
    fetched.image = Data([2, 2])
    fetched.text = "waves"
    heard.isPlaying = true
    heard.position = 1.5
    heard.cover = Cover(color: 9)
    try context.save()
    fetched.image = Data([3])
    try context.save()
    context.undoManager?.undo()
    #expect(fetched.image == Data([2, 2]) && fetched.text == "waves" && heard.isPlaying)
    context.undoManager?.undo()
    #expect(fetched.image == Data([1]) && fetched.text == nil)
    #expect(!heard.isPlaying && heard.position == nil && heard.cover == Cover(color: 7))
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Photo>()).first?.image == Data([1]))
    context.undoManager?.redo()
    context.undoManager?.redo()
    #expect(fetched.image == Data([3]) && heard.isPlaying && heard.position == 1.5)
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Photo>()).first?.image == Data([3]))
  }

  @Test(arguments: StoreLocation.allCases)
  func attributesThatShareABitAreUndoneEachByItself(_ place: StoreLocation) throws {
    let store = try TestStore(place, Hundred.self)
    let model = Hundred()
    let context = try store.saved([model])
    context.undoManager = UndoManager()
    model.a00 = -1
    model.a62 = "sixty-two"
    model.a98 = -98
    context.processPendingChanges()
    model.a99 = -99
    model.a80 = Site(name: "eighty", x: 8, y: 0)
    context.processPendingChanges()
    model.a98 = -980
    context.undoManager?.undo()
    #expect(model.a98 == -98 && model.a99 == -99)
    context.undoManager?.undo()
    #expect(model.a98 == -98 && model.a99 == 99 && model.a80 == Site(name: "", x: 0, y: 0))
    context.undoManager?.undo()
    #expect(model.a00 == 0 && model.a62 == "" && model.a98 == 98)
    for _ in 0..<3 { context.undoManager?.redo() }
    #expect(model.a00 == -1 && model.a98 == -980 && model.a99 == -99 && model.a80.x == 8)
  }

  @Test(arguments: StoreLocation.allCases)
  func stepsWithoutASaveAreUndone(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let crate = Crate(number: 0)
    let context = try store.saved([crate])
    context.undoManager = UndoManager()
    for number in 1...3 {
      crate.number = number
      context.processPendingChanges()
    }
    crate.text = "not of a step yet"
    context.undoManager?.undo()
    #expect(crate.number == 3 && crate.text == "")
    context.undoManager?.undo()
    #expect(crate.number == 2)
    try context.save()
    context.undoManager?.undo()
    context.undoManager?.undo()
    #expect(crate.number == 0)
    try context.save()
    #expect(try store.value("SELECT number FROM Crate") == .integer(0))
    for _ in 0..<4 { context.undoManager?.redo() }
    #expect(crate.number == 3 && crate.text == "not of a step yet")
  }

  @Test(arguments: StoreLocation.allCases)
  func keysAreUndone(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let sensor = Sensor("a", label: "first", level: 1)
    let context = try store.saved([sensor])
    context.undoManager = UndoManager()
    sensor.code = "b"
    sensor.note = "note"
    try context.save()
    let other = Sensor("a")
    context.insert(other)
    try context.save()
    context.undoManager?.undo()
    context.undoManager?.undo()
    // The key is free again, since the other goes in the same save.
    try context.save()
    #expect(try store.rows("SELECT code, note FROM Sensor") == [[.text("a"), .null]])
  }

  @Test func valueThatCannotBeStoredDoesNotTrap() throws {
    let store = try TestStore(.memory, Sensor.self)
    let sensor = Sensor("a", level: 1)
    let context = try store.saved([sensor])
    context.undoManager = UndoManager()
    sensor.level = .nan
    context.processPendingChanges()
    sensor.level = 3
    context.processPendingChanges()
    context.undoManager?.undo()
    #expect(sensor.level == 3)
    context.undoManager?.undo()
    #expect(sensor.level == 1)
    try context.save()

    // Nor does an object that has one, and was never saved.
    let odd = Sensor("b", level: .nan, spot: Site(name: "", x: .nan, y: 0))
    context.insert(odd)
    context.processPendingChanges()
    context.undoManager?.undo()
    context.undoManager?.redo()
    #expect(odd.modelContext == context && odd.level.isNaN && odd.spot.x.isNaN)
    context.undoManager?.undo()
    let other = store.context()
    other.insert(odd)
    context.undoManager?.redo()
    #expect(odd.modelContext == other)
    #expect(try context.fetchCount(FetchDescriptor<Sensor>()) == 1)
  }

  /// The store has null where it was; what cannot be stored is still refused.
  @Test func valueThatCannotBeStoredStaysAChange() throws {
    let store = try TestStore(.memory, EveryValue.self)
    let thing = EveryValue()
    let context = try store.saved([thing])
    context.undoManager = UndoManager()
    thing.optionalDouble = .nan
    thing.int = 2
    context.processPendingChanges()
    context.undoManager?.undo()
    #expect(context.hasChanges)
    #expect(throws: SaveError.self) { try context.save() }
    context.rollback()
    #expect(thing.optionalDouble == nil)
  }

  @Test(arguments: StoreLocation.allCases)
  func valueBesideTheRowThatIsUndoneLeavesNothingToBeSaved(_ place: StoreLocation) throws {
    let store = try TestStore(place, Photo.self)
    _ = try store.saved([Photo(title: "a", image: Data([1]))])
    let (context, manager) = store.undoing()
    let photo = try #require(try context.all(Photo.self).first)
    // Not read before.
    photo.image = Data([2])
    photo.marks = [Photo.Mark(x: 1, y: 2)]
    context.processPendingChanges()
    manager.undo()
    #expect(!context.hasChanges && photo.image == Data([1]) && photo.marks.isEmpty)
    manager.redo()
    #expect(photo.image == Data([2]) && photo.marks.count == 1)
    try context.save()
    #expect(try store.context().all(Photo.self).first?.image == Data([2]))
  }

  @Test func observersAreTold() throws {
    let store = try TestStore(.memory, Crate.self)
    let crate = Crate(number: 1)
    let context = try store.saved([crate])
    context.undoManager = UndoManager()
    crate.number = 2
    try context.save()
    let told = Counted(0)
    withObservationTracking {
      _ = crate.number
    } onChange: {
      told.update { $0 += 1 }
    }
    context.undoManager?.undo()
    #expect(crate.number == 1 && told.value == 1)
  }
}
