import ExampleSupport
import Foundation

/// The program that pays, as a process of its own, which can be killed.
final class PayerProcess {
  private let process: ChildProgram
  private let output = Pipe()
  private let began = ContinuousClock.now

  /// - Parameters:
  ///   - arguments: The program's.
  ///   - environment: Where the bank is.
  ///   - log: Takes what it says.
  init(_ arguments: [String], environment: [String: String], log: FileHandle) throws {
    process = try ChildProgram(
      BankProcess.program("payments"), arguments, environment: environment, output: .pipe(output), error: .file(log))
  }

  /// Waits until it pays.
  ///
  /// - Returns: How long it has taken to begin, which says how fast the machine is; nil if it ended before.
  func startup() -> Duration? {
    output.fileHandleForReading.line() == "paying" ? ContinuousClock.now - began : nil
  }

  /// Kills it, as a power cut would.
  ///
  /// - Returns: Whether it was still there.
  func kill() -> Bool {
    process.signal(SIGKILL)
    return process.wait() == .signal(SIGKILL)
  }

  /// Waits for its end.
  ///
  /// - Returns: What it counted.
  func end() throws -> OutgoingCount {
    let line = output.fileHandleForReading.line() ?? ""
    let end = process.wait()
    guard end == .exit(0), let count = try? JSONDecoder().decode(OutgoingCount.self, from: Data(line.utf8))
    else { throw Misunderstood(description: "The program that pays ended with \(end).") }
    return count
  }
}
