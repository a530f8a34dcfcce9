import DurabilityWork
import Foundation
import LarderHTTP
import LarderTesting
import Synchronization
import Testing

@Suite struct DownloadTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "download-\(UUID().uuidString)")
  private var file: URL { folder.appending(path: "export ü.json") }

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
  }

  @Test func aFileIsThereWhenItIsWhole() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let contents = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    let server = try ScriptedServer { number in
      let head = ScriptedServer.Step.send("HTTP/1.1 200 OK\r\nContent-Length: \(contents.count)\r\nETag: \"1\"\r\n\r\n")
      // The first attempt breaks off.
      return number == 0
        ? [.receiveRequest, head, .sendData(contents.prefix(1_000_000)), .reset]
        : [.receiveRequest, head, .sendData(contents)]
    }
    defer { server.stop() }
    let progress = Mutex<[TransferProgress]>([])
    let response = try await HTTPClient.ofFaults(server.url(), clock: TestClock(advancesAutomatically: true))
      .download(.get("/export"), to: file) { now in progress.withLock { $0.append(now) } }
    #expect(try Data(contentsOf: file) == contents)
    #expect(try names() == [file.lastPathComponent])
    #expect(response.body.isEmpty && response.headers["ETag"] == "\"1\"" && response.metrics.attempts == 2)
    #expect(response.metrics.bodyBytes == 3_000_000)
    let last = progress.withLock { $0.last }
    #expect(last == TransferProgress(bytes: 3_000_000, total: 3_000_000) && last?.fraction == 1)
    let mode = try FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))[.posixPermissions]
    #expect((mode as? NSNumber)?.intValue == 0o600)
  }

  @Test func whatFailsLeavesTheFormerFile() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("former".utf8).write(to: file)
    let server = try ScriptedServer { _ in
      [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), .restart]
    }
    defer { server.stop() }
    let client = HTTPClient.ofFaults(server.url(), clock: TestClock(advancesAutomatically: true))
    let cut = await failure { () async throws(HTTPError) in
      try await client.download(
        Endpoint<Void>.get("/x").with { $0.deadlines = Deadlines(idle: .milliseconds(50)) }, to: file)
    }
    #expect(cut?.kind == .deadline(.idle) && cut?.status == 200)
    #expect(try Data(contentsOf: file) == Data("former".utf8))
    #expect(try names() == [file.lastPathComponent])

    let asked = server.requests.count
    let unwritable = await failure { () async throws(HTTPError) in
      try await client.download(.get("/x"), to: folder.appending(path: "none/x"))
    }
    #expect(unwritable?.kind == .file(errno: ENOENT))
    // Nobody was asked.
    #expect(unwritable?.delivery == .notSent && unwritable?.request == "GET /x" && unwritable?.attempts == 0)
    #expect(server.requests.count == asked)
    // A file in the place of a folder.
    let within = await failure { () async throws(HTTPError) in
      try await client.download(.get("/x"), to: file.appending(path: "x"))
    }
    #expect(within?.kind == .file(errno: ENOTDIR) && within?.delivery == .notSent)
  }

  @Test func cancellingLeavesNothing() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try ScriptedServer { _ in
      [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), .stall]
    }
    defer { server.stop() }
    let client = HTTPClient(baseURL: server.url(), transport: CurlTransport.direct())
    let file = self.file
    let task = Task { await failure { () async throws(HTTPError) in try await client.download(.get("/x"), to: file) } }
    while try names().isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    task.cancel()
    #expect(await task.value?.kind == .cancelled)
    #expect(await task.value?.delivery == .responded)
    #expect(try names().isEmpty)
  }

  /// What a process that was killed has left goes with the next download to the same file.
  @Test(.timeLimit(.minutes(2))) func whatAKilledProcessHasLeftGoes() async throws {
    let printed = FileManager.default.temporaryDirectory.appending(path: "printed-\(UUID().uuidString)")
    defer {
      try? FileManager.default.removeItem(at: folder)
      try? FileManager.default.removeItem(at: printed)
    }
    let process = try ChildProcess("LinkVictim", ["stall", file.path(percentEncoded: false)], output: printed)
    while try names().isEmpty, !process.hasEnded { try await Task.sleep(for: .milliseconds(1)) }
    // Others' files, and those of other downloads.
    let others = [".export ü.json.part", ".export ü.json.a.0.part", "export ü.json.0.part"]
    for name in others { try Data().write(to: folder.appending(path: name)) }
    let client = HTTPClient(baseURL: URL(string: "https://h")!, transport: TransportStub { _ in .json("[]") })
    // While it lives, what it writes stays.
    try await client.download(.get("/x"), to: file)
    #expect(try names().count == others.count + 2)
    process.killNow()
    #expect(process.wait() == .signal(SIGKILL), "\(process.printed)")
    #expect(try names().count == others.count + 2)
    try await client.download(.get("/x"), to: file)
    #expect(try names() == (others + [file.lastPathComponent]).sorted())
    #expect(try Data(contentsOf: file) == Data("[]".utf8))
  }

  /// Two downloads to one file at once: each is whole, and the last one stays.
  @Test func twoToOneFile() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let rest = DispatchSemaphore(value: 0)
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc"
    let server = try ScriptedServer { number in
      guard number == 0 else { return [.receiveRequest, .send(head + "xyz")] }
      return [
        .receiveRequest, .send(head),
        .respond { _ in
          rest.wait()
          return [.send("def")]
        },
      ]
    }
    defer {
      rest.signal()
      server.stop()
    }
    let client = HTTPClient(baseURL: server.url(), transport: CurlTransport.direct())
    let file = self.file
    let first = Task { try await client.download(.get("/x"), to: file) }
    while try names().isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    try await client.download(.get("/x"), to: file)
    #expect(try Data(contentsOf: file) == Data("abcxyz".utf8) && names().count == 2)
    rest.signal()
    _ = try await first.value
    #expect(try Data(contentsOf: file) == Data("abcdef".utf8) && names() == [file.lastPathComponent])
  }

  #if os(Linux)
    /// Else the name might be the former file's after a power cut.
    @Test func theFolderIsOnTheDiskToo() throws {
      let printed = FileManager.default.temporaryDirectory.appending(path: "printed-\(UUID().uuidString)")
      defer {
        try? FileManager.default.removeItem(at: folder)
        try? FileManager.default.removeItem(at: printed)
      }
      let process = try ChildProcess("LinkVictim", ["download", file.path(percentEncoded: false)], output: printed)
      #expect(process.wait() == .exit(0))
      #expect(process.printed == "found=[true]\n")
    }
  #endif

  @Test func whatIsUnchangedStays() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("former".utf8).write(to: file)
    let stub = TransportStub { _ in .status(304, headers: ["ETag": "\"1\""]) }
    let client = HTTPClient(baseURL: URL(string: "https://h")!, transport: stub)
    let response = try await client.download(
      Endpoint<Void>.get("/x").with { $0.headers["If-None-Match"] = "\"1\"" }, to: file)
    #expect(response.isUnchanged && response.status == 304)
    #expect(try Data(contentsOf: file) == Data("former".utf8))
    #expect(try names() == [file.lastPathComponent])
  }

  @Test func aPortalsPageIsNoFile() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("former".utf8).write(to: file)
    let stub = TransportStub { _ in .text("<html>", type: "text/html") }
    let client = HTTPClient(baseURL: URL(string: "https://h")!, transport: stub)
    let portal = await failure { () async throws(HTTPError) in try await client.download(.get("/x"), to: file) }
    #expect(portal?.kind == .notJSON(mediaType: "text/html") && portal?.attempts == 1)
    #expect(try Data(contentsOf: file) == Data("former".utf8))
    for accepted in ["text/html", "*/*", "text/html, application/json"] {
      try Data("former".utf8).write(to: file)
      try await client.download(Endpoint<Void>.get("/x").with { $0.headers["Accept"] = accepted }, to: file)
      #expect(try Data(contentsOf: file) == Data("<html>".utf8))
    }
  }
}
