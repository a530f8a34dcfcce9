import Foundation
import LarderData
import Observation
import SwiftData
import Testing

@Suite struct ObservationTests {
  private func sensors(_ place: StoreLocation, _ count: Int) throws -> (TestStore, ModelContext, [Sensor]) {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    for number in 0..<count { context.insert(Sensor("\(number)")) }
    try context.save()
    let fresh = store.context()
    return (store, fresh, try fresh.fetch(FetchDescriptor<Sensor>()))
  }

  /// Object observation rests on this: while a thread tracks, the list of accesses keeps the key path that it was
  /// given, and otherwise nobody does. Where it fails, registrars must be made eagerly.
  @Test func accessListKeepsTheKeyPath() {
    final class Subject: Observable {
      struct Inner { var value = 0 }
      var inner = Inner()
    }
    let subject = Subject()
    let registrar = ObservationRegistrar()
    var keyPath: KeyPath<Subject, Int> = (\Subject.inner).appending(path: \Subject.Inner.value)
    registrar.access(subject, keyPath: keyPath)
    #expect(isKnownUniquelyReferenced(&keyPath))
    var isUniqueInside = true
    withObservationTracking {
      registrar.access(subject, keyPath: keyPath)
      isUniqueInside = isKnownUniquelyReferenced(&keyPath)
    } onChange: {
    }
    #expect(!isUniqueInside)
  }

  @Test(arguments: StoreLocation.allCases)
  func changeOfAFetchedModelIsObservedOnce(_ place: StoreLocation) throws {
    let (_, context, models) = try sensors(place, 2)
    defer { context.rollback() }
    let observed = Counted(0)
    withObservationTracking {
      _ = models[0].level
      _ = models[0].spot.name
    } onChange: {
      observed.update { $0 += 1 }
    }
    models[0].count = 5
    models[1].level = 5
    #expect(observed.value == 0)
    models[0].level = 5
    #expect(observed.value == 1)
    models[0].level = 6
    models[0].spot.name = "x"
    #expect(observed.value == 1)
    withObservationTracking {
      _ = models[0].spot.name
    } onChange: {
      observed.update { $0 += 1 }
    }
    models[0].spot.name = "y"
    #expect(observed.value == 2)
  }

  @Test func modelWithoutAContextIsObserved() {
    let sensor = Sensor("a")
    let observed = Counted(0)
    withObservationTracking {
      _ = sensor.label
    } onChange: {
      observed.update { $0 += 1 }
    }
    sensor.label = "b"
    #expect(observed.value == 1)
  }

  @Test(arguments: StoreLocation.allCases)
  func observationOutlastsTheInsert(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    let sensor = Sensor("a")
    let observed = Counted(0)
    withObservationTracking {
      _ = sensor.label
    } onChange: {
      observed.update { $0 += 1 }
    }
    context.insert(sensor)
    try context.save()
    #expect(observed.value == 0)
    sensor.label = "b"
    #expect(observed.value == 1)
  }

  @Test(arguments: StoreLocation.allCases)
  func eachOfAThousandObservedModelsIsNoticed(_ place: StoreLocation) throws {
    let (_, context, models) = try sensors(place, 1_000)
    defer { context.rollback() }
    for changed in [0, 1, 499, 998, 999] {
      let observed = Counted(0)
      withObservationTracking {
        for model in models { _ = model.level }
      } onChange: {
        observed.update { $0 += 1 }
      }
      models[changed].level += 1
      #expect(observed.value == 1, "model \(changed)")
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func nestedScopesBothNotice(_ place: StoreLocation) throws {
    let (_, context, models) = try sensors(place, 3)
    defer { context.rollback() }
    let outer = Counted(0)
    let inner = Counted(0)
    withObservationTracking {
      _ = models[0].level
      withObservationTracking {
        _ = models[1].level
      } onChange: {
        inner.update { $0 += 1 }
      }
      _ = models[2].level
    } onChange: {
      outer.update { $0 += 1 }
    }
    models[1].level = 1
    #expect(inner.value == 1)
    // What is read inside an inner scope is read inside the outer one.
    #expect(outer.value == 1)
    withObservationTracking {
      _ = models[2].level
    } onChange: {
      outer.update { $0 += 1 }
    }
    models[2].level = 1
    #expect(outer.value == 2)
  }

  @Test(arguments: StoreLocation.allCases)
  func nothingIsPaidUntilSomebodyObserves(_ place: StoreLocation) throws {
    let (_, context, models) = try sensors(place, 100)
    defer { context.rollback() }
    for model in models {
      _ = (model.code, model.level, model.spot)
      model.level += 1
    }
    #expect(models.allSatisfy { $0._$header.pointee.registrar == nil })
    withObservationTracking {
      _ = models[7].level
    } onChange: {
    }
    #expect(models.filter { $0._$header.pointee.registrar != nil }.map(\.code) == ["7"])
    let unattached = Sensor("x")
    _ = unattached.label
    #expect(unattached._$header.pointee.registrar == nil)
  }

  @MainActor @Test(arguments: StoreLocation.allCases)
  func observationsArriveAsASequence(_ place: StoreLocation) async throws {
    let (_, context, models) = try sensors(place, 2)
    defer { context.rollback() }
    let levels = Observations { models[0].level + models[1].level }
    var seen: [Double] = []
    for await level in levels {
      seen.append(level)
      if seen.count == 4 { break }
      models[seen.count % 2].level += 1
    }
    #expect(seen == [0, 1, 2, 3])
  }

  @Test func modelsOfTwoThreadsAreObservedEachByItsOwn() async throws {
    await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let sensors = (0..<50).map { Sensor("\($0)") }
          let observed = Counted(0)
          for sensor in sensors {
            withObservationTracking {
              _ = sensor.level
            } onChange: {
              observed.update { $0 += 1 }
            }
            sensor.level += 1
          }
          return observed.value
        }
      }
      for await count in group { #expect(count == 50) }
    }
  }
}
