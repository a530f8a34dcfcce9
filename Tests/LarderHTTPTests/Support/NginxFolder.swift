import Foundation
import LarderHTTP
import LarderTesting

/// Three ports that nobody has, for a moment.
struct NginxPorts {
  let plain, secure, other: URL

  init() throws {
    // All held at once, so that they differ.
    let closed = try (0..<3).map { _ in try ClosedPort() }
    plain = closed[0].url
    secure = try Self.secure(closed[1].url)
    other = try Self.secure(closed[2].url)
  }

  private static func secure(_ url: URL) throws -> URL {
    guard let port = url.port, let secure = URL(string: "https://127.0.0.1:\(port)") else {
      throw Nginx.Failure(description: "no port")
    }
    return secure
  }
}

/// What nginx is started with: its configuration, its certificate, and room for what it writes.
struct NginxFolder {
  let url: URL
  var files: URL { url.appending(path: "files") }

  init(_ identity: TestIdentity, server: String, other: String, ports: NginxPorts) throws {
    url = FileManager.default.temporaryDirectory.appending(path: "nginx-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    try identity.certificate.write(to: url.appending(path: "certificate.pem"))
    try identity.key.write(to: url.appending(path: "key.pem"))
    let text = Self.configuration(url.path() + "/", server: server, other: other, ports: ports)
    try Data(text.utf8).write(to: url.appending(path: "nginx.conf"))
  }

  private static func configuration(_ folder: String, server: String, other: String, ports: NginxPorts) -> String {
    let tls = "ssl_certificate certificate.pem; ssl_certificate_key key.pem;"
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder)\($0);" }
    func put(_ text: String) -> String {
      var text = text
      for (name, url) in [("$plain", ports.plain), ("$secure", ports.secure), ("$other", ports.other)] {
        text = text.replacingOccurrences(of: name, with: url.absoluteString)
      }
      return text
    }
    func address(_ url: URL) -> String { "127.0.0.1:\(url.port ?? 0)" }
    // Root's workers would be nobody's, who may not read the folder.
    return """
      daemon off;
      \(geteuid() == 0 ? "user root root;" : "")
      worker_processes 1;
      pid \(folder)pid;
      error_log \(folder)errors notice;
      events { worker_connections 1024; }
      http {
        access_log off;
        \(temporary.joined(separator: "\n  "))
        default_type text/plain;
        root \(folder)files;
        server {
          listen \(address(ports.plain)) backlog=1024;
          listen \(address(ports.secure)) ssl http2 backlog=1024;
          \(tls)
          location = /ready { return 204; }
          \(put(server))
        }
        server {
          listen \(address(ports.other)) ssl http2 backlog=1024;
          \(tls)
          \(put(other))
        }
      }
      """
  }

  /// Runs it beside a shell that ends it when this process closes the leash, or is gone. The shell never waits for it: a
  /// child has the signals blocked that the thread which began it had, and would not be told.
  func start(_ leash: Pipe) throws -> Process {
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments = [
      "-c",
      // Debian has it where users without rights do not look.
      """
      PATH=$PATH:/usr/sbin:/sbin
      nginx -p "$0" -c "$0/nginx.conf" -e "$0/errors" </dev/null >>"$0/errors" 2>&1 &
      read -r line
      kill -TERM $!
      """, url.path(),
    ]
    shell.standardInput = leash
    shell.standardOutput = FileHandle.nullDevice
    shell.standardError = FileHandle.nullDevice
    try shell.run()
    return shell
  }

  /// Whether it answers; false when it has said why it does not.
  func answers(on url: URL) async throws -> Bool {
    let transport = CurlTransport.direct()
    while !errors.contains("[emerg]"), !errors.contains("not found") {
      let response = try? await transport.exchange(HTTPRequest(.get, url.appending(path: "ready")))
      if response?.status == 204 { return true }
      try await Task.sleep(for: .milliseconds(5))
    }
    return false
  }

  var errors: String { (try? String(contentsOf: url.appending(path: "errors"), encoding: .utf8)) ?? "" }
}
