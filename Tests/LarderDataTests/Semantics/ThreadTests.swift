import Foundation
import SwiftData
import Testing

@testable import LarderData

@Suite struct ThreadTests {
  /// Hands models to another thread for one thing: to be let go there.
  // @unchecked: the lists are behind the lock, and the models in them are used by nobody.
  private final class Bin: @unchecked Sendable {
    private let lock = NSLock()
    private var models: [[Crate]] = []
    private var isClosed = false

    func throwAway(_ thrown: [Crate]) { lock.withLock { models.append(thrown) } }
    func close() { lock.withLock { isClosed = true } }

    /// Empties itself until it is closed and empty.
    func run() {
      while true {
        let (taken, isEnd): ([[Crate]], Bool) = lock.withLock {
          defer { models.removeAll() }
          return (models, isClosed && models.isEmpty)
        }
        if isEnd { return }
        withExtendedLifetime(taken) {}
      }
    }
  }

  @Test(arguments: StoreLocation.allCases)
  func modelsMayBeLetGoByAnyThread(_ place: StoreLocation) throws {
    let store = try TestStore(place, Crate.self)
    let count = 100
    do {
      let context = store.context()
      for number in 0..<count { context.insert(Crate(number: number, text: "t\(number)")) }
      try context.save()
    }
    let context = store.context()
    let bin = Bin()
    let finished = DispatchSemaphore(value: 0)
    let thread = Thread {
      bin.run()
      finished.signal()
    }
    thread.start()
    for round in 0..<300 {
      var models = try context.fetch(FetchDescriptor<Crate>())
      #expect(models.count == count)
      #expect(models.allSatisfy { $0.text == "t\($0.number % 1_000)" })
      #expect(Set(models.map(ObjectIdentifier.init)).count == count)
      if round % 10 == 0 {
        for model in models.prefix(5) { model.note = "round \(round)" }
        try context.save()
      }
      // Some stay here for the next round, the others go over there while that round fetches them anew.
      let kept = models.count / 3
      bin.throwAway(Array(models[kept...]))
      models.removeLast(models.count - kept)
    }
    bin.close()
    finished.wait()
    weak let core = context.core
    #expect(core?.objectCount == 0)
  }

  @Test(arguments: StoreLocation.allCases)
  func contextsOfManyThreadsSaveAndFetch(_ place: StoreLocation) async throws {
    let store = try TestStore(place, Sensor.self)
    let container = store.container
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          let context = ModelContext(container)
          for number in 0..<40 {
            context.insert(Sensor("shared \(number)", level: Double(worker)))
            context.insert(Sensor("\(worker)/\(number)"))
            try context.save()
            let own = "\(worker)/\(number)"
            let found = try context.fetch(FetchDescriptor<Sensor>(predicate: #Predicate { $0.code == own }))
            #expect(found.count == 1)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try store.value("SELECT count(*) FROM Sensor") == .integer(40 + 4 * 40))
    #expect(try store.value("SELECT count(DISTINCT larder_id) FROM Sensor") == .integer(200))
  }
}
