import Foundation

/// A value that decodes, but cannot be that of an earthquake.
enum ImplausibleFeature: Error, Hashable {
  case emptyCode
  case tooFewCoordinates
  case latitude(Double)
  case longitude(Double)
}

extension GeoFeatureCollection.Feature {
  private static let latitudes = -90.0...90.0
  /// The feed has longitudes a little beyond ±180 at the date line; a full turn more is nonsense.
  private static let longitudes = -360.0...360.0

  /// Decodes a feature, and refuses what decodes but makes no sense.
  init(checking decoder: any Decoder) throws {
    let feature = try Self(from: decoder)
    guard !feature.properties.code.isEmpty else { throw ImplausibleFeature.emptyCode }
    let coordinates = feature.geometry.coordinates
    guard coordinates.count >= 2 else { throw ImplausibleFeature.tooFewCoordinates }
    guard Self.longitudes.contains(coordinates[0]) else { throw ImplausibleFeature.longitude(coordinates[0]) }
    guard Self.latitudes.contains(coordinates[1]) else { throw ImplausibleFeature.latitude(coordinates[1]) }
    self = feature
  }
}

extension FeedReading {
  /// What is wrong with a feature, as the end of a sentence.
  static func reason(for error: any Error) -> String {
    switch error {
    case DecodingError.valueNotFound(_, let context): words(context.codingPath, "null")
    case DecodingError.keyNotFound(let key, let context): words(context.codingPath + [key], "missing")
    case DecodingError.typeMismatch(_, let context): words(context.codingPath, "of the wrong kind")
    case DecodingError.dataCorrupted(let context): words(context.codingPath, "unreadable")
    case ImplausibleFeature.emptyCode: "the code is empty"
    case ImplausibleFeature.tooFewCoordinates: "the coordinates are missing"
    case ImplausibleFeature.latitude(let value): "the latitude \(value) is not on Earth"
    case ImplausibleFeature.longitude(let value): "the longitude \(value) is not on Earth"
    default: "it cannot be read"
    }
  }

  /// The words for a member of the feed, by the last name on the way to it.
  private static func words(_ path: [any CodingKey], _ mistake: String) -> String {
    switch path.last(where: { $0.intValue == nil })?.stringValue {
    case "mag": "the magnitude is \(mistake)"
    case "place": "the place is \(mistake)"
    case "time": "the time is \(mistake)"
    case "code": "the code is \(mistake)"
    case "geometry": "the geometry is \(mistake)"
    case "coordinates" where path.last?.intValue != nil: "a coordinate is \(mistake)"
    case "coordinates": "the coordinates are \(mistake)"
    case "properties": "its list of properties is \(mistake)"
    default: "the record is \(mistake)"
    }
  }
}
