/// Creates the entities of a schema from models.
struct SchemaBuilder {
  private(set) var entities: [Schema.Entity] = []
  private(set) var modelTypes: [String: any PersistentModel.Type] = [:]
  private(set) var problems: [String] = []

  /// The names of each entity's own properties, by key path.
  private var names: [String: [AnyKeyPath: String]] = [:]

  /// The classes that the caller listed.
  private let requestedTypes: Set<ObjectIdentifier>
  /// The names that several classes share, only one of which is part of the schema. Relationships to the other classes have
  /// no inverse in the schema.
  private var duplicateClassNames: Set<String> = []
  /// The relationship that added each class that is not listed.
  private var referrers: [ObjectIdentifier: (model: any PersistentModel.Type, property: String)] = [:]

  init(_ types: [any PersistentModel.Type]) {
    requestedTypes = Set(types.map { ObjectIdentifier($0) })
    var waiting = types[...]
    while let type = waiting.popFirst() {
      waiting += addModel(type)
    }
    resolveSuperentities()
    resolveInverses()
  }

  /// Adds the entity of a model, and returns the models that it references.
  private mutating func addModel(_ type: any PersistentModel.Type) -> [any PersistentModel.Type] {
    let name = Schema.name(of: type)
    if let other = modelTypes[name] {
      if ObjectIdentifier(other) != ObjectIdentifier(type) {
        duplicateClassNames.insert(name)
        problems.append(duplicateClassProblem(other, type, name))
      }
      return []
    }
    modelTypes[name] = type
    names[name] = KeyPathNames.all(in: type)

    var related: [any PersistentModel.Type] = []
    let parent = superclassModel(of: type)
    let inherited = Set(parent?.schemaMetadata.map(\.keypath) ?? [])
    let entity = Schema.Entity(name)
    for property in type.schemaMetadata {
      if let constraint = property.metadata as? any ModelConstraint {
        addConstraint(constraint, to: entity)
      } else if inherited.contains(property.keypath) {
        continue
      } else if let destination = ValueTypes.destination(of: Swift.type(of: property.keypath).valueType) {
        related.append(destination.model)
        let place = ObjectIdentifier(destination.model)
        if referrers[place] == nil { referrers[place] = (type, property.name) }
        entity.storedProperties.append(relationship(of: property))
      } else {
        checkAttribute(property, of: name)
        entity.storedProperties.append(attribute(of: property))
      }
    }
    entity.uniquenessConstraints =
      entity.storedProperties.filter(\.isUnique).map { [$0.name] }.filter {
        !entity.uniquenessConstraints.contains($0)
      } + entity.uniquenessConstraints
    if let parent {
      entity.superentityName = Schema.name(of: parent)
      related.append(parent)
    }
    entities.append(entity)
    return related
  }

  /// Returns the problem of two classes with one name. Usually one of them belongs to an earlier version: a later version
  /// took over a model by an alias, and this model references the class of the earlier version.
  private func duplicateClassProblem(_ one: any PersistentModel.Type, _ other: any PersistentModel.Type, _ name: String)
    -> String
  {
    let both = "\(String(reflecting: one)) and \(String(reflecting: other)) are both named \(name)"
    for (unlisted, wanted) in [(other, one), (one, other)] {
      guard requestedTypes.contains(ObjectIdentifier(wanted)), !requestedTypes.contains(ObjectIdentifier(unlisted)),
        let origin = referrers[ObjectIdentifier(unlisted)]
      else { continue }
      let model = String(reflecting: origin.model)
      return "\(both): the models list \(String(reflecting: wanted)), and \(model).\(origin.property) leads to "
        + "\(String(reflecting: unlisted)). Declare \(Schema.name(of: origin.model)) anew beside \(String(reflecting: wanted)), "
        + "so that its \(origin.property) leads there: a version of the models takes a model over by an alias only where that is "
        + "related to none which the version declares anew."
    }
    return "\(both). Give each model its own name: a store has one table for each."
  }

  /// Reports an attribute that the compiler could not check, because the conformance was written without the macro.
  private mutating func checkAttribute(_ property: Schema.PropertyMetadata, of entity: String) {
    let type = Swift.type(of: property.keypath).valueType
    if !(ValueTypes.unwrapped(type) is any Codable.Type),
      (property.metadata as? Schema.Attribute)?.bypassesCodable != true
    {
      problems.append(
        "\(entity).\(property.name) has the type \(type), which is neither Codable nor a model. "
          + "Make it Codable, or mark the property @Transient or .transformable(by:).")
    }
  }

  private func superclassModel(of type: any PersistentModel.Type) -> (any PersistentModel.Type)? {
    guard let parent = _getSuperclass(type) else { return nil }
    return parent as? any PersistentModel.Type
  }

  private func attribute(of property: Schema.PropertyMetadata) -> Schema.Attribute {
    let valueType = Swift.type(of: property.keypath).valueType
    let given = property.metadata as? Schema.Attribute
    let options = given?.options ?? []
    let originalName = given.flatMap { $0.originalName.isEmpty ? nil : $0.originalName }
    let keptWhole = given.map { $0.isCodable || $0.isExternalStorage || $0.bypassesCodable } ?? false
    guard !keptWhole, let members = Schema.compositeProperties(of: valueType) else {
      return Schema.Attribute(
        name: property.name, originalName: originalName, options: options, valueType: valueType,
        defaultValue: property.defaultValue, hashModifier: given?.hashModifier)
    }
    let composite = Schema.CompositeAttribute(
      name: property.name, originalName: originalName, options: options, valueType: valueType,
      defaultValue: property.defaultValue, hashModifier: given?.hashModifier)
    composite.properties = members
    return composite
  }

  private func relationship(of property: Schema.PropertyMetadata) -> Schema.Relationship {
    Schema.Relationship(
      property.metadata as? Schema.Relationship, name: property.name, keypath: property.keypath,
      valueType: Swift.type(of: property.keypath).valueType)
  }

  private mutating func addConstraint(_ constraint: any ModelConstraint, to entity: Schema.Entity) {
    let spatial = (constraint as? any ModelIndices)?.erasedIsRTree ?? []
    for (position, keyPaths) in constraint.erasedConstraints.enumerated() {
      let columns = keyPaths.compactMap { keyPath in
        if let name = names[entity.name]?[keyPath] { return name }
        problems.append(
          "\(entity.name) has \(constraint.isUnique ? "a #Unique" : "an #Index") on \(ReadableKeyPath.text(keyPath)), which isn't a "
            + "persisted property. Name stored properties of \(entity.name), or members of its composites.")
        return nil
      }
      guard columns.count == keyPaths.count, !columns.isEmpty else { continue }
      if constraint.isUnique {
        entity.uniquenessConstraints.append(columns)
      } else {
        entity.indices.append(columns)
        if position < spatial.count, spatial[position] { entity.spatialIndices.append(columns) }
      }
    }
  }

  private func resolveSuperentities() {
    let byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for entity in entities {
      guard let parent = entity.superentityName.flatMap({ byName[$0] }) else { continue }
      parent.subentities.insert(entity)
    }
    for entity in entities {
      var inherited: [any SchemaProperty] = []
      var above = entity.superentity
      while let parent = above {
        inherited = parent.storedProperties + inherited
        above = parent.superentity
      }
      entity.inheritedProperties = inherited
    }
  }

  /// Sets the inverse of each relationship.
  private mutating func resolveInverses() {
    let byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for entity in entities {
      guard let model = modelTypes[entity.name] else { continue }
      for end in InverseResolver.ends(of: model) {
        guard
          let relationship = entity.storedProperties.lazy.compactMap({ $0 as? Schema.Relationship })
            .first(where: { $0.name == end.name })
        else { continue }
        checkCardinality(relationship, of: entity)
        if let inverse = InverseResolver.inverse(of: end) {
          relationship.inverseName = inverse.name
          relationship.inverseKeyPath = inverse.keyPath
          checkSharedInverse(end, inverse, entity)
        } else if let named = relationship.inverseKeyPath, byName[relationship.destination] != nil,
          duplicateClassNames.isDisjoint(with: [entity.name, relationship.destination])
        {
          problems.append(
            "The inverse of \(entity.name).\(relationship.name) is given as \(name(of: named, relationship.destination)), which isn't a relationship of "
              + "\(relationship.destination) to \(entity.name). Name the property of \(relationship.destination) that "
              + "refers to \(entity.name).")
        }
      }
    }
  }

  /// Reports two relationships with the same inverse, which would share its values.
  private mutating func checkSharedInverse(
    _ end: InverseResolver.End, _ inverse: InverseResolver.End, _ entity: Schema.Entity
  ) {
    guard let other = InverseResolver.inverse(of: inverse), other.keyPath != end.keyPath else { return }
    let there = "\(Schema.name(of: inverse.model)).\(inverse.name)"
    problems.append(
      "\(entity.name).\(end.name) has \(there) as its inverse, and that mirrors "
        + "\(Schema.name(of: other.model)).\(other.name). A relationship mirrors one other: give each an inverse of "
        + "its own.")
  }

  private mutating func checkCardinality(_ relationship: Schema.Relationship, of entity: Schema.Entity) {
    guard let most = relationship.maximumModelCount, most > 0, let least = relationship.minimumModelCount, least > most
    else { return }
    problems.append(
      "\(entity.name).\(relationship.name) has at least \(least) and at most \(most) objects, which nothing satisfies. "
        + "Correct minimumModelCount or maximumModelCount.")
  }

  /// Returns a key path as in the source code, if the schema has its name.
  private func name(of keyPath: AnyKeyPath, _ entity: String) -> String {
    names[entity]?[keyPath].map { "\(entity).\($0)" } ?? ReadableKeyPath.text(keyPath)
  }
}
