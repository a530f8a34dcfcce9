import SwiftData

extension Quake {
  /// Makes an earthquake from a feature of the feed; nil if the feature has no position.
  convenience init?(from feature: GeoFeatureCollection.Feature) {
    guard feature.geometry.coordinates.count >= 2 else { return nil }
    self.init(
      code: feature.properties.code,
      magnitude: feature.properties.mag,
      time: feature.properties.time,
      name: feature.properties.place,
      longitude: feature.geometry.coordinates[0],
      latitude: feature.geometry.coordinates[1]
    )
  }

  /// Takes over what the feed says now; nothing if the feature has no position.
  func update(from feature: GeoFeatureCollection.Feature) {
    guard feature.geometry.coordinates.count >= 2 else { return }
    magnitude = feature.properties.mag
    time = feature.properties.time
    location = Location(
      name: feature.properties.place,
      longitude: feature.geometry.coordinates[0],
      latitude: feature.geometry.coordinates[1]
    )
  }
}
