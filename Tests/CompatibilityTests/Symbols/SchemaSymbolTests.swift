import SwiftData
import Testing

/// The parts of a schema, made and read as Apple declares them, each initializer with its defaults and without.
@Suite struct SchemaSymbolTests {
  typealias Shelf = SymbolModels.Shelf
  typealias Volume = SymbolModels.Volume

  private let volumesPath: AnyKeyPath = \Shelf.volumes
  private let shelfPath: AnyKeyPath = \Volume.shelf
  private let schema = Schema(Shelf.self, Volume.self)

  @Test func aVersionHasThreeNumbers() {
    let version = Schema.Version(1, 2, 3)
    #expect(version.major == 1 && version.minor == 2 && version.patch == 3)
    #expect(schema.version == Schema.Version(1, 0, 0))
    #expect(Schema(Shelf.self, Volume.self, version: version).version == version)
    #expect(schema.encodingVersion == Schema.schemaEncodingVersion)
  }

  @Test func anEntityTellsItsPropertiesInEachWay() throws {
    let shelf = try #require(schema.entity(for: Shelf.self))
    #expect(shelf.properties.map(\.name) == ["label", "room", "row", "note", "volumes"])
    #expect(Set(shelf.storedPropertiesByName.keys) == Set(shelf.properties.map(\.name)))
    #expect(shelf.relationships.map(\.name) == ["volumes"])
    #expect(shelf.inheritedProperties.isEmpty && shelf.inheritedPropertiesByName.isEmpty)
    #expect(Set(shelf.uniquenessConstraints) == [["label"], ["room", "row"]])
    #expect(shelf.indices == [["row"], ["room", "label"]])
    #expect(schema.entity(for: Volume.self)?.indices == [["title"], ["width", "height"]])
    #expect(shelf.subentities.isEmpty && shelf.superentity == nil)
  }

  @Test func subentitiesKnowTheirSuperentity() {
    let below = Schema.Entity("Below")
    let above = Schema.Entity("Above", subentities: below, properties: Schema.Attribute(name: "x", valueType: Int.self))
    #expect(above.subentities == [below])
    #expect(below.superentity === above && below.superentityName == "Above")
  }

  @Test func propertiesOfEveryKindAnswerTheSameQuestions() throws {
    let volume = try #require(schema.entity(for: Volume.self))
    let answers = volume.properties.map { property in
      "\(property.name) \(property.originalName) \(property.isAttribute) \(property.isRelationship) "
        + "\(property.isTransient) \(property.isOptional) \(property.isUnique) \(property.valueType)"
    }
    #expect(answers[0] == "title name true false false false false String")
    #expect(answers[3] == "shelf shelf false true false true false Optional<Shelf>")
  }

  @Test func attributesTakeTheirDefaults() {
    let plain = Schema.Attribute()
    #expect(plain.options.isEmpty && plain.hashModifier == nil && plain.defaultValue == nil)
    let unique = Schema.Attribute(.unique, .externalStorage, originalName: "old", hashModifier: "2")
    #expect(unique.options == [.unique, .externalStorage])
    #expect(unique.originalName == "old" && unique.hashModifier == "2")
    #expect(unique.isUnique && !unique.isRelationship)
    let named = Schema.Attribute(name: "size", valueType: Int?.self)
    #expect(named.name == "size" && named.originalName == "size" && named.isOptional)
    let whole = Schema.Attribute(
      name: "size", originalName: "length", options: [.ephemeral], valueType: Int.self, defaultValue: 3,
      hashModifier: "2")
    #expect(whole.originalName == "length" && whole.defaultValue as? Int == 3 && whole.hashModifier == "2")
    let composite = Schema.CompositeAttribute(name: "place", valueType: Int.self)
    #expect(composite.properties.isEmpty && composite.isAttribute)
    #expect(composite.originalName == "place" && composite.options.isEmpty && composite.defaultValue == nil)
    let renamed = Schema.CompositeAttribute(
      name: "place", originalName: "site", options: [.unique], valueType: Int.self, defaultValue: 3, hashModifier: "2")
    #expect(renamed.originalName == "site" && renamed.isUnique && renamed.defaultValue as? Int == 3)
    #expect(renamed.hashModifier == "2")
  }

  @Test func relationshipsTakeTheirDefaults() {
    let plain = Schema.Relationship()
    #expect(plain.options.isEmpty && plain.deleteRule == .nullify && plain.inverseKeyPath == nil)
    #expect(plain.minimumModelCount == 0 && plain.maximumModelCount == 0 && plain.hashModifier == nil)
    #expect(!plain.isUnique && !plain.isAttribute && !plain.isTransient && plain.isRelationship)
    let whole = Schema.Relationship(
      .unique, deleteRule: .noAction, minimumModelCount: 1, maximumModelCount: 4, originalName: "books",
      inverse: \Volume.shelf, hashModifier: "2")
    #expect(whole.options == [.unique] && whole.isUnique && whole.deleteRule == .noAction)
    #expect(whole.minimumModelCount == 1 && whole.maximumModelCount == 4 && whole.hashModifier == "2")
    #expect(whole.originalName == "books" && whole.inverseKeyPath == shelfPath)
  }

  @Test func aRelationshipOfASchemaKnowsBothItsEnds() throws {
    let volumes = try #require(schema.entity(for: Shelf.self)?.relationshipsByName["volumes"])
    #expect(volumes.name == "volumes" && volumes.originalName == "volumes" && volumes.keypath == volumesPath)
    #expect(
      "\(volumes.valueType)" == "Array<Volume>" && volumes.destination == "Volume" && volumes.deleteRule == .cascade)
    #expect(volumes.inverseName == "shelf" && !volumes.isToOneRelationship)
    #expect(try #require(schema.entity(for: Volume.self)?.relationshipsByName["shelf"]).isToOneRelationship)
  }

  @Test func deleteRulesAreNamedAsTheyAreSpelled() {
    let rules: [Schema.Relationship.DeleteRule] = [.noAction, .nullify, .cascade, .deny]
    #expect(rules.map(\.rawValue) == ["noAction", "nullify", "cascade", "deny"])
  }

  @Test func constraintsAndIndicesKeepTheirKeyPaths() {
    let unique = Schema.Unique<Shelf>([\.label], [\.room, \.row])
    #expect(unique.constraints == [[\Shelf.label], [\Shelf.room, \Shelf.row]])
    let plain = Schema.Index<Shelf>([\.row], [\.label])
    let typed = Schema.Index<Volume>(.binary([\.title]), .rtree([\.width, \.height]))
    var kinds: [String] = []
    for index in plain.indices {
      if case .binary(let paths) = index { kinds.append("binary \(paths.count)") }
    }
    for index in typed.indices {
      switch index {
      case .binary(let paths): kinds.append("binary \(paths.count)")
      case .rtree(let paths): kinds.append("rtree \(paths.count)")
      }
    }
    #expect(kinds == ["binary 1", "binary 1", "binary 1", "rtree 2"])
  }

  @Test func metadataMayLeaveOutDefaultsAndOptions() {
    let short = Schema.PropertyMetadata(name: "label", keypath: \Shelf.label)
    let long = Schema.PropertyMetadata(
      name: "label", keypath: \Shelf.label, defaultValue: "", metadata: Schema.Attribute(.unique))
    withExtendedLifetime((short, long)) {}
    #expect(Shelf.schemaMetadata.count >= 5)
  }

  @Test func transformersAreKnownByTypeAndByName() {
    final class Reverser: ValueTransformer {
      override class func transformedValueClass() -> AnyClass { Reverser.self }
      override class func allowsReverseTransformation() -> Bool { true }
      override func transformedValue(_ value: Any?) -> Any? { (value as? String).map { String($0.reversed()) } }
      override func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }
    }
    let transformer: ValueTransformer = Reverser()
    #expect(transformer.transformedValue("abc") as? String == "cba")
    #expect(transformer.reverseTransformedValue("cba") as? String == "abc")
    #expect(type(of: transformer).allowsReverseTransformation())
    #expect(type(of: transformer).transformedValueClass() == Reverser.self)
    #expect(Schema.Attribute(.transformable(by: Reverser.self)).isTransformable)
    #expect(Schema.Attribute(.transformable(by: "Reverser")).isTransformable)
    let name = NSValueTransformerName("Reverser of SchemaSymbolTests")
    ValueTransformer.setValueTransformer(transformer, forName: name)
    #expect(ValueTransformer.valueTransformerNames().contains(name))
    ValueTransformer.setValueTransformer(nil, forName: name)
    #expect(!ValueTransformer.valueTransformerNames().contains(name))
  }
}
