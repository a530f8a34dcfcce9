import SwiftData

/// Seed 004's earthquake with its place flat, as plain C has it.
@Model
final class Quake {
  @Attribute(.unique) var code: String
  var magnitude: Double
  var time: Date
  var place: String
  var longitude: Double
  var latitude: Double

  init(code: String, magnitude: Double, time: Date, place: String, longitude: Double, latitude: Double) {
    self.code = code
    self.magnitude = magnitude
    self.time = time
    self.place = place
    self.longitude = longitude
    self.latitude = latitude
  }
}

/// Seed 004's composite: a plain Codable struct.
struct Location: Codable {
  var name: String
  var longitude: Double
  var latitude: Double
}

/// Seed 004's earthquake, with its `Location`.
@Model
final class LocatedQuake {
  @Attribute(.unique) var code: String
  var magnitude: Double
  var time: Date
  var location: Location

  init(code: String, magnitude: Double, time: Date, name: String, longitude: Double, latitude: Double) {
    self.code = code
    self.magnitude = magnitude
    self.time = time
    self.location = Location(name: name, longitude: longitude, latitude: latitude)
  }
}

struct QuakeDTO: Codable, Sendable {
  var code: String
  var magnitude: Double
  var time: Date
  var place: String
  var longitude: Double
  var latitude: Double
}

/// What a list shows, sorted by an index.
@Model
final class SortedQuake {
  #Index<SortedQuake>([\.magnitude])

  @Attribute(.unique) var code: String
  var magnitude: Double
  var time: Date
  var place: String

  init(code: String, magnitude: Double, time: Date, place: String) {
    self.code = code
    self.magnitude = magnitude
    self.time = time
    self.place = place
  }
}
