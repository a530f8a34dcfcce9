/// A snapshot of any model: its values by property name.
///
/// The encoded form has a key for each property. To decode a property, its type is looked up in the model with the
/// identifier's entity name, among the models of the containers that are open.
public struct DefaultSnapshot: DataStoreSnapshot {
  let values: SnapshotValues

  public var persistentIdentifier: PersistentIdentifier { values.identifier }

  /// The identifiers of the related models, by relationship name.
  package var relationships: [String: [PersistentIdentifier]] { values.relationships }

  init(_ values: SnapshotValues) { self.values = values }

  public init(
    from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) { values = SnapshotValues(backingData) }

  public func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> DefaultSnapshot { DefaultSnapshot(values.remapped(persistentIdentifier, remappedIdentifiers ?? [:])) }
}

// MARK: - Codable

extension DefaultSnapshot {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
    let layout = try SnapshotModelRegistry.layout(for: persistentIdentifier, container.codingPath)
    for property in layout.properties {
      let key = DataStoreSnapshotCodingKey.modeledProperty(property.name)
      if let relationship = property.relationship {
        guard let identifiers = values.relationships[property.name] else { continue }
        if relationship.isToMany {
          try container.encode(identifiers, forKey: key)
        } else if let first = identifiers.first {
          try container.encode(first, forKey: key)
        } else {
          try container.encodeNil(forKey: key)
        }
      } else if let value = values.attributes[property.name] {
        if let value { try container.encode(value, forKey: key) } else { try container.encodeNil(forKey: key) }
      }
    }
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    let identifier = try container.decode(PersistentIdentifier.self, forKey: .persistentIdentifier)
    let layout = try SnapshotModelRegistry.layout(for: identifier, container.codingPath)
    self.init(try SnapshotValues(identifier, layout, in: container))
  }
}

extension SnapshotValues {
  /// Reads the encoded form of a model's snapshot of any type.
  init(
    _ identifier: PersistentIdentifier, _ layout: _ModelLayout,
    in container: KeyedDecodingContainer<DataStoreSnapshotCodingKey>
  ) throws {
    self.init(identifier)
    for property in layout.properties where !property.placement.isEphemeral {
      let key = DataStoreSnapshotCodingKey.modeledProperty(property.name)
      guard container.contains(key) else { continue }
      let isNil = try container.decodeNil(forKey: key)
      if let relationship = property.relationship {
        relationships[property.name] =
          isNil
          ? []
          : relationship.isToMany
            ? try container.decode([PersistentIdentifier].self, forKey: key)
            : [try container.decode(PersistentIdentifier.self, forKey: key)]
      } else if isNil {
        attributes[property.name] = .some(nil)
      } else {
        func decode<Value: Codable>(_ type: Value.Type) throws -> any Codable {
          try container.decode(type, forKey: key)
        }
        attributes[property.name] = .some(try _openExistential(property.codedType ?? TransformedValue.self, do: decode))
      }
    }
  }
}
