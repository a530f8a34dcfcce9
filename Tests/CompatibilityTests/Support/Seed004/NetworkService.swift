// NetworkService.swift
import SwiftData

class QuakeNetworkService {
  // Printed as a constant of the function; here a property, so that tests can give an address of their own.
  var url = URL(string: "https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/all_day.geojson")!

  func fetchQuakes() async throws -> GeoFeatureCollection {
    let (data, response) = try await URLSession.shared.data(from: url)
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
