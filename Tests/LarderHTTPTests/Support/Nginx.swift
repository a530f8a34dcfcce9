import Foundation
import LarderHTTP
import LarderTesting

/// nginx, a server that we did not write, on ports of 127.0.0.1 with a test's configuration.
///
/// It runs as whoever runs the tests, in a folder of its own, and ends when it is stopped or when the tests do.
final class Nginx: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// HTTP/1.1, as `$plain` in the configuration; HTTP/1.1 and 2 over TLS, as `$secure`; the same under another origin, as
  /// `$other`.
  let plain, secure, other: URL
  /// What is served where nothing else is said.
  let files: URL
  private let folder: URL
  private let shell: Process
  private let leash: Pipe

  /// Starts nginx, and waits until it answers.
  ///
  /// - Parameters:
  ///   - server: Lines of the `server` blocks for `$plain` and `$secure`.
  ///   - other: Lines of the block for `$other`.
  init(_ identity: TestIdentity, server: String, other: String = "") async throws {
    var attempts = 0
    while true {
      attempts += 1
      // Ports are chosen before nginx has them, so that somebody else may come first.
      let ports = try NginxPorts()
      let folder = try NginxFolder(identity, server: server, other: other, ports: ports)
      let leash = Pipe()
      let shell = try folder.start(leash)
      if try await folder.answers(on: ports.plain) {
        (plain, secure, self.other) = (ports.plain, ports.secure, ports.other)
        (self.folder, self.shell) = (folder.url, shell)
        (self.leash, files) = (leash, folder.files)
        return
      }
      let said = folder.errors
      try? leash.fileHandleForWriting.close()
      shell.waitUntilExit()
      try? FileManager.default.removeItem(at: folder.url)
      guard attempts < 5, said.contains("Address already in use") else { throw Failure(description: "nginx: " + said) }
    }
  }

  deinit { stop() }

  /// Ends it at once.
  func stop() {
    try? leash.fileHandleForWriting.close()
    shell.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Has it take its configuration anew: the process that accepts is another one afterwards, the one before it ends when
  /// its requests are done.
  func reload() throws { try tell(SIGHUP) }

  /// Ends it when the requests that it has are done.
  func quit() throws { try tell(SIGQUIT) }

  private func tell(_ signal: Int32) throws {
    let text = try String(contentsOf: folder.appending(path: "pid"), encoding: .utf8)
    guard let number = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)), kill(number, signal) == 0 else {
      throw Failure(description: "nginx has gone")
    }
  }

  /// What it has complained of, for a test that fails.
  var errors: String { (try? String(contentsOf: folder.appending(path: "errors"), encoding: .utf8)) ?? "" }

  /// Writes a file that it serves.
  func write(_ data: Data, to name: String) throws { try data.write(to: files.appending(path: name)) }
}
