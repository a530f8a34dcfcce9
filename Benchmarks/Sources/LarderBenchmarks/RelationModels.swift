import SwiftData

/// The one side of a to-many: found by its name.
@Model
final class Region {
  #Index<Region>([\.name])
  var name: String
  var place: String
  @Relationship(deleteRule: .cascade, inverse: \Tremor.region) var tremors: [Tremor] = []

  init(name: String, place: String) {
    self.name = name
    self.place = place
  }
}

/// The many side.
@Model
final class Tremor {
  var code: String
  var magnitude: Double
  var time: Date
  var region: Region?

  init(code: String, magnitude: Double, time: Date, region: Region? = nil) {
    self.code = code
    self.magnitude = magnitude
    self.time = time
    self.region = region
  }

  convenience init(_ dto: QuakeDTO, region: Region? = nil) {
    self.init(code: dto.code, magnitude: dto.magnitude, time: dto.time, region: region)
  }
}
