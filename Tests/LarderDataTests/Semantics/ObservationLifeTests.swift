import Observation
import SwiftData
import Testing

/// Being observed keeps nobody alive.
struct ObservationLifeTests {
  @Model final class Lamp {
    var level: Int
    var name: String
    init(level: Int, name: String) {
      self.level = level
      self.name = name
    }
  }

  private func fetched() throws -> (ModelContext, [Lamp]) {
    let container = try ModelContainer(
      for: Lamp.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    for level in 0..<3 { context.insert(Lamp(level: level, name: "lamp \(level)")) }
    try context.save()
    let reading = ModelContext(container)
    return (reading, try reading.fetch(FetchDescriptor<Lamp>()))
  }

  private func isFreed(_ use: ([Lamp]) -> Void) throws -> Bool {
    weak var lamp: Lamp?
    do {
      let (context, lamps) = try fetched()
      use(lamps)
      lamp = lamps[0]
      context.rollback()
    }
    return lamp == nil
  }

  @Test func observedModelsAreFreed() throws {
    #expect(try isFreed { _ in })
    #expect(try isFreed { lamps in withObservationTracking { _ = lamps[0].level } onChange: {} })
    #expect(
      try isFreed { lamps in
        withObservationTracking { _ = lamps[0].level } onChange: {}
        lamps[0].level = 9
      })
    #expect(
      try isFreed { lamps in
        withObservationTracking { _ = (lamps[0].level, lamps[1].level, lamps[0].name) } onChange: {}
        lamps[1].level = 9
      })
    #expect(
      try isFreed { lamps in
        withObservationTracking {
          _ = lamps[0].level
          withObservationTracking { _ = lamps[1].level } onChange: {}
        } onChange: {}
        lamps[1].level = 9
      })
  }

  @Test func editsAfterTheContextHasGoneWaitForASave() throws {
    let container = try ModelContainer(
      for: Lamp.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let lamp = Lamp(level: 1, name: "lamp")
    do {
      let context = ModelContext(container)
      context.insert(lamp)
      try context.save()
    }
    lamp.level = 2
    #expect(lamp.modelContext != nil)
    #expect(lamp.hasChanges)
    try lamp.modelContext?.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Lamp>()).map(\.level) == [2])
    let doomed = try #require(try ModelContext(container).fetch(FetchDescriptor<Lamp>()).first)
    doomed.modelContext?.delete(doomed)
    #expect(doomed.isDeleted)
    try doomed.modelContext?.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Lamp>()) == 0)
  }
}
