import Foundation
import LarderData
import LarderSQLite
import LarderTesting
import SwiftData
import Testing

@Suite struct FullDiskTests {
  private func open(_ disk: FaultVFS, _ url: URL) throws -> ModelContainer {
    var options = StoreOptions()
    options.vfs = disk.name
    return try StoreOptions.$current.withValue(options) { try TestStore.open(.disk, url, [Sensor.self]) }
  }

  @Test func saveOnAFullDiskWritesNothingAndCanBeRepeated() throws {
    let folder = TestFolder()
    let disk = FaultVFS()
    let container = try open(disk, folder.url("test.store"))
    let context = ModelContext(container)
    let first = Sensor("first", label: "old")
    context.insert(first)
    try context.save()

    disk.setQuota(disk.usedBytes + 10_000)
    first.label = "new"
    for number in 0..<1_000 { context.insert(Sensor("\(number)", label: String(repeating: "x", count: 100))) }
    let error = try #require(throws: StoreError.self) { try context.save() }
    #expect(error.code == .diskFull)
    #expect(error.url == folder.url("test.store"))
    #expect(context.insertedModelsArray.count == 1_000)
    #expect(context.changedModelsArray.count == 1)
    // Reading goes on, and the store is as it was.
    let reader = ModelContext(container)
    #expect(try reader.fetch(FetchDescriptor<Sensor>()).map(\.label) == ["old"])

    disk.setQuota(nil)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Sensor>()) == 1_001)
    #expect(try container.store.database.read { try $0.string("PRAGMA integrity_check") } == "ok")
  }

  @Test func insertOnAFullDiskNeedsNoRoom() throws {
    let folder = TestFolder()
    let disk = FaultVFS()
    do {
      let context = ModelContext(try open(disk, folder.url("test.store")))
      for number in 0..<10 { context.insert(Sensor("\(number)")) }
      try context.save()
    }
    let container = try open(disk, folder.url("test.store"))
    let context = ModelContext(container)
    let stored = try context.fetch(FetchDescriptor<Sensor>())
    disk.setQuota(disk.usedBytes)
    // No block of identifiers can be reserved now; inserts must not meet the rows that are there.
    for number in 10..<20 { context.insert(Sensor("\(number)")) }
    #expect(try context.fetch(FetchDescriptor<Sensor>()).map(\.code) == (0..<20).map(String.init))
    #expect(try context.fetch(FetchDescriptor<Sensor>()).first === stored.first)
    #expect(throws: StoreError.self) { try context.save() }
    disk.setQuota(nil)
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Sensor>()).map(\.code) == (0..<20).map(String.init))
  }

  @Test func storeThatCannotBeMadeOnAFullDiskIsATypedError() throws {
    let folder = TestFolder()
    let disk = FaultVFS()
    disk.setQuota(0)
    let error = try #require(throws: StoreError.self) { _ = try open(disk, folder.url("test.store")) }
    #expect(error.code == .diskFull)
    disk.setQuota(nil)
    // Nothing half made is in the way afterwards.
    let context = ModelContext(try open(disk, folder.url("test.store")))
    context.insert(Sensor("a"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Sensor>()) == 1)
  }

  /// Each operation of a save fails once; what was stored stays whole, and the save can be repeated.
  @Test func eachFailureOfTheDiskLeavesTheStoreWhole() throws {
    var n = 1
    var failures = 0
    while true {
      let folder = TestFolder()
      let disk = FaultVFS()
      let container = try open(disk, folder.url("test.store"))
      let context = ModelContext(container)
      let first = Sensor("first", level: 1)
      context.insert(first)
      try context.save()
      first.level = 2
      context.insert(Sensor("second"))
      disk.fail(operation: n, of: [.write, .sync], with: .ioError)
      do {
        try context.save()
      } catch let error as StoreError {
        failures += 1
        #expect([.inputOutput, .database].contains(error.code), "\(error)")
        disk.clearFault()
        // A commit that reports a failure may stand all the same; saving again is right in both cases.
        let stored = try ModelContext(container).fetch(FetchDescriptor<Sensor>()).map(\.level)
        #expect(stored == [1] || stored == [2, 0], "operation \(n)")
        #expect(context.hasChanges)
        try context.save()
      }
      let isOver = disk.failureCount == 0
      disk.clearFault()
      let levels = try ModelContext(container).fetch(FetchDescriptor<Sensor>()).map(\.level)
      #expect(levels == [2, 0], "operation \(n)")
      if isOver { break }
      n += 1
    }
    #expect(failures > 0)
  }
}
