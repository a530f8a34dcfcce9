import DurabilityWork
import Foundation
import LarderData
import LarderSQLite
import LarderTesting
import SwiftData
import Testing

/// The disk fails, or loses its power, at each operation of a copy, of compacting and of deleting history, one after the
/// other: what failed is a typed error, and the store holds what it held.
@Suite struct MaintenanceFaultTests {
  enum Work: String, CaseIterable, CustomTestStringConvertible {
    case backup, compact, deleteHistory
    var testDescription: String { rawValue }
  }

  /// A store on a disk of its own, with room to be given back.
  private final class Life {
    static let returned = 4

    let folder: WorkFolder
    let disk = FaultVFS()
    private var ledger = Ledger(Writer(seed: 5, scale: 8))
    private(set) var container: ModelContainer?

    init() throws {
      folder = try WorkFolder()
      container = try open()
      let context = ModelContext(try #require(container))
      for save in 1...Life.returned {
        try ledger.writer.prepare(save, in: context)
        try context.save()
      }
    }

    var copy: URL { folder.file("copy.store") }

    func open(_ name: String = "test.store") throws -> ModelContainer {
      var options = StoreOptions()
      options.vfs = disk.name
      return try StoreOptions.$current.withValue(options) { try Writer.open(folder.path(name)) }
    }

    func close() { container = nil }

    func run(_ work: Work) throws {
      let container = try #require(container)
      switch work {
      case .backup: try disk.countingRenames { try container.backup(to: copy) }
      case .compact: try container.compact()
      case .deleteHistory:
        try ModelContext(container).deleteHistory(
          HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.id <= 3 }))
      }
    }

    func problems(in container: ModelContainer) throws -> [String] {
      var ledger = ledger
      let history = try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      // All of it, or what was to be left.
      let whole = history.map(\.id) == Array(1...4) || history.map(\.id) == [4]
      return try ledger.problems(in: container, returned: Life.returned, begun: Life.returned)
        + container.integrityCheck().map(\.description) + (whole ? [] : ["history \(history.map(\.id))"])
    }

    /// What is wrong with the copy: it is not there, or whole.
    func problemsOfCopy() throws -> [String] {
      guard FileManager.default.fileExists(atPath: copy.path) else { return [] }
      return try problems(in: open("copy.store"))
    }
  }

  @Test(arguments: Work.allCases, [ResultCode.ioError, .full])
  func eachOperationMayFail(_ work: Work, _ code: ResultCode) throws {
    var operation = 1
    var failures = 0
    while true {
      let life = try Life()
      life.disk.fail(operation: operation, with: code)
      do {
        try life.run(work)
      } catch {
        failures += 1
        #expect(error is StoreError, "operation \(operation): \(error)")
      }
      let struck = life.disk.failureCount > 0
      life.disk.clearFault()
      let container = try #require(life.container)
      #expect(try life.problems(in: container) == [], "\(work), operation \(operation), \(code)")
      if !struck { break }
      #expect(try life.problemsOfCopy() == [], "\(work), operation \(operation), \(code)")
      // The same container does it once the disk works.
      try life.run(work)
      #expect(try life.problems(in: container) == [])
      operation += code == .ioError ? 1 : 3
    }
    #expect(failures > 3)
    if work == .backup {
      let life = try Life()
      try life.run(work)
      #expect(FileManager.default.fileExists(atPath: life.copy.path))
      #expect(try life.problemsOfCopy() == [])
    }
  }

  @Test(arguments: Work.allCases)
  func thePowerMayGoAtEachOperation(_ work: Work) throws {
    var operation = 1
    var cuts = 0
    while true {
      let life = try Life()
      life.disk.cutPower(atOperation: operation)
      try? life.run(work)
      let wasCut = life.disk.isWithoutPower
      life.close()
      life.disk.cutPower()
      try life.disk.restorePower(seed: UInt64(operation))
      let container = try life.open()
      #expect(try life.problems(in: container) == [], "\(work), operation \(operation)")
      #expect(try life.problemsOfCopy() == [], "\(work), operation \(operation)")
      if !wasCut { break }
      cuts += 1
      operation += work == .deleteHistory ? 1 : 2
    }
    #expect(cuts > 3)
  }
}
