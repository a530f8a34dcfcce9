import CDurability
import DurabilityWork
import Foundation
import LarderData
import SwiftData

/// A store as it is for somebody whom the files' permissions bind.
enum Unprivileged {
  /// The saves that the tests' stores have, and the writer that made them.
  static let writer = Writer(seed: 1, scale: 10)

  static func report(_ path: String, saves: Bool) throws -> ProbeReport {
    if geteuid() == 0 {
      let result = larder_become_nobody()
      guard result == 0 else { throw ChildProcess.Failure("not nobody: \(String(cString: strerror(-result)))") }
    }
    var report = ProbeReport()
    do {
      let container = try ModelContainer(
        for: Schema(Writer.models),
        configurations: ModelConfiguration(url: URL(filePath: path), allowsSave: saves))
      let context = ModelContext(container)
      report.saves = try writer.lastSave(in: context)
      if saves {
        try writer.prepare(report.saves + 1, in: context)
        try context.save()
        report.saves += 1
      }
    } catch {
      report.note(error)
    }
    return report
  }
}
