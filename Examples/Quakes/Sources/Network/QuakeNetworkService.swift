import Foundation
import FoundationNetworking

/// Fetches the feed and decodes it, and knows nothing of what becomes of it.
class QuakeNetworkService {
  let url: URL
  let session: URLSession

  init(url: URL, session: URLSession = .shared) {
    self.url = url
    self.session = session
  }

  func fetchQuakes() async throws -> GeoFeatureCollection {
    let (data, response) = try await session.data(from: url)
    guard let httpResponse = response as? HTTPURLResponse,
      httpResponse.statusCode == 200
    else {
      throw NetworkError.invalidResponse
    }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    return try decoder.decode(GeoFeatureCollection.self, from: data)
  }
}
