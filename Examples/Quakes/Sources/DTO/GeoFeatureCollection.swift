import Foundation

struct GeoFeatureCollection: Decodable {
  let features: [Feature]

  struct Feature: Decodable {
    let properties: Properties
    let geometry: Geometry

    struct Properties: Decodable {
      let mag: Double
      let place: String
      let time: Date
      let code: String
    }

    struct Geometry: Decodable {
      let coordinates: [Double]
    }
  }
}
