import Foundation
import LarderData
import LarderSQLite
import SwiftData
import Testing

@Suite struct StatementCountTests {
  @Test(arguments: StoreLocation.allCases)
  func fetchesOfOneShapePrepareOneStatement(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    for number in 0..<100 { context.insert(Sensor("\(number)")) }
    try context.save()
    // The first one asks for the statement's plan as well, once for the store.
    let none = ""
    _ = try context.fetch(FetchDescriptor<Sensor>(predicate: #Predicate { $0.code == none }))
    let done = try context.reading {
      for number in 0..<1_000 {
        let code = "\(number % 200)"
        let found = try context.fetch(FetchDescriptor<Sensor>(predicate: #Predicate { $0.code == code }))
        #expect(found.count == (number % 200 < 100 ? 1 : 0))
      }
    }
    #expect(done.statementsPrepared <= 1)
  }

  @Test(arguments: StoreLocation.allCases)
  func predicatesWrittenTwiceShareAStatement(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    context.insert(Sensor("a"))
    try context.save()
    func first(_ code: String) throws -> Int {
      try context.fetch(FetchDescriptor<Sensor>(predicate: #Predicate { $0.code == code })).count
    }
    func second(_ code: String) throws -> Int {
      try context.fetch(FetchDescriptor<Sensor>(predicate: #Predicate { $0.code == code })).count
    }
    #expect(try first("a") == 1)
    let done = try context.reading {
      let one = try second("a")
      let none = try second("b")
      #expect(one == 1)
      #expect(none == 0)
    }
    #expect(done.statementsPrepared == 0)
  }

  @Test(.directly("it counts statements"), arguments: StoreLocation.allCases)
  func savesOfOneShapePrepareOneStatement(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    context.insert(Sensor("first"))
    try context.save()
    let inserts = try store.writing {
      for number in 0..<100 {
        context.insert(Sensor("\(number)"))
        try context.save()
      }
    }
    // One that looks for history that is too old, with every 64th save.
    #expect(inserts.status.statementsPrepared <= 1)
    let models = try context.fetch(FetchDescriptor<Sensor>())
    let updates = try store.writing {
      for round in 1...3 {
        for model in models { model.level = Double(round) }
        try context.save()
      }
    }
    #expect(updates.status.statementsPrepared <= 1)
  }

  @Test(arguments: StoreLocation.allCases)
  func saveWithoutChangesWritesNoPage(_ place: StoreLocation) throws {
    let store = try TestStore(place, Sensor.self)
    let context = store.context()
    for number in 0..<100 { context.insert(Sensor("\(number)", level: Double(number))) }
    try context.save()
    let bytes = store.folder.bytes("test.store-wal")
    let work = try store.writing {
      for model in try context.fetch(FetchDescriptor<Sensor>()) {
        model.level = model.level + 0
        model.code = String(model.code)
      }
      try context.save()
      try store.context().save()
    }
    #expect(work.status.pagesWritten == 0)
    #expect(work.rowChanges == 0)
    #expect(store.folder.bytes("test.store-wal") == bytes)
    // The counter is one that can move.
    let changed = try store.writing {
      try #require(try context.fetch(FetchDescriptor<Sensor>()).first).level = -1
      try context.save()
    }
    // The row, and the history's.
    #expect(changed.rowChanges == 2)
    if place == .disk { #expect(changed.status.pagesWritten > 0) }
  }
}
