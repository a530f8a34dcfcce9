import DurabilityWork
import LarderData
import LarderSQLite
import LarderTesting
import SwiftData
import Testing

/// Every single operation on the disk fails once, in a program that opens, inserts, edits, deletes, unites and reopens.
///
/// Whatever fails is a typed error; what is pending stays pending; what is stored is old or new, never half; and as
/// soon as the disk works again, the same context saves.
@Suite struct OperationFaultTests {
  @Test(arguments: [ResultCode.ioError, .full])
  func eachOperationMayFailOnce(_ code: ResultCode) throws {
    var reached = Set<FaultyLife.Step>()
    var operation = 1
    while true {
      let life = try FaultyLife(seed: 1)
      life.disk.fail(operation: operation, with: code)
      try life.run("operation \(operation)")
      if life.disk.failureCount == 0 { break }
      reached.formUnion(life.failed)
      // Every one for the code that means anything; a sample for the other.
      operation += code == .ioError ? 1 : 5
    }
    #expect(operation > 100)
    #expect(reached.isSuperset(of: [.opening, .saving]))
  }

  @Test func fromSomeOperationOnTheDiskFailsUntilItIsMended() throws {
    var reached = Set<FaultyLife.Step>()
    // Another sample in each run.
    var operation = 1 + Int(Share.seed % 4)
    while true {
      let life = try FaultyLife(seed: 2)
      life.disk.fail(operation: operation, repeating: true)
      try life.run("seed \(Share.seed), from operation \(operation) on")
      if life.disk.failureCount == 0 { break }
      reached.formUnion(life.failed)
      operation += 4
    }
    #expect(reached == [.opening, .preparing, .saving])
  }

  @Test func aFullDiskKeepsWhatWasSavedAndWhatIsPending() throws {
    let folder = try WorkFolder()
    let disk = FaultVFS()
    var options = StoreOptions()
    options.vfs = disk.name
    let container = try StoreOptions.$current.withValue(options) { try Writer.open(folder.path("test.store")) }
    var ledger = Ledger(Writer(seed: 3, scale: 60))
    let context = ModelContext(container)
    disk.setQuota(disk.usedBytes + 1_000_000)
    var save = 0
    var failure: StoreError?
    while failure == nil, save < 1_000 {
      save += 1
      try ledger.writer.prepare(save, in: context)
      let before = Pending(context)
      failure = Self.failure { try context.save() }
      if failure != nil { #expect(Pending(context) == before) }
    }
    #expect(failure?.code == .diskFull)
    #expect(failure?.explanation.contains("space") == true)
    #expect(try ledger.problems(in: container, returned: save - 1, begun: save - 1) == [])
    disk.setQuota(nil)
    try context.save()
    #expect(try ledger.problems(in: container, returned: save, begun: save) == [])
    #expect(try Ledger.integrityProblem(in: container) == nil)
  }

  private static func failure(_ body: () throws -> Void) -> StoreError? {
    do { try body() } catch { return error as? StoreError }
    return nil
  }
}
