import Foundation
import LarderData

/// What a process of its own found when it used a store: as a user whom the files forbid things, or on a small disk.
package struct ProbeReport: Codable, Sendable {
  /// The kind of error, by its type's name; nil if all went well.
  package var error: String?
  package var code: String?
  package var explanation: String?
  /// Whether `catch SwiftDataError.loadIssueModelContainer` takes it.
  package var isLoadIssue = false
  /// Saves that the store had, or took.
  package var saves = 0
  /// What was wrong beside the error that was looked for.
  package var problems: [String] = []

  package init() {}

  package mutating func note(_ failure: any Error) {
    error = "\(type(of: failure))"
    code = (failure as? StoreError)?.code.rawValue
    explanation = "\(failure.localizedDescription)"
    if case SwiftDataError.loadIssueModelContainer = failure { isLoadIssue = true }
  }

  /// Runs the probe, and reads what it reports.
  package static func run(_ arguments: [String], in folder: WorkFolder) throws -> ProbeReport {
    let output = folder.file("probe-\(UUID().uuidString)")
    let probe = try ChildProcess("StoreProbe", arguments, output: output)
    let end = probe.wait()
    guard end == .exit(0), let report = try? JSONDecoder().decode(ProbeReport.self, from: Data(probe.printed.utf8))
    else { throw ChildProcess.Failure("StoreProbe \(arguments): \(end), \(probe.printed)") }
    try? FileManager.default.removeItem(at: output)
    return report
  }

  /// Prints it for ``run(_:in:)``.
  package func print() throws {
    FileHandle.standardOutput.write(try JSONEncoder().encode(self))
  }
}
