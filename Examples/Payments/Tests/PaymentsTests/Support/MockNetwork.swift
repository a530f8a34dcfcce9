import Foundation
import LarderHTTP
import Synchronization

@testable import payments

/// A network that answers as a test says, and notes what it was asked.
final class MockNetwork: NetworkManagerProtocol {
  /// What was asked.
  struct Asked: Sendable, Hashable {
    var name: String
    var query: [String: String]
    var body: Data?
    var deadline: Date?
  }

  /// What the bank's clock shows; nil where it does not say.
  var time: Date? {
    get { clock.withLock { $0 } }
    set { clock.withLock { $0 = newValue } }
  }

  private let clock = Mutex<Date?>(nil)

  typealias Answer = @Sendable (Asked) async throws -> Data

  private let state: Mutex<(asked: [Asked], answer: Answer)>

  init(_ answer: @escaping Answer) { state = Mutex(([], answer)) }

  var asked: [Asked] { state.withLock { $0.asked } }

  /// From now on.
  func answer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }

  private func data(_ endpoint: some APIEndpoint) async throws -> Data {
    var asked = Asked(name: endpoint.name, query: [:])
    for item in endpoint.queryItems ?? [] { asked.query[item.name] = item.value }
    if let own = endpoint as? PaymentEndpoint, case .createPayment(let body, let deadline, _) = own {
      asked.body = body
      asked.deadline = deadline
    }
    let answer = state.withLock { state in
      state.asked.append(asked)
      return state.answer
    }
    return try await answer(asked)
  }

  func request<T: Decodable & SendableMetatype>(_ endpoint: some APIEndpoint) async throws -> T {
    try JSONDecoder.standardDecoder.decode(T.self, from: try await data(endpoint))
  }

  func timedRequest<T: Decodable & SendableMetatype>(_ endpoint: some APIEndpoint) async throws -> Timed<T> {
    Timed(value: try await request(endpoint), time: time)
  }

  func request(_ endpoint: some APIEndpoint) async throws { _ = try await data(endpoint) }
}
