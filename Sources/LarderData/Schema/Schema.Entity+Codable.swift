import LarderSupport

extension Schema.Entity: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, superentityName, subentities, storedProperties, inheritedProperties, uniquenessConstraints, indices
    case spatialIndices
  }

  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(String.self, forKey: .name),
      subentities: Set(try container.decodeIfPresent([Schema.Entity].self, forKey: .subentities) ?? []),
      storedProperties: try container.decode([CodedProperty].self, forKey: .storedProperties).map(\.property))
    superentityName = try container.decodeIfPresent(String.self, forKey: .superentityName)
    inheritedProperties =
      try container.decodeIfPresent([CodedProperty].self, forKey: .inheritedProperties)?.map(\.property) ?? []
    uniquenessConstraints = try container.decode([[String]].self, forKey: .uniquenessConstraints)
    indices = try container.decode([[String]].self, forKey: .indices)
    spatialIndices = try container.decodeIfPresent([[String]].self, forKey: .spatialIndices) ?? []
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encodeIfPresent(superentityName, forKey: .superentityName)
    if !subentities.isEmpty {
      try container.encode(subentities.inOrder { $0.name < $1.name }, forKey: .subentities)
    }
    try container.encode(storedProperties.map(CodedProperty.init), forKey: .storedProperties)
    if !inheritedProperties.isEmpty {
      try container.encode(inheritedProperties.map(CodedProperty.init), forKey: .inheritedProperties)
    }
    try container.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
    try container.encode(indices, forKey: .indices)
    if !spatialIndices.isEmpty { try container.encode(spatialIndices, forKey: .spatialIndices) }
  }
}

extension Schema.Entity: Hashable {
  // Parents and children are compared by name: each belongs to the schema, which compares all entities.
  public static func == (left: Schema.Entity, right: Schema.Entity) -> Bool {
    if left === right { return true }
    return left.name == right.name && left.superentityName == right.superentityName
      && Set(left.subentities.map(\.name)) == Set(right.subentities.map(\.name))
      && areEqual(left.storedProperties, right.storedProperties)
      && areEqual(left.inheritedProperties, right.inheritedProperties)
      && left.uniquenessConstraints == right.uniquenessConstraints && left.indices == right.indices
      && left.spatialIndices == right.spatialIndices
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
  }

  private static func areEqual(_ left: [any SchemaProperty], _ right: [any SchemaProperty]) -> Bool {
    left.count == right.count
      && zip(left, right).allSatisfy { (one: any SchemaProperty, other: any SchemaProperty) -> Bool in
        one.isSame(as: other)
      }
  }
}

extension SchemaProperty {
  /// Returns whether the other property is of the same kind and equal.
  func isSame(as other: any SchemaProperty) -> Bool {
    (other as? Self).map { self == $0 } ?? false
  }
}
