public import Foundation
import Synchronization

/// A program that this one starts, watches and ends.
///
/// ```swift
/// let output = Pipe()
/// let program = try ChildProgram(URL(filePath: "/bin/date"), output: .pipe(output))
/// let said = try output.fileHandleForReading.readToEnd()
/// #expect(program.wait() == .exit(0))
/// ```
///
/// It stands in for Foundation's `Process`, which on Linux looks for this process's open files in a way that crashes with
/// more than about 1,300 of them, as many tests at a time have.
public final class ChildProgram: Sendable {
  /// How a program ended.
  public enum End: Equatable, Sendable {
    case exit(Int32)
    case signal(Int32)
  }

  /// Where the program reads from, or writes to.
  public enum Stream {
    /// Wherever this program does.
    case own
    /// Nowhere.
    case nothing
    case file(FileHandle)
    /// Another thread, or this one: its own end stays open, the program's is closed here.
    case pipe(Pipe)
  }

  /// Why a program was not started.
  public struct NotStarted: Error, LocalizedError, CustomStringConvertible {
    public let description: String
    public var errorDescription: String? { description }
  }

  public let processIdentifier: pid_t
  /// Set once the system has forgotten the process: its number may be another's from then on.
  private let end = Mutex<End?>(nil)

  /// Starts a program. It gets no files but these three.
  ///
  /// - Parameters:
  ///   - executable: Its file.
  ///   - arguments: What follows its name.
  ///   - environment: The whole of it; nil for this program's.
  /// - Throws: ``NotStarted``.
  public init(
    _ executable: URL, _ arguments: [String] = [], environment: [String: String]? = nil, input: Stream = .own,
    output: Stream = .own, error: Stream = .own
  ) throws(NotStarted) {
    let environment = environment ?? ProcessInfo.processInfo.environment
    let streams = [(0, input), (1, output), (2, error)] as [(Int32, Stream)]
    // Also where it does not start: whoever reads then sees an end.
    defer { for (number, stream) in streams { stream.closeEnd(of: number) } }
    processIdentifier = try SpawnedProcess.start(
      executable.path, [executable.path] + arguments, environment.map { "\($0)=\($1)" }, streams)
  }

  deinit {
    guard isRunning else { return }
    // Whoever lets go of it does not wait for it, and it is not to stay among the processes when it has ended.
    Thread.detachNewThread { [processIdentifier] in
      var status: Int32 = 0
      while waitpid(processIdentifier, &status, 0) < 0, errno == EINTR {}
    }
  }

  /// Whether it has not ended.
  public var isRunning: Bool { end(options: WNOHANG) == nil }

  /// Waits for its end. Where somebody else has waited for every process of this one, it is not known: -1.
  @discardableResult
  public func wait() -> End {
    if let end = end.withLock({ $0 }) { return end }
    var info = siginfo_t()
    // Without the lock, which whoever sends a signal meanwhile needs.
    while waitid(P_PID, id_t(processIdentifier), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    return end(options: 0) ?? .exit(-1)
  }

  /// Sends a signal, where it has not ended.
  ///
  /// - Returns: Whether it was sent.
  @discardableResult
  public func signal(_ number: Int32) -> Bool {
    end.withLock { $0 == nil && kill(processIdentifier, number) == 0 }
  }

  /// Asks it to end.
  public func terminate() { signal(SIGTERM) }

  private func end(options: Int32) -> End? {
    end.withLock { end in
      if end != nil { return end }
      var status: Int32 = 0
      var result: pid_t
      repeat { result = waitpid(processIdentifier, &status, options) } while result < 0 && errno == EINTR
      if result == processIdentifier {
        end = status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
      } else if result < 0 {
        // Somebody else has waited for it.
        end = .exit(-1)
      }
      return end
    }
  }
}
