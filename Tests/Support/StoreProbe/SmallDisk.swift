import CDurability
import DurabilityWork
import Foundation
import LarderData
import SwiftData

/// A store on a disk of two megabytes that nobody but this process sees.
struct SmallDisk {
  private static let bytes: Int64 = 2 << 20
  /// What is given back when the disk is full: enough for any one save, and for its log.
  private static let ballast = 1 << 20
  private static let mostSaves = 10_000

  let folder: String

  private func path(_ name: String) -> String { "\(folder)/\(name)" }

  func report() throws -> ProbeReport {
    let result = larder_mount_small_disk(folder, Self.bytes)
    guard result == 0 else {
      throw ChildProcess.Failure(
        "A small tmpfs cannot be mounted: \(String(cString: strerror(-result))). Run the tests as root, or where user "
          + "namespaces are allowed.")
    }
    defer { larder_unmount_small_disk(folder) }
    try Data(count: Self.ballast).write(to: URL(filePath: path("ballast")))
    var report = ProbeReport()
    var ledger = Ledger(Writer(seed: 4, scale: 60))
    try fill(&ledger, &report)
    try reopen(&ledger, &report)
    return report
  }

  /// Saves until the disk is full; then as soon as there is room again.
  private func fill(_ ledger: inout Ledger, _ report: inout ProbeReport) throws {
    let container = try Writer.open(path("test.store"))
    let context = ModelContext(container)
    while report.error == nil, report.saves < Self.mostSaves {
      try ledger.writer.prepare(report.saves + 1, in: context)
      let pending = pendingCounts(context)
      do {
        try context.save()
        report.saves += 1
      } catch {
        report.note(error)
        if pendingCounts(context) != pending { report.problems.append("what was pending has changed") }
      }
    }
    report.problems += try ledger.problems(in: container, returned: report.saves, begun: report.saves)
    try FileManager.default.removeItem(atPath: path("ballast"))
    try context.save()
    report.saves += 1
    report.problems += try ledger.problems(in: container, returned: report.saves, begun: report.saves)
  }

  private func pendingCounts(_ context: ModelContext) -> [Int] {
    [context.insertedModelsArray.count, context.changedModelsArray.count, context.deletedModelsArray.count]
  }

  /// On a disk without a byte left the store opens or says that the disk is full, and is as it was.
  private func reopen(_ ledger: inout Ledger, _ report: inout ProbeReport) throws {
    let before = try Data(contentsOf: URL(filePath: path("test.store")))
    fillUp()
    do {
      let container = try Writer.open(path("test.store"))
      report.problems += try ledger.problems(in: container, returned: report.saves, begun: report.saves)
    } catch let error as StoreError {
      if error.code != .diskFull { report.problems.append("a full disk, told as \(error)") }
    }
    do {
      _ = try Writer.open(path("second.store"))
      report.problems.append("a store was made on a full disk")
    } catch let error as StoreError {
      if error.code != .diskFull { report.problems.append("a full disk, told as \(error)") }
    }
    if try Data(contentsOf: URL(filePath: path("test.store"))) != before {
      report.problems.append("opening changed the file")
    }
    try FileManager.default.removeItem(atPath: path("ballast"))
    let container = try Writer.open(path("test.store"))
    if let problem = try Ledger.integrityProblem(in: container) { report.problems.append(problem) }
    report.problems += try ledger.problems(in: container, returned: report.saves, begun: report.saves)
  }

  /// Leaves no byte.
  private func fillUp() {
    let descriptor = open(path("ballast"), O_WRONLY | O_CREAT, 0o600)
    guard descriptor >= 0 else { return }
    let page = [UInt8](repeating: 0, count: 4_096)
    while write(descriptor, page, page.count) > 0 {}
    close(descriptor)
  }
}
