import Foundation
import LoopbackServer
import Synchronization
import Testing

@Suite struct StreamTests {
  /// A server with one stream, and the writers it has given out.
  private final class Streaming: Sendable {
    final class Writers: Sendable {
      let all = Mutex<[LoopbackServer.StreamWriter]>([])
    }

    let server: LoopbackServer
    let writers = Writers()

    init() throws {
      server = try LoopbackServer()
      server.route("/events") { [writers] _ in
        .events { writer in writers.all.withLock { $0.append(writer) } }
      }
    }

    func open() throws -> (RawClient, LoopbackServer.StreamWriter) {
      let client = try RawClient(port: server.port)
      client.send("GET /events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
      #expect(client.read(until: ":\n\n").contains("text/event-stream"))
      return (client, try #require(writers.all.withLock { $0.last }))
    }
  }

  @Test func eventsArriveWhenTheyArePushed() throws {
    let streaming = try Streaming()
    let (client, writer) = try streaming.open()
    for round in 0..<3 {
      #expect(writer.send("line one\nline \(round)", event: "change"))
      let text = client.read(until: "data: line \(round)\n\n")
      #expect(text.contains("event: change\ndata: line one\ndata: line \(round)\n\n"))
    }
    writer.finish()
    #expect(client.readToEnd()?.hasSuffix("0\r\n\r\n") == true)
    #expect(!writer.send("too late"))
  }

  @Test func aClientThatGoesIsNoticedWithoutAWrite() async throws {
    let streaming = try Streaming()
    let closed = AsyncStream<Void>.makeStream()
    do {
      let (_, writer) = try streaming.open()
      writer.onClose { closed.continuation.finish() }
    }
    for await _ in closed.stream {}
    let writer = try #require(streaming.writers.all.withLock { $0.last })
    #expect(writer.isClosed)
    #expect(!writer.write("nobody"))
  }

  @Test func aClientThatDoesNotReadIsCutOff() throws {
    let streaming = try Streaming()
    let (client, writer) = try streaming.open()
    let block = String(repeating: "x", count: 1 << 20)
    var isOpen = true
    // The socket's own buffers take some, then the writer's limit is met.
    for _ in 0..<64 where isOpen { isOpen = writer.send(block) }
    #expect(!isOpen)
    // What it does read then breaks off: nothing says that this was all.
    #expect(client.readToEnd()?.hasSuffix("0\r\n\r\n") == false)
  }

  /// More than may wait, from before the response has begun: the writer is told, and the client sees that it broke off.
  @Test func whatIsWrittenBeforeItBeginsIsLimited() throws {
    let server = try LoopbackServer()
    server.route("/export") { _ in
      .stream(type: "text/plain") { writer in
        #expect(!writer.write(Data(count: LoopbackServer.StreamWriter.bufferLimit + 1)))
        writer.finish()
      }
    }
    let client = try RawClient(port: server.port)
    client.send("GET /export HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    let text = try #require(client.readToEnd())
    #expect(!text.hasSuffix("0\r\n\r\n"))
  }

  /// What blocks a thread does so to one of its own: tasks are to go on.
  private func reading(_ path: String, of server: LoopbackServer, until end: String?) async -> String? {
    await withCheckedContinuation { continuation in
      Thread {
        guard let client = try? RawClient(port: server.port) else { return continuation.resume(returning: nil) }
        client.send("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        continuation.resume(returning: end.map(client.read) ?? client.readToEnd())
      }.start()
    }
  }

  /// Far more than may wait, to a client that reads it all.
  @Test func whoWaitsForTheClientMaySendAnything() async throws {
    let server = try LoopbackServer()
    let count = 8_000_000
    server.route("/export") { _ in
      .stream(type: "text/plain") { writer in
        Task(executorPreference: OwnThread.shared) {
          let block = Data(repeating: UInt8(ascii: "z"), count: 100_000)
          for _ in 0..<(count / block.count) { #expect(await writer.writeWithBackPressure(block)) }
          writer.finish()
        }
      }
    }
    let text = try #require(await reading("/export", of: server, until: nil))
    #expect(text.hasSuffix("0\r\n\r\n"))
    #expect(text.utf8.count(where: { $0 == UInt8(ascii: "z") }) == count)
  }

  /// Whoever waits for a client that has gone is told so.
  @Test func whoWaitsForAClientThatGoesIsTold() async throws {
    let server = try LoopbackServer()
    let (ended, continuation) = AsyncStream.makeStream(of: Int.self)
    server.route("/export") { _ in
      .stream(type: "text/plain") { writer in
        Task(executorPreference: OwnThread.shared) {
          let block = Data(repeating: UInt8(ascii: "z"), count: 1 << 20)
          var count = 0
          while await writer.writeWithBackPressure(block) { count += 1 }
          continuation.yield(count)
        }
      }
    }
    #expect(await reading("/export", of: server, until: "zzz")?.contains("zzz") == true)
    var blocks = ended.makeAsyncIterator()
    #expect(await blocks.next(isolation: nil) ?? 0 > 0)
  }

  @Test func threadsMayPushAtOnce() async throws {
    let streaming = try Streaming()
    let (client, writer) = try streaming.open()
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask { for number in 0..<100 { writer.send("\(task)-\(number)") } }
      }
    }
    writer.finish()
    let text = try #require(client.readToEnd())
    #expect(text.components(separatedBy: "data: ").count - 1 == 800)
  }

  @Test func whatIsFinishedArrivesThoughTheServerStops() throws {
    for _ in 0..<20 {
      let streaming = try Streaming()
      let (client, writer) = try streaming.open()
      writer.write(String(repeating: "x", count: 300_000))
      writer.finish()
      streaming.server.stop()
      #expect(client.readToEnd()?.hasSuffix("0\r\n\r\n") == true)
    }
  }

  @Test func stoppingEndsStreams() throws {
    let streaming = try Streaming()
    let (client, writer) = try streaming.open()
    streaming.server.stop()
    streaming.server.stop()
    #expect(client.readToEnd() != nil)
    #expect(writer.isClosed)
  }
}

/// Runs tasks apart from those of other tests, which may block all of their threads for longer than a client waits.
private final class OwnThread: TaskExecutor {
  static let shared = OwnThread()
  private let queue = DispatchQueue(label: "StreamTests")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
