import Foundation
import LarderData
import LarderSQLite
import Observation
import SwiftData
import Testing

@Suite struct AssignmentTests {
  @Test(arguments: StoreLocation.allCases)
  func assigningAnEqualValueIsNoChange(_ place: StoreLocation) throws {
    let store = try TestStore(place, EveryValue.self)
    let context = store.context()
    let model = EveryValue()
    model.tags = ["x", "y", "z"]
    model.ratios = ["a": 1, "b": 2]
    model.home = Site(name: "home", x: 1, y: 2)
    model.decimal = try #require(Decimal(string: "1.1"))
    context.insert(model)
    try context.save()

    let observed = Counted(0)
    withObservationTracking {
      _ = (model.double, model.string, model.tags, model.ratios, model.home, model.decimal, model.grade, model.spot)
    } onChange: {
      observed.update { $0 += 1 }
    }
    let log = SaveLog(context)
    let work = try store.writing {
      model.double = -0.0
      model.string = ""
      model.tags = ["z", "y", "x"]
      model.ratios = ["b": 2, "a": 1]
      model.home = Site(name: "home", x: 1, y: 2)
      model.decimal = try #require(Decimal(string: "1.10"))
      model.grade = .low
      model.rank = nil
      model.spot = Site(name: "", x: 0, y: 0)
      model.measure = Measure(value: 0, unit: "")
      model.optionalDate = nil
      #expect(!model.hasChanges)
      #expect(!context.hasChanges)
      #expect(context.changedModelsArray.isEmpty)
      try context.save()
    }
    #expect(work.rowChanges == 0)
    #expect(work.status.pagesWritten == 0)
    #expect(observed.value == 0)
    #expect(log.all.isEmpty)
    #expect(try store.value("SELECT larder_version FROM EveryValue") == .integer(1))
  }

  @Test(arguments: StoreLocation.allCases)
  func stringsThatDifferInTheirBytesAreAChange(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    let sensor = Sensor("a", label: "caf\u{E9}", spot: Site(name: "caf\u{E9}", x: 0, y: 0))
    context.insert(sensor)
    try context.save()

    let decomposed = "cafe\u{301}"
    #expect(sensor.label == decomposed)
    sensor.label = decomposed
    #expect(sensor.hasChanges)
    try context.save()
    #expect(try store.value("SELECT hex(label) FROM Sensor") == .text("63616665CC81"))
  }

  @Test(arguments: StoreLocation.allCases)
  func assigningAnotherValueIsOneChangeHoweverOften(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    let sensor = Sensor("a")
    context.insert(sensor)
    try context.save()
    for level in 1...5 { sensor.level = Double(level) }
    sensor.count = 3
    #expect(context.changedModelsArray.count == 1)
    #expect(context.changedModelsArray.first as? Sensor === sensor)
    let log = SaveLog(context)
    try context.save()
    #expect(log.saves.first?.updated == [sensor.persistentModelID])
    #expect(
      try store.rows("SELECT level, count, larder_version FROM Sensor") == [[.real(5), .integer(3), .integer(2)]])
  }
}
