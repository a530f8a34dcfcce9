import Foundation

/// Where an earthquake happened: stored flat, a column for each member.
struct Location: Codable {
  var name: String
  var longitude: Double
  var latitude: Double
}
