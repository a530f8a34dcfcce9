import Foundation
import LarderData
import SwiftData
import Testing

@Suite("The stored form of a schema")
struct SchemaCodingTests {
  @Test("A schema comes back equal, in the same bytes")
  func roundTrip() throws {
    let schema = Schema([ShapeQuake.self], version: Schema.Version(3, 2, 1))
    let bytes = try schema.encoded()
    let back = try JSONDecoder().decode(Schema.self, from: bytes)
    #expect(back == schema)
    #expect(back.hashValue == schema.hashValue)
    #expect(back.version == Schema.Version(3, 2, 1))
    #expect(try back.encoded() == bytes)
    let attributes = try #require(back.entity(for: ShapeQuake.self)).attributesByName
    #expect(isSame(attributes["magnitude"]?.valueType, Double?.self))
    #expect(isSame(attributes["tags"]?.valueType, [String].self))
    #expect(attributes["code"]?.options == [.unique])
    #expect((attributes["place"] as? Schema.CompositeAttribute)?.properties.count == 3)
  }

  @Test("Schemas of changed models differ")
  func differences() {
    let schema = Schema(ShapeNote.self, ShapeQuake.self)
    #expect(schema == Schema([ShapeQuake.self, ShapeNote.self]))
    #expect(schema != Schema([ShapeQuake.self], version: Schema.Version(2, 0, 0)))
    func note(_ attribute: Schema.Attribute) -> Schema { Schema(Schema.Entity("Note", properties: attribute)) }
    let text = note(Schema.Attribute(name: "text", valueType: String.self))
    #expect(text == note(Schema.Attribute(name: "text", valueType: String.self, defaultValue: "new")))
    #expect(text != note(Schema.Attribute(name: "text", valueType: String?.self)))
    #expect(text != note(Schema.Attribute(name: "text", options: [.unique], valueType: String.self)))
    #expect(text != note(Schema.Attribute(name: "text", valueType: String.self, hashModifier: "2")))
    #expect(text != note(Schema.CompositeAttribute(name: "text", valueType: String.self)))
  }

  @Test("Entities that inherit come back below their parents")
  func inheritance() throws {
    let child = Schema.Entity("Child", properties: Schema.Attribute(name: "age", valueType: Int.self))
    let parent = Schema.Entity("Parent", subentities: child, properties: Schema.Relationship())
    let schema = Schema(parent, child)
    let back = try JSONDecoder().decode(Schema.self, from: schema.encoded())
    #expect(back == schema)
    #expect(back.entities.map(\.name) == ["Child", "Parent"])
    #expect(back.entitiesByName["Child"]?.superentity === back.entitiesByName["Parent"])
  }

  @Test("A schema is saved to a file and loaded from it")
  func files() throws {
    let file = FileManager.default.temporaryDirectory.appending(component: "\(UUID().uuidString).schema.json")
    defer { try? FileManager.default.removeItem(at: file) }
    let schema = Schema(ShapeQuake.self)
    try schema.save(to: file)
    #expect(try Schema.load(from: file) == schema)
    try Data("{\"entities\":".utf8).write(to: file)
    #expect(throws: DecodingError.self) { try Schema.load(from: file) }
  }

  @Test("A form of a later release is refused with a reason")
  func laterForm() throws {
    let text = try String(decoding: Schema().encoded(), as: UTF8.self)
    let later = text.replacing(/"encodingVersion" : \{\s*"major" : 1/, with: "\"encodingVersion\":{\"major\":9")
    #expect(later != text)
    let error = #expect(throws: SwiftDataError.self) {
      try JSONDecoder().decode(Schema.self, from: Data(later.utf8))
    }
    #expect(error == .unknownSchema)
    #expect(error?.explanation?.contains("9.0.0") == true)
  }

  @Test("A type that this program doesn't have keeps its name")
  func unknownTypes() throws {
    let json = #"{"name":"mood","valueType":"Mood?","isOptional":true}"#
    let attribute = try JSONDecoder().decode(Schema.Attribute.self, from: Data(json.utf8))
    #expect(attribute.isOptional && attribute.valueTypeName == "Mood?")
    #expect(String(decoding: try JSONEncoder().encode(attribute), as: UTF8.self).contains("Mood?"))
  }

  @Test("Constraints are coded by the names of their properties")
  func constraints() throws {
    let index = Schema.Index<ShapeQuake>(.binary([\.code]), .rtree([\.place.longitude, \.place.latitude]))
    let bytes = try JSONEncoder().encode(index)
    #expect(try JSONDecoder().decode(Schema.Index<ShapeQuake>.self, from: bytes) == index)
    let unique = Schema.Unique<ShapeQuake>([\.code], [\.time, \.place.name])
    let coded = try JSONEncoder().encode(unique)
    #expect(String(decoding: coded, as: UTF8.self) == #"[["code"],["time","place.name"]]"#)
    #expect(try JSONDecoder().decode(Schema.Unique<ShapeQuake>.self, from: coded) == unique)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Schema.Unique<ShapeQuake>.self, from: Data(#"[["colour"]]"#.utf8))
    }
    #expect(throws: EncodingError.self) {
      try JSONEncoder().encode(Schema.Unique<ShapeMistaken>([\.unlisted]))
    }
  }

  @Test(
    "Options are told apart and come back",
    arguments: [
      Schema.Attribute.Option.unique, .transformable(by: "Colour"), .externalStorage, .allowsCloudEncryption,
      .preserveValueOnDeletion, .ephemeral, .spotlight, .codable,
    ])
  func options(option: Schema.Attribute.Option) throws {
    let attribute = Schema.Attribute(name: "a", options: [option], valueType: Data.self)
    let back = try JSONDecoder().decode(Schema.Attribute.self, from: JSONEncoder().encode(attribute))
    #expect(back == attribute)
    #expect(back.isUnique == (option == .unique))
    #expect(back.isTransformable == (option == .transformable(by: "Colour")))
    #expect(back.isCodable == (option == .codable))
    #expect(back.isExternalStorage == (option == .externalStorage))
    #expect(back.isTransient == (option == .ephemeral))
    #expect(back.isPreservedOnDeletion == (option == .preserveValueOnDeletion))
  }
}
