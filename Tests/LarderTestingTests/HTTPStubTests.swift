import Foundation
import FoundationNetworking
import LarderTesting
import Synchronization
import Testing

/// A mock HTTP client, asked as code under test asks it.
@Suite struct HTTPStubTests {
  private let url = URL(string: "https://api.example/trips?page=1")!

  private func ask(_ session: URLSession) async throws -> (text: String, response: HTTPURLResponse) {
    let (data, response) = try await session.data(from: url)
    return (String(decoding: data, as: UTF8.self), try #require(response as? HTTPURLResponse))
  }

  @Test func handlerAnswersWithoutANetwork() async throws {
    let stub = HTTPStub { request in
      .json(#"{"asked": "\#(request.url?.absoluteString ?? "")"}"#, headers: ["ETag": "\"7\""])
    }
    let (text, response) = try await ask(stub.session)
    #expect(text == #"{"asked": "https://api.example/trips?page=1"}"#)
    #expect(response.statusCode == 200)
    #expect(response.mimeType == "application/json")
    #expect(response.value(forHTTPHeaderField: "ETag") == "\"7\"")
    #expect(response.expectedContentLength == text.utf8.count)
  }

  @Test(arguments: [201, 304, 404, 500, 503])
  func statusesArrive(status: Int) async throws {
    let stub = HTTPStub { _ in .text("words", status: status) }
    let (_, response) = try await ask(stub.session)
    #expect(response.statusCode == status)
  }

  @Test func emptyBodyArrives() async throws {
    let stub = HTTPStub { _ in .bytes(Data(), type: "text/plain", status: 204) }
    #expect(try await ask(stub.session).text == "")
  }

  @Test func requestsAreNotedAsTheyWereMade() async throws {
    let stub = HTTPStub { request in
      .bytes(request.httpBody ?? Data("nothing".utf8), type: "text/plain")
    }
    var request = URLRequest(url: url)
    request.httpMethod = "PUT"
    request.httpBody = Data("a trip".utf8)
    request.setValue("Bearer 1", forHTTPHeaderField: "Authorization")
    let (data, _) = try await stub.session.data(for: request)
    #expect(data == Data("a trip".utf8))

    let noted = try #require(stub.requests.first)
    #expect(stub.requests.count == 1)
    #expect(noted.httpMethod == "PUT")
    #expect(noted.url == url)
    #expect(noted.value(forHTTPHeaderField: "Authorization") == "Bearer 1")
  }

  @Test func whatAHandlerThrowsFailsTheRequest() async throws {
    let stub = HTTPStub { _ in throw URLError(.timedOut) }
    let error = await #expect(throws: URLError.self) { try await ask(stub.session) }
    #expect(error?.code == .timedOut)
  }

  @Test func bodyMayBreakOff() async throws {
    let stub = HTTPStub { _ in .interrupted(Data("[{".utf8), type: "application/json") }
    let error = await #expect(throws: URLError.self) { try await ask(stub.session) }
    #expect(error?.code == .networkConnectionLost)
  }

  @Test func answersMayBeExchanged() async throws {
    let stub = HTTPStub { _ in .text("first") }
    #expect(try await ask(stub.session).text == "first")
    stub.setHandler { _ in .text("second") }
    #expect(try await ask(stub.session).text == "second")
    #expect(stub.requests.count == 2)
  }

  @Test func delayedAnswerComesLater() async throws {
    let stub = HTTPStub { _ in .text("late").delayed(by: 0.2) }
    let clock = ContinuousClock()
    let began = clock.now
    #expect(try await ask(stub.session).text == "late")
    #expect(clock.now - began >= .milliseconds(200))
  }

  @Test func endlessRequestCanBeCancelled() async throws {
    let (began, continuation) = AsyncStream.makeStream(of: Void.self)
    let stub = HTTPStub { _ in
      continuation.yield()
      return .never
    }
    let asking = Task { try await ask(stub.session) }
    for await _ in began { break }
    asking.cancel()
    let error = await #expect(throws: URLError.self) { try await asking.value }
    #expect(error?.code == .cancelled)
  }

  /// Cancelled while the answer is under way: whichever comes first, the program goes on.
  @Test func cancelledAtAnyInstant() async throws {
    for round in 0..<500 {
      let stub = HTTPStub { _ in .text("answer").delayed(by: Double(round % 10) / 10_000) }
      let asking = Task { try await ask(stub.session).text }
      try await Task.sleep(for: .microseconds(round * 10))
      asking.cancel()
      switch await asking.result {
      case .success(let text): #expect(text == "answer")
      case .failure(let error): #expect((error as? URLError)?.code == .cancelled || error is CancellationError)
      }
    }
  }

  @Test func blockingHandlerHoldsNobodyElseUp() async throws {
    let gate = Mutex(false)
    let stub = HTTPStub { request in
      if request.url?.path == "/slow" {
        while !gate.withLock({ $0 }) { usleep(1000) }
      }
      return .text(request.url?.path ?? "")
    }
    let slow = try #require(URL(string: "https://api.example/slow"))
    async let late = stub.session.data(from: slow)
    #expect(try await ask(stub.session).text == "/trips")
    gate.withLock { $0 = true }
    #expect(String(decoding: try await late.0, as: UTF8.self) == "/slow")
  }

  /// A hundred stubs at a time for the same address, each with a session of its own.
  @Test func stubsDoNotKnowOfOneAnother() async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for number in 0..<100 {
        tasks.addTask {
          let stub = HTTPStub { _ in .text("\(number)") }
          for _ in 0..<5 {
            let text = try await ask(stub.session).text
            #expect(text == "\(number)")
          }
          #expect(stub.requests.count == 5)
        }
      }
      try await tasks.waitForAll()
    }
  }

  @Test func stubLastsAsLongAsItsSession() async throws {
    var session: URLSession? = HTTPStub { _ in .text("still here") }.session
    #expect(try await ask(try #require(session)).text == "still here")
    session = nil
  }

  @Test func otherSessionsAreLeftAlone() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    server.route("/") { _ in .text("real") }
    let stub = HTTPStub { _ in .text("stub") }
    #expect(try await ask(stub.session).text == "stub")
    let (data, _) = try await URLSession.shared.data(from: server.url("/"))
    #expect(data == Data("real".utf8))
  }
}
