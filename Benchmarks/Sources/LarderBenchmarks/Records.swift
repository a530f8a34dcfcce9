import CLimits
import Foundation

/// Records made from a real week of the feed: its features over and over, each copy with a code of its own.
final class Records {
  let dtos: [QuakeDTO]
  /// The same, as the limit takes them.
  let limit: UnsafeMutableBufferPointer<limit_record>

  init(_ dtos: [QuakeDTO]) {
    self.dtos = dtos
    limit = .allocate(capacity: dtos.count)
    for (index, dto) in dtos.enumerated() {
      let (code, codeLength) = Self.copy(dto.code)
      let (place, placeLength) = Self.copy(dto.place)
      limit.initializeElement(
        at: index,
        to: limit_record(
          code: code, place: place, code_length: codeLength, place_length: placeLength, magnitude: dto.magnitude,
          time: dto.time.timeIntervalSinceReferenceDate, longitude: dto.longitude, latitude: dto.latitude))
    }
  }

  deinit {
    for record in limit {
      record.code.deallocate()
      record.place.deallocate()
    }
    limit.deallocate()
  }

  var count: Int { dtos.count }
  var pointer: UnsafePointer<limit_record>? { UnsafePointer(limit.baseAddress) }

  private static func copy(_ string: String) -> (UnsafePointer<CChar>, Int32) {
    let bytes = Array(string.utf8)
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
    for (index, byte) in bytes.enumerated() { (copy + index).initialize(to: CChar(bitPattern: byte)) }
    (copy + bytes.count).initialize(to: 0)
    return (UnsafePointer(copy), Int32(bytes.count))
  }
}

extension Records {
  /// What every part of a record but its key changes to, for the rows over changed records.
  static func changed(_ dtos: [QuakeDTO]) -> [QuakeDTO] {
    dtos.map { dto in
      var dto = dto
      dto.magnitude += 1
      dto.time += 1
      dto.place += "!"
      dto.longitude += 0.5
      dto.latitude += 0.5
      return dto
    }
  }

  static func read(feed url: URL, count: Int) throws -> [QuakeDTO] {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    let features = try decoder.decode(Feed.self, from: Data(contentsOf: url)).features
    return (0..<count).map { index in
      let feature = features[index % features.count]
      return QuakeDTO(
        code: "\(feature.properties.code).\(index / features.count)", magnitude: feature.properties.mag,
        time: feature.properties.time, place: feature.properties.place, longitude: feature.geometry.coordinates[0],
        latitude: feature.geometry.coordinates[1])
    }
  }

  /// The part of the feed that is kept.
  private struct Feed: Decodable {
    let features: [Feature]

    struct Feature: Decodable {
      let properties: Properties
      let geometry: Geometry
    }
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
