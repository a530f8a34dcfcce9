import Foundation
import LarderData
import SwiftData
import Testing

@Suite struct RollbackTests {
  @Test(arguments: StoreLocation.allCases)
  func rollbackRestoresExactly(_ place: StoreLocation) throws {
    let store = try TestStore(place, EveryValue.self)
    let context = store.context()
    let model = EveryValue()
    model.string = "e\u{301}"
    model.spot = Site(name: "old", x: 1, y: 2)
    model.tags = ["a"]
    context.insert(model)
    try context.save()
    let before = try store.rows("SELECT * FROM EveryValue")

    func spoil(_ number: Int) {
      model.string = "\u{E9}\(number)"
      model.spot.x = Double(number)
      model.spot = Site(name: "new", x: 5, y: 6)
      model.home = Site(name: "home", x: 7, y: 8)
      model.tags.insert("b\(number)")
      model.rank = .first
      model.optionalDecimal = 3
      model.data = Data([9])
      model.measure.value = 4
      model.date = .distantPast
    }
    for number in 3...5 { spoil(number) }
    context.rollback()
    #expect(model.string.utf8.elementsEqual("e\u{301}".utf8))
    #expect(model.spot == Site(name: "old", x: 1, y: 2))
    #expect(model.home == nil)
    #expect(model.tags == ["a"])
    #expect(model.rank == nil)
    #expect(model.optionalDecimal == nil)
    #expect(model.data == Data())
    #expect(model.measure == Measure(value: 0, unit: ""))
    #expect(model.date == Date(timeIntervalSinceReferenceDate: 0))
    #expect(!model.hasChanges && !context.hasChanges)
    try context.save()
    #expect(try store.rows("SELECT * FROM EveryValue") == before)
    // And the next edit is noted anew.
    spoil(6)
    #expect(model.hasChanges)
    context.rollback()
    #expect(model.spot == Site(name: "old", x: 1, y: 2))
  }

  @Test(arguments: StoreLocation.allCases)
  func rollbackTellsThoseWhoObserve(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    let crate = Crate(number: 1)
    context.insert(crate)
    try context.save()
    crate.number = 2
    let observed = Counted(0)
    withObservationTracking {
      _ = crate.number
    } onChange: {
      observed.update { $0 += 1 }
    }
    context.rollback()
    #expect(crate.number == 1)
    #expect(observed.value == 1)
  }

  @Test(arguments: StoreLocation.allCases)
  func rollbackTakesInsertsAndDeletionsBack(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let context = store.context()
    let stored = Crate(number: 1)
    context.insert(stored)
    try context.save()
    let inserted = Crate(number: 2, text: "kept")
    context.insert(inserted)
    stored.text = "edited"
    context.delete(stored)
    context.rollback()
    #expect(inserted.modelContext == nil)
    #expect(inserted.text == "kept")
    #expect(!inserted.hasChanges)
    #expect(stored.text == "")
    #expect(!stored.isDeleted)
    #expect(try context.fetch(FetchDescriptor<Crate>()).map(\.number) == [1])
    // What was taken back can be entered again.
    context.insert(inserted)
    try context.save()
    #expect(try store.value("SELECT count(*) FROM Crate") == .integer(2))
    #expect(inserted.modelContext == context)
  }

  @Test(arguments: StoreLocation.allCases)
  func modelMayHaveMoreAttributesThanAMaskHasBits(_ place: StoreLocation) throws {
    let store = try TestStore(place, Hundred.self)
    let context = store.context()
    let model = Hundred()
    context.insert(model)
    try context.save()
    #expect(
      try store.rows("SELECT a00, a61, a63, a79, a99 FROM Hundred") == [[0, 61, 63, 79, 99].map { .integer($0) }])

    func edit() {
      model.a00 = -1
      model.a61 = -61
      model.a62 = "sixty-two"
      model.a63 = -63
      model.a70 = "seventy"
      model.a80 = Site(name: "eighty", x: 8, y: 0)
      model.a90 = 0.5
      model.a99 = -99
    }
    edit()
    context.rollback()
    #expect(model.a00 == 0 && model.a61 == 61 && model.a62 == "" && model.a63 == 63 && model.a70 == nil)
    #expect(model.a80 == Site(name: "", x: 0, y: 0) && model.a90 == 0 && model.a99 == 99)
    #expect(!context.hasChanges)

    edit()
    try context.save()
    let read = try #require(try store.context().fetch(FetchDescriptor<Hundred>()).first)
    #expect(read.a00 == -1 && read.a61 == -61 && read.a62 == "sixty-two" && read.a63 == -63 && read.a70 == "seventy")
    #expect(read.a80 == Site(name: "eighty", x: 8, y: 0) && read.a90 == 0.5 && read.a99 == -99)
    #expect(read.a64 == 64 && read.a98 == 98)

    // Only one of those that share a bit: the others are written as they are.
    read.a98 = -98
    read.modelContext?.rollback()
    #expect(read.a98 == 98 && read.a99 == -99)
    model.a98 = -98
    try context.save()
    #expect(
      try store.rows("SELECT a97, a98, a99, a80_name FROM Hundred")
        == [[.integer(97), .integer(-98), .integer(-99), .text("eighty")]])
  }

  @Test(arguments: StoreLocation.allCases)
  func attributesBeyondTheMaskAreFoundAndSorted(_ place: StoreLocation) throws {
    let store = try TestStore(place, Hundred.self)
    let context = store.context()
    for number in 0..<5 {
      let model = Hundred()
      model.a99 = number
      model.a98 = -number
      context.insert(model)
      if number == 2 { try context.save() }
    }
    let found = try context.fetch(
      FetchDescriptor<Hundred>(predicate: #Predicate { $0.a99 > 0 }, sortBy: [SortDescriptor(\.a98)]))
    #expect(found.map(\.a99) == [4, 3, 2, 1])
    let one = try context.fetch(FetchDescriptor<Hundred>(predicate: #Predicate { $0.a99 == 4 }))
    #expect(one.map(\.a98) == [-4])
    found[2].a99 = 40
    let edited = try context.fetch(FetchDescriptor<Hundred>(predicate: #Predicate { $0.a99 == 40 }))
    #expect(edited.map(\.a98) == [-2])
  }
}
