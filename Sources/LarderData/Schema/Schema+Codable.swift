public import Foundation
import LarderSupport

extension Schema {
  enum CodingKeys: String, CodingKey {
    case encodingVersion, version, entities
  }

  /// Encodes the schema.
  // Only entities without a parent are encoded here: the others are encoded within their parents.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(encodingVersion, forKey: .encodingVersion)
    try container.encode(version, forKey: .version)
    try container.encode(
      entities.filter { entity in entity.superentityName.flatMap { entitiesByName[$0] } == nil }, forKey: .entities)
  }

  static func flattened(_ entities: [Entity]) -> [Entity] {
    entities.flatMap { [$0] + flattened($0.subentities.inOrder { $0.name < $1.name }) }
  }

  /// Writes the schema as JSON, with the same bytes for equal schemas.
  ///
  /// - Parameter toURL: The file to write.
  /// - Throws: Foundation's error if the file cannot be written.
  public func save(to toURL: URL) throws {
    try encoded().write(to: toURL, options: .atomic)
  }

  /// Reads a schema that `save(to:)` wrote.
  ///
  /// - Parameter fromURL: The file to read.
  /// - Returns: The schema.
  /// - Throws: `SwiftDataError.unknownSchema` for a file in a later format; `DecodingError` for a file without a schema;
  ///   Foundation's error if the file cannot be read.
  public static func load(from fromURL: URL) throws -> Schema {
    try JSONDecoder().decode(Schema.self, from: Data(contentsOf: fromURL))
  }

  /// Returns the schema as JSON with sorted keys, so that equal schemas have equal bytes.
  package func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }
}

extension Schema: Hashable {
  public static func == (left: Schema, right: Schema) -> Bool {
    left === right || left.version == right.version && left.entities == right.entities
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    hasher.combine(entities)
  }
}

extension Schema: CustomDebugStringConvertible {
  public var debugDescription: String {
    "Schema - version: \(version), entities: \(entities)"
  }
}
