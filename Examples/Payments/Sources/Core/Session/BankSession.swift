import Foundation
import LarderHTTP

/// The token by which the bank knows its customer. However many requests want a new one, one is asked for.
actor BankSession: HTTPInterceptor {
  private struct Pair: Codable, Sendable {
    var accessToken: String
    var refreshToken: String
  }

  private let client: HTTPClient
  private let refreshToken: String
  private var token: String?
  private var refreshing: Task<String, any Error>?

  /// - Parameter client: For the session's own requests.
  init(client: HTTPClient, refreshToken: String) {
    self.client = client
    self.refreshToken = refreshToken
  }

  nonisolated func intercept(_ request: HTTPRequest, next: Next) async throws(HTTPError) -> StreamedResponse {
    let token = try await good(besides: nil)
    do throws(HTTPError) {
      return try await next(request.bearing(token))
    } catch  where error.kind == .unauthorised {
      return try await next(request.bearing(try await good(besides: token)))
    }
  }

  private func good(besides old: String?) async throws(HTTPError) -> String {
    if let token, token != old { return token }
    let task = refreshing ?? Task { try await ask() }
    refreshing = task
    do {
      let fresh = try await task.value
      token = fresh
      refreshing = nil
      return fresh
    } catch let error as HTTPError {
      refreshing = nil
      // Nothing of the request itself was sent.
      var failure = error
      failure.delivery = .notSent
      throw failure
    } catch {
      refreshing = nil
      throw HTTPError(.cancelled, delivery: .notSent)
    }
  }

  private func ask() async throws -> String {
    let body = try JSONEncoder.standardEncoder.encode(["refresh_token": refreshToken])
    let pair = try await client.request(
      Endpoint<Pair>.post("/v1/tokens", body: .data(body, type: "application/json")))
    return pair.accessToken
  }
}

extension HTTPRequest {
  fileprivate func bearing(_ token: String) -> HTTPRequest {
    var request = self
    request.headers["Authorization"] = "Bearer \(token)"
    return request
  }
}
