import Foundation
import FoundationNetworking

extension TripSyncError {
  /// Fetches, and says in our own words what goes wrong.
  static func explain(
    patience: TimeInterval, _ fetch: () async throws -> (Data, URLResponse)
  ) async throws -> (Data, URLResponse) {
    do {
      return try await fetch()
    } catch let error as URLError {
      throw TripSyncError(error, patience: patience)
    }
  }

  /// Decodes an answer, and says in our own words why that cannot be done.
  static func explain<Value>(_ response: URLResponse, _ data: Data, _ decode: () throws -> Value) throws -> Value {
    if let http = response as? HTTPURLResponse, http.statusCode != 200 { throw TripSyncError.status(http.statusCode) }
    // A body that is shorter than it was declared to be may still arrive as a success.
    if response.expectedContentLength > Int64(data.count) { throw TripSyncError.brokeOff }
    do {
      return try decode()
    } catch let error as DecodingError {
      throw TripSyncError(error, in: data, type: response.mimeType)
    }
  }

  private init(_ error: URLError, patience: TimeInterval) {
    self =
      switch error.code {
      case .timedOut: .timedOut(seconds: Int(patience.rounded()))
      case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet: .unreachable
      case .networkConnectionLost, .cannotParseResponse, .zeroByteResource, .badServerResponse: .brokeOff
      // URLSession on Linux has no code for a body that ends too soon, only the words of the library beneath it.
      case _ where error.localizedDescription.contains("transfer closed"): .brokeOff
      default: .connection(error.localizedDescription)
      }
  }

  private init(_ error: DecodingError, in data: Data, type: String?) {
    let path: [any CodingKey]
    switch error {
    case .keyNotFound(let key, let context): path = context.codingPath + [key]
    case .typeMismatch(_, let context), .valueNotFound(_, let context): path = context.codingPath
    case .dataCorrupted(let context): path = context.codingPath
    @unknown default: path = []
    }
    if let index = path.first?.intValue {
      let field = path.dropFirst().map { $0.intValue.map { "number \($0 + 1)" } ?? $0.stringValue }
      self = .badTrip((["number \(index + 1)"] + field).joined(separator: ", "))
    } else if data.isEmpty {
      self = .notTrips(type: "nothing")
    } else if data.first(where: { !" \n\r\t".utf8.contains($0) }) == UInt8(ascii: "["),
      (try? JSONSerialization.jsonObject(with: data)) == nil
    {
      // A list that begins well and is no JSON has lost its end.
      self = .brokeOff
    } else if type?.contains("html") == true {
      self = .notTrips(type: "a web page")
    } else {
      self = .notTrips(type: "something else")
    }
  }
}
