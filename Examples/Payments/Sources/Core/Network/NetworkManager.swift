import Foundation
import LarderHTTP

/// Asks an API. A test gives another.
protocol NetworkManagerProtocol: Sendable {
  func request<T: Decodable & SendableMetatype>(_ endpoint: some APIEndpoint) async throws -> T
  func request(_ endpoint: some APIEndpoint) async throws
  /// With what the server's clock showed.
  func timedRequest<T: Decodable & SendableMetatype>(_ endpoint: some APIEndpoint) async throws -> Timed<T>
}

/// An answer, and what the clock of whoever gave it showed, if it says so.
struct Timed<Value> {
  var value: Value
  var time: Date?
}

/// Asks an API by Larder's client.
final class NetworkManager: NetworkManagerProtocol {
  private let client: HTTPClient
  private let clock: @Sendable (HTTPHeaders) -> Date?

  /// - Parameters:
  ///   - client: What asks.
  ///   - clock: What an answer says of the server's clock.
  init(client: HTTPClient, clock: @escaping @Sendable (HTTPHeaders) -> Date? = { _ in nil }) {
    self.client = client
    self.clock = clock
  }

  func request<T: Decodable & SendableMetatype>(_ endpoint: some APIEndpoint) async throws -> T {
    do throws(HTTPError) {
      return try await client.request(endpoint)
    } catch {
      throw NetworkError(error)
    }
  }

  func timedRequest<T: Decodable & SendableMetatype>(_ endpoint: some APIEndpoint) async throws -> Timed<T> {
    let response: HTTPResponse
    do throws(HTTPError) {
      response = try await client.response(to: endpoint)
    } catch {
      throw NetworkError(error)
    }
    guard let value = try? JSONDecoder.standardDecoder.decode(T.self, from: response.body) else {
      throw NetworkError.decodingError
    }
    return Timed(value: value, time: clock(response.head.headers))
  }

  func request(_ endpoint: some APIEndpoint) async throws {
    do throws(HTTPError) {
      try await client.request(endpoint)
    } catch {
      throw NetworkError(error)
    }
  }
}

extension JSONDecoder {
  /// Names with underscores, dates by ISO 8601.
  static var standardDecoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }
}

extension JSONEncoder {
  /// Names with underscores, dates by ISO 8601; the same value always as the same bytes.
  static var standardEncoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
