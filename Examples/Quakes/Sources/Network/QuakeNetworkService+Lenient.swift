import Foundation
import FoundationNetworking

extension QuakeNetworkService {
  /// How long to wait for an answer; whole seconds, as URLSession on Linux knows no shorter ones.
  static let patience = 10

  /// A session that gives up after a number of seconds.
  static func session(patience seconds: Int = patience) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = Double(max(1, seconds))
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    return URLSession(configuration: configuration)
  }

  /// Fetches the feed and takes from it what is good.
  ///
  /// - Throws: ``NetworkError``, whatever fails.
  func fetchFeed() async throws(NetworkError) -> FeedReading {
    let (data, response) = try await fetchBytes()
    guard response.statusCode == 200 else { throw .status(response.statusCode) }
    // A body that is shorter than it was declared to be may still arrive as a success.
    if response.expectedContentLength > Int64(data.count) { throw .brokeOff }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    do {
      return try decoder.decode(FeedReading.self, from: data)
    } catch {
      throw .notTheFeed(type: Self.kind(of: data, response))
    }
  }

  private func fetchBytes() async throws(NetworkError) -> (Data, HTTPURLResponse) {
    do {
      let (data, response) = try await session.data(from: url)
      guard let http = response as? HTTPURLResponse else { throw NetworkError.invalidResponse }
      return (data, http)
    } catch let error as NetworkError {
      throw error
    } catch let error as URLError {
      throw networkError(for: error)
    } catch {
      throw .connection(error.localizedDescription)
    }
  }

  private func networkError(for error: URLError) -> NetworkError {
    switch error.code {
    case .timedOut: .timedOut(seconds: Int(session.configuration.timeoutIntervalForRequest))
    case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet: .unreachable
    case .networkConnectionLost, .cannotParseResponse, .zeroByteResource, .badServerResponse: .brokeOff
    // URLSession on Linux has no code for a body that ends too soon, only the words of the library beneath it.
    case _ where error.localizedDescription.contains("transfer closed"): .brokeOff
    default: .connection(error.localizedDescription)
    }
  }

  /// What the answer is instead, in a word or two.
  private static func kind(of data: Data, _ response: HTTPURLResponse) -> String {
    if data.isEmpty { return "an empty body" }
    let type = response.mimeType ?? ""
    return type.contains("json") ? "other JSON, or damaged" : (type.isEmpty ? "of no declared type" : type)
  }
}
