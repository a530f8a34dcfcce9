import CDurability
import DurabilityWork
import Foundation
import LarderData
import SwiftData

/// A store in a folder that lies elsewhere, too, where nothing can be written.
struct ReadOnlyMedium {
  /// Has a folder "there" and one "medium".
  let folder: String

  private func path(_ name: String) -> String { "\(folder)/\(name)" }

  func report() throws -> ProbeReport {
    let result = larder_mount_read_only(path("there"), path("medium"))
    guard result == 0 else {
      throw ChildProcess.Failure(
        "A folder cannot be mounted for reading: \(String(cString: strerror(-result))). Run the tests as root, or where "
          + "user namespaces are allowed.")
    }
    defer { larder_unmount_small_disk(path("medium")) }
    var report = ProbeReport()
    let context: ModelContext
    do { context = try read(&report) } catch let error as StoreError {
      report.note(error)
      return report
    }
    try refuseSaving(&report)
    let before = try FileManager.default.contentsOfDirectory(atPath: path("medium"))
    if before != ["test.store"] { report.problems.append("the medium has \(before)") }
    // Somebody who can write it does, where it lies.
    let saves = report.saves
    try write(saves + 1) { try readChanged(context, "its log is there", &report) }
    try readChanged(context, "it was written", &report)
    report.saves = 0
    _ = try read(&report)
    if report.saves != saves + 1 { report.problems.append("opened anew it has \(report.saves) saves") }
    return report
  }

  private func open(saves: Bool) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(Writer.models),
      configurations: ModelConfiguration(url: URL(filePath: path("medium/test.store")), allowsSave: saves))
  }

  private func read(_ report: inout ProbeReport) throws -> ModelContext {
    let container = try open(saves: false)
    let context = ModelContext(container)
    report.saves = try Unprivileged.writer.lastSave(in: context)
    if let problem = try Ledger.integrityProblem(in: container) { report.problems.append(problem) }
    return context
  }

  private func refuseSaving(_ report: inout ProbeReport) throws {
    do {
      _ = try open(saves: true)
      report.problems.append("it was opened for saving")
    } catch let error as StoreError {
      report.note(error)
    }
  }

  private func write(_ save: Int, _ meanwhile: () throws -> Void) throws {
    let container = try Writer.open(path("there/test.store"))
    let context = ModelContext(container)
    try Unprivileged.writer.prepare(save, in: context)
    try context.save()
    try meanwhile()
  }

  /// What the context has is of a file that is not there any more.
  private func readChanged(_ context: ModelContext, _ how: String, _ report: inout ProbeReport) throws {
    // A snapshot is used for some milliseconds.
    Thread.sleep(forTimeInterval: 0.2)
    do {
      let save = try Unprivileged.writer.lastSave(in: context)
      report.problems.append("\(how): \(save) saves are read")
    } catch let error as StoreError {
      if !error.explanation.contains("written or replaced nevertheless") { report.problems.append("\(how): \(error)") }
    }
  }
}
