import Foundation
import LarderData
import SwiftData
import Testing

@Suite("Entities from models")
struct SchemaEntityTests {
  let schema = Schema(ShapeQuake.self)

  @Test("Related models belong to the schema without being listed")
  func relatedModels() {
    #expect(schema.entities.map(\.name) == ["ShapeNote", "ShapeQuake", "ShapeRegion"])
    #expect(Set(schema.entitiesByName.keys) == ["ShapeNote", "ShapeQuake", "ShapeRegion"])
    #expect(isSame(schema.modelTypes["ShapeNote"], ShapeNote.self))
    #expect(schema.entity(for: ShapeRegion.self)?.name == "ShapeRegion")
    #expect(schema.entity(for: ShapeMistaken.self) == nil)
    #expect(Schema.entityName(for: ShapeElsewhere.ShapeNote.self) == "ShapeNote")
  }

  @Test("Attributes have their type, options and names")
  func attributes() throws {
    let entity = try #require(schema.entity(for: ShapeQuake.self))
    let attributes = entity.attributesByName
    let code = try #require(attributes["code"])
    #expect(code.isUnique && code.isAttribute && !code.isOptional && !code.isTransient)
    #expect(code.originalName == "identifier")
    #expect(isSame(code.valueType, String.self))
    #expect(attributes["magnitude"]?.isOptional == true)
    #expect(isSame(attributes["magnitude"]?.valueType, Double?.self))
    #expect(attributes["magnitude"]?.originalName == "magnitude")
    #expect(attributes["time"]?.defaultValue as? Date == .distantPast)
    #expect(attributes["tags"]?.isTransient == true)
    #expect(
      entity.storedProperties.map(\.name) == [
        "code", "magnitude", "time", "kind", "tags", "place", "epicentre", "nested", "opaque", "region",
      ])
  }

  @Test("Flat Codable structs are split, those within them too; .codable ones are kept whole")
  func composites() throws {
    let attributes = try #require(schema.entity(for: ShapeQuake.self)).attributesByName
    let place = try #require(attributes["place"] as? Schema.CompositeAttribute)
    #expect(place.properties.map(\.name) == ["name", "longitude", "latitude"])
    #expect(place.properties.map(\.isOptional) == [false, false, true])
    #expect((attributes["epicentre"] as? Schema.CompositeAttribute)?.properties.count == 3)
    #expect(attributes["epicentre"]?.isOptional == true)
    let nested = try #require(attributes["nested"] as? Schema.CompositeAttribute)
    #expect(nested.properties.contains { $0 is Schema.CompositeAttribute })
    for name in ["opaque", "kind", "code", "time", "tags"] {
      #expect(attributes[name] != nil)
      #expect(!(attributes[name] is Schema.CompositeAttribute), "\(name)")
    }
  }

  @Test("Relationships know their other end, given or inferred")
  func relationships() throws {
    let region = try #require(schema.entity(for: ShapeQuake.self)?.relationshipsByName["region"])
    #expect(region.destination == "ShapeRegion" && region.isToOneRelationship && region.isOptional)
    #expect(region.deleteRule == .deny && region.inverseName == "quakes")
    let there = try #require(schema.entity(for: ShapeRegion.self)).relationshipsByName
    #expect(there["quakes"]?.inverseName == "region")
    #expect(there["quakes"]?.inverseKeyPath == \ShapeQuake.region)
    #expect(there["quakes"]?.isToOneRelationship == false)
    #expect(there["notes"]?.inverseName == "region")
    #expect(there["notes"]?.isOptional == true)
    #expect(there["notes"]?.destination == "ShapeNote")
    #expect(schema.entity(for: ShapeNote.self)?.relationshipsByName["region"]?.inverseName == "notes")
  }

  @Test("Constraints and indices are named, members of composites with a dot")
  func constraints() throws {
    let entity = try #require(schema.entity(for: ShapeQuake.self))
    #expect(entity.uniquenessConstraints == [["time", "place.longitude"], ["code"]])
    #expect(entity.indices == [["magnitude", "epicentre.name"], ["place.longitude", "place.latitude"]])
    #expect(entity.spatialIndices == [["place.longitude", "place.latitude"]])
    #expect(schema.problems.isEmpty)
  }

  @Test("Mistakes are said, each with its property, and no model is lost")
  func mistakes() throws {
    let schema = Schema(ShapeMistaken.self, ShapeNote.self, ShapeElsewhere.ShapeNote.self)
    let problems = schema.problems.joined(separator: "\n")
    #expect(schema.problems.count == 4)
    for part in ["ShapeMistaken.closure", "ShapeMistaken.region", "unlisted", "ShapeElsewhere"] {
      #expect(problems.contains(part), "\(part) in \(problems)")
    }
    let error = #expect(throws: SwiftDataError.self) { try schema.checkModels() }
    #expect(error == .loadIssueModelContainer)
    #expect(error?.explanation?.contains("neither Codable nor a model") == true)
    #expect(throws: Never.self) { try Schema(ShapeQuake.self).checkModels() }
  }

  @Test("A versioned schema brings its models and its number")
  func versioned() {
    let schema = Schema(versionedSchema: ShapeVersion.self)
    #expect(schema.version == Schema.Version(2, 1, 3))
    #expect(schema.entities.count == 3)
  }

  @Test("Entities can be made by hand, and their parts exchanged")
  func byHand() throws {
    let child = Schema.Entity("Child", properties: Schema.Attribute(name: "age", valueType: Int.self))
    let parent = Schema.Entity(
      "Parent", subentities: child,
      properties: Schema.Attribute(name: "id", options: [.unique], valueType: UUID.self))
    #expect(child.superentity === parent)
    #expect(child.superentityName == "Parent")
    #expect(parent.uniquenessConstraints == [["id"]])
    parent.attributes = [Schema.Attribute(name: "name", valueType: String.self)]
    #expect(parent.storedProperties.map(\.name) == ["name"])
    let schema = Schema(parent, child)
    #expect(schema.entitiesByName["Child"] === child)
    #expect(Schema(child, Schema.Entity("Child")).problems.count == 1)
  }

  @Test("Versions are ordered from the left")
  func versions() {
    #expect(Schema.Version(1, 9, 9) < Schema.Version(2, 0, 0))
    #expect(Schema.Version(1, 2, 3) < Schema.Version(1, 2, 4))
    #expect(!(Schema.Version(1, 2, 3) < Schema.Version(1, 2, 3)))
    #expect(Schema.Version(1, 2, 3).description == "1.2.3")
  }
}
