import SwiftData

@Model
class Quake {
  /// A unique identifier associated with each earthquake event.
  @Attribute(.unique) var code: String
  /// The measured strength of the earthquake.
  var magnitude: Double
  /// When the earthquake happened.
  var time: Date
  /// Where the earthquake happened.
  var location: Location

  /// Creates a new earthquake from the specified values.
  init(
    code: String,
    magnitude: Double,
    time: Date,
    name: String,
    longitude: Double,
    latitude: Double
  ) {
    self.code = code
    self.magnitude = magnitude
    self.time = time
    self.location = Location(name: name, longitude: longitude, latitude: latitude)
  }
}
