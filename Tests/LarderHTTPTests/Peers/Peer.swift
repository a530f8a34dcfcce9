import Foundation
import LarderHTTP
import LarderTesting

/// A client of HTTP, to make the same requests as others.
enum Peer: String, CaseIterable, Sendable {
  case ours, curl, requests

  /// Makes all of them, one after the other, and returns what the server saw of each.
  func make(_ cases: [PeerCase]) async throws -> [ScriptedServer.RecordedRequest] {
    let server = try ScriptedServer { _ in [.receiveRequest, .send("HTTP/1.1 204 No Content\r\n\r\n"), .restart] }
    defer { server.stop() }
    let base = "http://127.0.0.1:\(server.port)"
    switch self {
    case .ours: try await Self.makeOurs(cases, base)
    case .curl: try Self.makeByCurl(cases, base)
    case .requests: try Self.makeByRequests(cases, base)
    }
    return server.requests
  }

  private static func makeOurs(_ cases: [PeerCase], _ base: String) async throws {
    let transport = CurlTransport.direct()
    for one in cases {
      guard let url = URL(string: base + one.target) else {
        throw PeerFailure(description: "no address: \(one.target)")
      }
      var request = HTTPRequest(HTTPMethod(rawValue: one.method), url)
      for field in one.headers { request.headers.add(field[1], for: field[0]) }
      if let body = one.body {
        request.body = .data(body)
        // As the others: only the type that the request's own header says.
        request.body?.contentType = nil
      }
      _ = try await transport.exchange(request)
    }
  }

  // MARK: - curl's command

  private static func makeByCurl(_ cases: [PeerCase], _ base: String) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "curl-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var lines: [String] = []
    func quoted(_ text: String) -> String {
      let escaped = text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
      return "\"" + escaped.replacingOccurrences(of: "\t", with: "\\t") + "\""
    }
    for (number, one) in cases.enumerated() {
      // Brackets and braces are the command's own shorthand for several addresses.
      lines += [
        "url = \(quoted(base + one.target))", "globoff", "silent", "show-error", "noproxy = \"*\"", "max-time = 10",
      ]
      switch one.method {
      case "GET" where one.body == nil: break
      case "HEAD": lines.append("head")
      default: lines.append("request = \(quoted(one.method))")
      }
      // A field that is empty is written with a semicolon.
      lines += one.headers.map { "header = " + quoted($0[1].isEmpty ? $0[0] + ";" : $0[0] + ": " + $0[1]) }
      if let body = one.body {
        let file = folder.appending(path: "\(number)")
        try body.write(to: file)
        lines.append("data-binary = \(quoted("@" + file.path()))")
      }
      lines += ["output = \"/dev/null\"", "next"]
    }
    let file = folder.appending(path: "config")
    try Data(lines.dropLast().joined(separator: "\n").utf8).write(to: file)
    try run("/usr/bin/curl", ["-q", "--config", file.path()])
  }

  // MARK: - Python's requests

  private static let program = """
    import base64, json, requests, sys
    base, file = sys.argv[1:]
    session = requests.Session()
    session.trust_env = False
    for case in json.load(open(file)):
        headers = {}
        for name, value in case["headers"]:
            value = value.encode()
            headers[name] = headers[name] + b", " + value if name in headers else value
        body = base64.b64decode(case["body"]) if "body" in case else None
        session.request(case["method"], base + case["target"], headers=headers, data=body, timeout=10)
    """

  private static func makeByRequests(_ cases: [PeerCase], _ base: String) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID().uuidString).json")
    try JSONEncoder().encode(cases).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    // Debian's own, which has the package.
    try run("/usr/bin/python3", ["-c", program, base, file.path()])
  }

  private static func run(_ program: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    let said = Pipe()
    process.standardError = said
    try process.run()
    let text = String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw PeerFailure(description: "\(program): \(text)") }
  }
}

struct PeerFailure: Error, CustomStringConvertible {
  let description: String
}
