import Foundation
import SwiftData

struct ShapePlace: Codable, Hashable {
  var name: String
  var longitude: Double
  var latitude: Double?
}

enum ShapeKind: String, Codable {
  case natural, blast
}

struct ShapeNested: Codable {
  var place: ShapePlace
}

final class ShapeQuake: SchemaOnly {
  var code = ""
  var magnitude: Double?
  var time = Date.distantPast
  var kind = ShapeKind.natural
  var tags: [String] = []
  var place = ShapePlace(name: "", longitude: 0)
  var epicentre: ShapePlace?
  var nested: ShapeNested?
  var opaque = ShapePlace(name: "", longitude: 0)
  var region: ShapeRegion?

  static var schemaMetadata: [Schema.PropertyMetadata] {
    typealias Property = Schema.PropertyMetadata
    return [
      Property(
        name: "code", keypath: \ShapeQuake.code, metadata: Schema.Attribute(.unique, originalName: "identifier")),
      Property(name: "magnitude", keypath: \ShapeQuake.magnitude),
      Property(name: "time", keypath: \ShapeQuake.time, defaultValue: Date.distantPast),
      Property(name: "kind", keypath: \ShapeQuake.kind, defaultValue: ShapeKind.natural),
      Property(name: "tags", keypath: \ShapeQuake.tags, metadata: Schema.Attribute(.ephemeral)),
      Property(name: "place", keypath: \ShapeQuake.place),
      Property(name: "epicentre", keypath: \ShapeQuake.epicentre),
      Property(name: "nested", keypath: \ShapeQuake.nested),
      Property(name: "opaque", keypath: \ShapeQuake.opaque, metadata: Schema.Attribute(.codable)),
      Property(
        name: "region", keypath: \ShapeQuake.region,
        metadata: Schema.Relationship(deleteRule: .deny, inverse: \ShapeRegion.quakes)),
      Property(
        name: "SwiftData.Schema.Unique", keypath: \Schema.encodingVersion,
        metadata: Schema.Unique<ShapeQuake>([\.time, \.place.longitude], [\.code])),
      Property(
        name: "SwiftData.Schema.Index", keypath: \Schema.encodingVersion,
        metadata: Schema.Index<ShapeQuake>(
          .binary([\.magnitude, \.epicentre!.name]), .rtree([\.place.longitude, \.place.latitude]))),
    ]
  }
}

final class ShapeRegion: SchemaOnly {
  var name = ""
  var quakes: [ShapeQuake] = []
  var notes: [ShapeNote]?

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      Schema.PropertyMetadata(name: "name", keypath: \ShapeRegion.name),
      Schema.PropertyMetadata(name: "quakes", keypath: \ShapeRegion.quakes),
      Schema.PropertyMetadata(name: "notes", keypath: \ShapeRegion.notes),
    ]
  }
}

final class ShapeNote: SchemaOnly {
  var text = ""
  var region: ShapeRegion?

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      Schema.PropertyMetadata(name: "text", keypath: \ShapeNote.text),
      Schema.PropertyMetadata(name: "region", keypath: \ShapeNote.region),
    ]
  }
}

/// A model with every mistake that the compiler cannot see in a conformance written by hand.
final class ShapeMistaken: SchemaOnly {
  var closure: () -> Void = {}
  var text = ""
  var unlisted = 0
  var region: ShapeRegion?

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      Schema.PropertyMetadata(name: "closure", keypath: \ShapeMistaken.closure),
      Schema.PropertyMetadata(name: "text", keypath: \ShapeMistaken.text, metadata: Schema.Relationship()),
      Schema.PropertyMetadata(
        name: "region", keypath: \ShapeMistaken.region, metadata: Schema.Relationship(inverse: \ShapeRegion.name)),
      Schema.PropertyMetadata(
        name: "SwiftData.Schema.Index", keypath: \Schema.encodingVersion,
        metadata: Schema.Index<ShapeMistaken>([\.unlisted])),
    ]
  }
}

enum ShapeElsewhere {
  final class ShapeNote: SchemaOnly {
    static var schemaMetadata: [Schema.PropertyMetadata] { [] }
  }
}

enum ShapeVersion: VersionedSchema {
  static var models: [any PersistentModel.Type] { [ShapeQuake.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(2, 1, 3) }
}

/// Whether both are the same type: `==` of metatypes is more than `#expect` can take apart.
func isSame(_ left: (any Any.Type)?, _ right: any Any.Type) -> Bool {
  left.map { ObjectIdentifier($0) } == ObjectIdentifier(right)
}
