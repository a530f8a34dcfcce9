import Foundation
import LarderSQLite
import LarderSupport
import SwiftData
import Testing

@testable import LarderData

@Suite struct BatchUpdateTests {
  private func filled(_ place: StoreLocation) throws -> (store: TestStore, context: ModelContext) {
    let store = try TestStore(place, Sensor.self, Reading.self)
    let context = store.context()
    for number in 0..<6 {
      context.insert(Sensor("s\(number)", level: Double(number), count: number))
      context.insert(
        Reading(number, small: 100, price: Decimal(number) / 10, change: number < 3 ? nil : 1, home: nil))
    }
    try context.save()
    return (store, context)
  }

  @Test(arguments: StoreLocation.allCases)
  func updateChangesRowsWithoutLoadingThem(_ place: StoreLocation) throws {
    let (store, context) = try filled(place)
    let count = try context.updateAndSave(Sensor.self, where: #Predicate { $0.level >= 3 }) {
      $0.set(\.label, to: "high")
      $0.set(\.spot.name, to: "here")
      $0.set(\.note, to: nil)
      $0.add(10, to: \.count)
    }
    #expect(count == 3)
    #expect(context.core.objectCount == 0)
    #expect(try store.value("SELECT group_concat(count) FROM Sensor") == .text("0,1,2,13,14,15"))
    #expect(try store.value("SELECT count(*) FROM Sensor WHERE label = 'high' AND spot_name = 'here'") == .integer(3))
    #expect(try store.value("SELECT group_concat(larder_version) FROM Sensor") == .text("1,1,1,2,2,2"))
  }

  @Test(arguments: StoreLocation.allCases)
  func whatIsPendingIsSavedFirst(_ place: StoreLocation) throws {
    let (store, context) = try filled(place)
    let models = try context.fetch(FetchDescriptor<Sensor>(sortBy: [SortDescriptor(\.count)]))
    models[0].level = 50
    models[5].level = -1
    context.delete(models[4])
    context.insert(Sensor("new", level: 60))
    let high = try context.updateAndSave(Sensor.self, where: #Predicate { $0.level >= 3 }) {
      $0.set(\.label, to: "high")
    }
    #expect(high == 3)
    #expect(!context.hasChanges)
    #expect(models.map(\.label) == ["high", "", "", "high", "", ""])
    #expect(
      try store.value("SELECT group_concat(code) FROM Sensor WHERE label = 'high'") == .text("s0,s3,new"))
    // An edit afterwards meets the version that the update left.
    models[3].label = "edited"
    try context.save()
    #expect(try store.value("SELECT larder_version FROM Sensor WHERE code = 's3'") == .integer(3))
  }

  @Test(arguments: StoreLocation.allCases)
  func rowsThatHaveTheValuesAreLeftAlone(_ place: StoreLocation) throws {
    let (store, context) = try filled(place)
    let log = SaveLog(context)
    let work = try store.writing {
      let same = try context.updateAndSave(Sensor.self) {
        $0.set(\.label, to: "")
        $0.set(\.note, to: nil)
      }
      #expect(same == 0)
      let none = try context.updateAndSave(Sensor.self) { _ in }
      #expect(none == 0)
    }
    #expect(work.rowChanges == 0)
    #expect(work.status.pagesWritten == 0)
    #expect(log.saves.allSatisfy { $0.updated?.isEmpty == true })
  }

  @Test(arguments: StoreLocation.allCases)
  func hooksAndNotificationsTellOfAnUpdate(_ place: StoreLocation) throws {
    let (store, context) = try filled(place)
    let seen = Counted<[ChangeSet]>([])
    let key = store.container.store.observers.add(observer: { changes in seen.update { $0.append(changes) } })
    defer { store.container.store.observers.remove(key) }
    let log = SaveLog(context)
    let model = try #require(
      try context.fetch(FetchDescriptor<Sensor>(predicate: #Predicate { $0.code == "s1" })).first)
    model.note = "edited"
    context.insert(Sensor("new"))
    try context.updateAndSave(Sensor.self, where: #Predicate { $0.count < 2 }) { $0.add(0.5, to: \.level) }
    let entity = try #require(seen.value.first?.entities.first)
    #expect(entity.inserted.count == 1)
    #expect(entity.updated.count == 2)
    let layout = Sensor._$layout
    let level = try #require(layout.property(named: "level")).bit
    let note = try #require(layout.property(named: "note")).bit
    #expect(Set(entity.updated.map(\.mask)) == [level, level | note])
    #expect(log.saves.map(\.updated?.count) == [2])
    #expect(log.saves.map(\.inserted?.count) == [1])
  }

  @Test(arguments: StoreLocation.allCases)
  func observersAreToldOfAnUpdate(_ place: StoreLocation) throws {
    let (store, context) = try filled(place)
    defer { withExtendedLifetime(store) {} }
    let model = try #require(try context.fetch(FetchDescriptor<Sensor>()).first)
    let told = Counted(0)
    withObservationTracking {
      _ = model.level
    } onChange: {
      told.update { $0 += 1 }
    }
    try context.updateAndSave(Sensor.self) { $0.set(\.level, to: 99) }
    #expect(told.value == 1)
    #expect(model.level == 99)
  }

  @Test(arguments: StoreLocation.allCases)
  func updateThatFailsWritesNothing(_ place: StoreLocation) throws {
    let (store, context) = try filled(place)
    context.insert(Sensor("pending"))
    let same = #expect(throws: SaveError.self) { try context.updateAndSave(Sensor.self) { $0.set(\.code, to: "s1") } }
    #expect(same?.code == .uniquenessConflict)
    #expect(same?.properties == ["code"])
    let unstorable = #expect(throws: SaveError.self) {
      try context.updateAndSave(Sensor.self) { $0.set(\.level, to: .nan) }
    }
    #expect(unstorable?.code == .unstorableValue)
    let large = #expect(throws: SaveError.self) {
      try context.updateAndSave(Sensor.self) { $0.add(.max, to: \.count) }
    }
    #expect(large?.code == .unstorableValue)
    let narrow = #expect(throws: SaveError.self) {
      try context.updateAndSave(Reading.self) { $0.add(100, to: \.small) }
    }
    #expect(narrow?.code == .unstorableValue)
    let digits = #expect(throws: SaveError.self) {
      try context.updateAndSave(Reading.self) { $0.add(Decimal(string: "1e38") ?? 0, to: \.price) }
    }
    #expect(digits?.code == .unstorableValue)
    #expect(throws: FetchError.self) {
      try context.updateAndSave(Sensor.self, where: #Predicate { 1 / $0.count > 0 }) { $0.set(\.label, to: "x") }
    }
    #expect(throws: FetchError.self) {
      try context.updateAndSave(Reading.self) { $0.set(\.home!.name, to: "x") }
    }
    #expect(context.insertedModelsArray.count == 1)
    #expect(try store.value("SELECT sum(larder_version) FROM Sensor") == .integer(6))
    #expect(try store.value("SELECT sum(larder_version) FROM Reading") == .integer(6))
    // A single row may take a key that is free.
    try context.updateAndSave(Sensor.self, where: #Predicate { $0.code == "s1" }) { $0.set(\.code, to: "free") }
    #expect(try store.value("SELECT count(*) FROM Sensor WHERE code IN ('free', 'pending')") == .integer(2))
  }

  @Test(arguments: StoreLocation.allCases)
  func amountsAreAddedExactly(_ place: StoreLocation) throws {
    let (store, context) = try filled(place)
    defer { withExtendedLifetime(store) {} }
    try context.updateAndSave(Reading.self) {
      $0.add(Decimal(string: "0.01") ?? 0, to: \.price)
      $0.add(-2.5, to: \.change)
      $0.set(\.level, to: 1)
      $0.add(2, to: \.level)
      $0.set(\.home, to: Site(name: "home", x: 1, y: 2))
      $0.set(\.tags, to: ["a", "b"])
      $0.set(\.quality, to: .high)
    }
    let models = try context.fetch(FetchDescriptor<Reading>(sortBy: [SortDescriptor(\.number)]))
    #expect(models.map(\.price) == (0..<6).map { Decimal($0) / 10 + Decimal(1) / 100 })
    #expect(models.map(\.change) == [nil, nil, nil, -1.5, -1.5, -1.5])
    #expect(models.allSatisfy { $0.level == 3 && $0.home?.y == 2 && $0.tags == ["a", "b"] && $0.quality == .high })
  }

  @Test(arguments: StoreLocation.allCases)
  func containerThatMayNotSaveIsNotUpdated(_ place: StoreLocation) throws {
    let folder = TestFolder()
    let url = folder.url("test.store")
    _ = try TestStore.open(.disk, url, [Sensor.self])
    let context = ModelContext(try TestStore.open(place, url, [Sensor.self], allowsSave: false))
    let failure = #expect(throws: SaveError.self) {
      try context.updateAndSave(Sensor.self) { $0.set(\.label, to: "x") }
    }
    #expect(failure?.code == .savingNotAllowed)
    #expect(failure?.entityName == "Sensor")
  }

  @Test(.directly("it counts statements"), arguments: StoreLocation.allCases)
  func updatesOfOneShapePrepareOneStatement(_ place: StoreLocation) throws {
    let (store, context) = try filled(place)
    func update(_ number: Int) throws {
      try context.updateAndSave(Sensor.self, where: #Predicate { $0.count < number }) {
        $0.set(\.level, to: Double(number))
      }
    }
    try update(100)
    let work = try store.writing { for number in 0..<20 { try update(number) } }
    #expect(work.status.statementsPrepared == 0)
    // BEGIN, the update, the history's row, COMMIT.
    #expect(work.status.statementRuns <= 80)
  }
}
