import Foundation

/// The output of a value transformer for a value that is not `Codable`.
struct TransformedValue: Codable, Sendable {
  let stored: _StoredValue

  init(_ stored: _StoredValue) { self.stored = stored }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    guard case .blob(let bytes) = stored else { return try container.encodeNil() }
    try container.encode(Data(bytes))
  }

  init(from decoder: any Decoder) throws {
    stored = .blob(Array(try decoder.singleValueContainer().decode(Data.self)))
  }
}
