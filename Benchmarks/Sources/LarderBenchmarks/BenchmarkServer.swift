import Foundation

/// nginx, in a process of its own, so that what it takes is on neither side.
final class BenchmarkServer {
  /// A body's length.
  static let length = 1_000

  let url: URL
  private let shell = Process()
  private let leash = Pipe()

  init(folder: URL) async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.standardizedFileURL.path
    // Below those that the system gives out by itself. Where somebody has it, nginx says so, and the run ends.
    let port = UInt16.random(in: 20_000..<30_000)
    url = URL(string: "http://127.0.0.1:\(port)/body")!
    try Data(repeating: 0x61, count: Self.length).write(to: folder.appending(path: "body"))
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(path)/\($0);" }
    let configuration = """
      daemon off;
      \(geteuid() == 0 ? "user root root;" : "")
      pid \(path)/pid;
      events { worker_connections 1024; }
      http {
        access_log off;
        \(temporary.joined(separator: " "))
        root \(path);
        keepalive_requests 100000000;
        keepalive_timeout 600;
        server { listen 127.0.0.1:\(port) backlog=1024; }
      }
      """
    try Data(configuration.utf8).write(to: folder.appending(path: "nginx.conf"))
    // A shell beside it ends it when this process stops it, or is gone.
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments = [
      "-c",
      """
      PATH=$PATH:/usr/sbin:/sbin
      nginx -p "$0" -c "$0/nginx.conf" -e "$0/errors" </dev/null >>"$0/errors" 2>&1 &
      read -r line
      kill -TERM $!
      """, path,
    ]
    shell.standardInput = leash
    try shell.run()
    for _ in 0..<500 where !FileManager.default.fileExists(atPath: path + "/pid") {
      try await Task.sleep(for: .milliseconds(10))
    }
    guard FileManager.default.fileExists(atPath: path + "/pid") else {
      stop()
      let said = (try? String(contentsOfFile: path + "/errors", encoding: .utf8)) ?? ""
      throw LimitError(description: "nginx has not begun: \(said)")
    }
  }

  func stop() {
    try? leash.fileHandleForWriting.close()
    shell.waitUntilExit()
  }
}
