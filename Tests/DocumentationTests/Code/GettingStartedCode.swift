// snippet: model
import SwiftData

struct Location: Codable {
  var name: String
  var longitude: Double
  var latitude: Double
}

@Model
class Quake {
  @Attribute(.unique) var code: String
  var magnitude: Double
  var time: Date
  var location: Location
  var reports: Int?

  init(code: String, magnitude: Double, time: Date, location: Location, reports: Int? = nil) {
    self.code = code
    self.magnitude = magnitude
    self.time = time
    self.location = location
    self.reports = reports
  }
}
// snippet end

// snippet: dto
struct QuakeDTO: Decodable {
  var code: String
  var magnitude: Double
  var time: Date
  var place: String
  var longitude: Double
  var latitude: Double
}
// snippet end

// snippet: importer
@ModelActor
actor QuakeImporter {
  func importQuakes(_ feed: [QuakeDTO]) throws {
    try modelContext.transaction {
      for dto in feed {
        let code = dto.code
        let same = FetchDescriptor<Quake>(predicate: #Predicate { $0.code == code })
        if let quake = try modelContext.fetch(same).first {
          quake.magnitude = dto.magnitude
          quake.time = dto.time
        } else {
          let location = Location(name: dto.place, longitude: dto.longitude, latitude: dto.latitude)
          modelContext.insert(Quake(code: code, magnitude: dto.magnitude, time: dto.time, location: location))
        }
      }
    }
  }
}
// snippet end
