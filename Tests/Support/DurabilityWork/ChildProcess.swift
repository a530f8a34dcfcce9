package import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// One of this package's executables, run by a test.
package struct ChildProcess: Sendable {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
  }

  /// How a process ended.
  package enum End: Equatable, Sendable {
    case exit(Int32)
    case signal(Int32)
  }

  private let process: pid_t
  private let output: String

  /// Executables are built beside the tests.
  private static let folder = Bundle.main.executableURL?.deletingLastPathComponent() ?? URL(filePath: ".")

  /// Where one of them is.
  package static func path(of name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

  /// - Parameter output: The file that takes what the process prints.
  package init(_ name: String, _ arguments: [String], output: URL) throws {
    try self.init(executable: Self.path(of: name), arguments, output: output)
  }

  /// Any other program.
  package init(executable: String, _ arguments: [String], output: URL) throws {
    self.output = output.path(percentEncoded: false)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, self.output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    var words: [UnsafeMutablePointer<CChar>?] = ([executable] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    // A thread that runs tests may let no signal through, and what it begins would not, either.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    var ending = none
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&ending, number) }
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &ending)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var process: pid_t = 0
    let result = posix_spawn(&process, executable, &actions, &attributes, &words, environ)
    guard result == 0 else {
      throw Failure("\(executable) cannot be started: \(String(cString: strerror(result)))")
    }
    self.process = process
  }

  /// Ends it where it stands.
  package func killNow() { kill(process, SIGKILL) }

  /// Asks it to end, as Ctrl-C does.
  package func interrupt() { kill(process, SIGINT) }

  /// Asks it to end, as a machine that is shut down does.
  package func terminate() { kill(process, SIGTERM) }

  /// Whether it has ended; it is then still to be waited for.
  package var hasEnded: Bool {
    var info = siginfo_t()
    return waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_signo == SIGCHLD
  }

  package func wait() -> End { waitForCore().end }

  /// How it ended, and whether the kernel wrote a core.
  package func waitForCore() -> (end: End, core: Bool) {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return (Self.end(status), status & 0x80 != 0)
  }

  private static func end(_ status: Int32) -> End {
    status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
  }

  /// What it has printed so far.
  package var printed: String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }
}
