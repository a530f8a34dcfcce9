import Foundation
import LarderHTTP
import LarderTesting
import Testing

/// Links, pipes and devices, as bodies and as the places of downloads.
@Suite(.timeLimit(.minutes(1))) struct FileKindTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "kinds-\(UUID().uuidString)")
  private func path(_ name: String) -> URL { folder.appending(path: name) }

  init() throws {
    try FileManager.default.createDirectory(at: path("sub"), withIntermediateDirectories: true)
  }

  private func type(_ url: URL) -> FileAttributeType? {
    (try? FileManager.default.attributesOfItem(atPath: url.path(percentEncoded: false)))?[.type] as? FileAttributeType
  }

  private func link(_ name: String, to target: String) throws -> URL {
    try FileManager.default.createSymbolicLink(atPath: path(name).path(), withDestinationPath: target)
    return path(name)
  }

  private func pipe(_ name: String) -> URL {
    #expect(mkfifo(path(name).path(), 0o600) == 0)
    return path(name)
  }

  private func client(_ server: ScriptedServer) -> HTTPClient {
    .ofFaults(server.url(), clock: TestClock(advancesAutomatically: true))
  }

  // MARK: - Bodies

  private func receiving() throws -> ScriptedServer {
    try ScriptedServer { _ in [.receiveRequest, .send(Wire.json("[]")), .restart] }
  }

  @Test func aLinksFileIsSent() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try receiving()
    defer { server.stop() }
    try Data("hello".utf8).write(to: path("file"))
    _ = try link("one", to: "file")
    _ = try link("sub/up", to: "../one")
    for name in ["file", "one", "sub/up"] {
      _ = try await client(server).response(to: Endpoint<Void>.put("/x", body: .file(path(name))))
      #expect(server.requests.last?.body == Data("hello".utf8), "\(name)")
      #expect(server.requests.last?.headers["content-length"] == "5", "\(name)")
    }
    try Data().write(to: path("empty"))
    _ = try await client(server).response(to: Endpoint<Void>.put("/x", body: .file(path("empty"))))
    #expect(server.requests.last?.headers["content-length"] == "0" && server.requests.last?.body.isEmpty == true)
  }

  /// What has no length is sent in chunks, to its end.
  @Test(arguments: [0, 17, 300_000]) func aPipeIsSentAsItComes(_ count: Int) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try receiving()
    defer { server.stop() }
    let pipe = pipe("pipe")
    let contents = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
    Thread.detachNewThread { try? FileHandle(forWritingTo: pipe).write(contentsOf: contents) }
    _ = try await client(server).response(to: Endpoint<Void>.put("/x", body: .file(pipe)))
    #expect(server.requests.last?.body == contents)
    #expect(server.requests.last?.headers["transfer-encoding"] == "chunked")
  }

  @Test func aFileOfTheSystemIsSent() async throws {
    let server = try receiving()
    defer { server.stop() }
    let file = URL(filePath: "/proc/version")
    _ = try await client(server).response(to: Endpoint<Void>.put("/x", body: .file(file)))
    #expect(try server.requests.last?.body == Data(contentsOf: file) && server.requests.last?.body.isEmpty == false)
  }

  /// A pipe is read once: another attempt would have nothing.
  @Test func aPipeIsNotSentAgain() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try ScriptedServer { _ in [.receiveRequest, .send(Wire.response("", status: "503 No")), .restart] }
    defer { server.stop() }
    let pipe = pipe("pipe")
    Thread.detachNewThread { try? FileHandle(forWritingTo: pipe).write(contentsOf: Data("once".utf8)) }
    let client = client(server)
    let error = await failure { () async throws(HTTPError) in
      try await client.response(to: Endpoint<Void>.put("/x", body: .file(pipe)))
    }
    #expect(error?.kind == .unacceptableStatus(503) && error?.attempts == 1 && server.requests.count == 1)
  }

  /// A pipe that nobody writes to holds up neither the task that is cancelled nor others.
  @Test func aPipeThatNobodyWritesTo() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try receiving()
    defer { server.stop() }
    let pipe = pipe("pipe")
    let client = client(server)
    let task = Task { try await client.response(to: Endpoint<Void>.put("/x", body: .file(pipe))) }
    while server.connectionCount == 0 { await Task.yield() }
    task.cancel()
    await #expect(throws: HTTPError.self) { try await task.value }
  }

  @Test func whatCannotBeReadIsRefused() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let dangling = try link("dangling", to: "nothing")
    for url in [folder, dangling, path("none")] {
      let stub = TransportStub { _ in .json("[]") }
      let client = HTTPClient(baseURL: URL(string: "https://h")!, transport: stub)
      let error = await failure { () async throws(HTTPError) in
        try await client.response(to: Endpoint<Void>.put("/x", body: .file(url)))
      }
      #expect(error?.kind == .invalidRequest(.body) && stub.requests.isEmpty, "\(url)")
    }
  }

  // MARK: - Downloads

  private func sending() throws -> ScriptedServer {
    try ScriptedServer { _ in [.receiveRequest, .send(Wire.response("new")), .restart] }
  }

  @Test func aLinksTargetIsWritten() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try sending()
    defer { server.stop() }
    try Data("old".utf8).write(to: path("sub/target"))
    _ = try link("one", to: "sub/target")
    _ = try link("two", to: path("one").path())
    _ = try link("folder", to: "sub")
    _ = try link("folder/back", to: "../one")
    for name in ["one", "two", "folder/back"] {
      try Data("old".utf8).write(to: path("sub/target"))
      try await client(server).download(.get("/x", headers: ["Accept": "*/*"]), to: path(name))
      #expect(type(path(name)) == .typeSymbolicLink && type(path("sub/target")) == .typeRegular, "\(name)")
      #expect(try Data(contentsOf: path("sub/target")) == Data("new".utf8), "\(name)")
    }
    // A link that leads to nothing yet.
    let dangling = try link("dangling", to: "sub/made")
    try await client(server).download(.get("/x", headers: ["Accept": "*/*"]), to: dangling)
    #expect(type(dangling) == .typeSymbolicLink && type(path("sub/made")) == .typeRegular)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: path("sub").path()).allSatisfy { !$0.hasSuffix("part") })
  }

  @Test func whatIsNoPlainFileStays() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try sending()
    defer { server.stop() }
    let pipe = pipe("pipe")
    let toPipe = try link("to-pipe", to: "pipe")
    let toItself = try link("to-itself", to: "to-itself")
    let toDevice = try link("to-device", to: "/dev/null")
    let cases: [(URL, Int32)] = [
      (pipe, ENOTSUP), (toPipe, ENOTSUP), (toDevice, ENOTSUP), (path("sub"), EISDIR), (toItself, ELOOP),
    ]
    for (url, number) in cases {
      let before = type(url)
      let client = client(server)
      let error = await failure { () async throws(HTTPError) in
        try await client.download(.get("/x", headers: ["Accept": "*/*"]), to: url)
      }
      #expect(error?.kind == .file(errno: number) && error?.delivery == .notSent, "\(url.lastPathComponent)")
      #expect(type(url) == before && server.requests.isEmpty)
      if number == ENOTSUP { #expect(error?.advice.contains("plain file") == true) }
    }
    #expect(type(pipe) != .typeRegular && type(URL(filePath: "/dev/null")) == .typeCharacterSpecial)
  }
}
