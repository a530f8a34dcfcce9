/// The values of a snapshot by property name: the form to which every snapshot is converted.
///
/// A property in neither dictionary is not part of the snapshot.
// @unchecked: the values are `DataStoreSnapshotValue`s, which are Sendable; a cast cannot express that.
struct SnapshotValues: @unchecked Sendable {
  let identifier: PersistentIdentifier
  /// The attributes; `nil` where the attribute has no value.
  var attributes: [String: (any Codable)?] = [:]
  /// The identifiers of the related models; a to-one relationship has at most one.
  var relationships: [String: [PersistentIdentifier]] = [:]

  init(_ identifier: PersistentIdentifier) { self.identifier = identifier }

  /// Returns the same values with other identifiers of the model and of its related models.
  func remapped(
    _ identifier: PersistentIdentifier, _ others: [PersistentIdentifier: PersistentIdentifier]
  ) -> SnapshotValues {
    var copy = SnapshotValues(identifier)
    copy.attributes = attributes
    copy.relationships = others.isEmpty ? relationships : relationships.mapValues { $0.map { others[$0] ?? $0 } }
    return copy
  }
}

// MARK: - From models

extension SnapshotValues {
  /// Creates the values of backing data.
  init(_ data: any BackingData) { self = SnapshotValues.values(of: data) }

  private static func values<Data: BackingData>(of data: Data) -> SnapshotValues {
    let laidOut = data as? any IndexedValues
    let layout = laidOut?.layout ?? Data.Model._$layout
    let identifier =
      data.persistentModelID
      ?? PersistentIdentifier(
        identity: .of(store: nil, entity: layout.entityName), key: EntityIdentity.nextTemporaryKey(), isSaved: false)
    var values = SnapshotValues(identifier)
    for property in layout.properties where !property.placement.isEphemeral {
      guard let value = laidOut.map({ $0.values[property.index] }) ?? property.value(in: data) else { continue }
      if let relationship = property.relationship {
        values.relationships[property.name] = relationship.identifiers(in: value)
      } else {
        values.attributes[property.name] = .some(property.snapshotValue(of: value, layout))
      }
    }
    return values
  }
}

extension RelationshipLayout {
  /// Returns the identifiers of the models in a relationship's value.
  fileprivate func identifiers(in value: Any) -> [PersistentIdentifier] {
    if let objects = value as? [any PersistentModel] { return objects.map(\.persistentModelID) }
    return (value as? any PersistentModel).map { [$0.persistentModelID] } ?? []
  }
}

// MARK: - Single values

extension PropertyLayout {
  /// The type of the property's values, without its optionality, or `nil` if that type is not `Codable`.
  var codedType: (any Codable.Type)? {
    ((valueType as? any OptionalCoding.Type)?.codedType ?? valueType) as? any Codable.Type
  }

  /// Returns the snapshot form of a value: the value itself, or the output of its transformer.
  fileprivate func snapshotValue(of value: Any, _ layout: _ModelLayout) -> (any Codable)? {
    guard let held = codec.box(value), !codec.isNil(boxed: held) else { return nil }
    if codedType != nil { return value as? any Codable }
    return TransformedValue(StoredColumns(layout) { codec.write(boxed: held, to: &$0) }.values.first ?? .null)
  }

  /// Returns a snapshot's value as the property's type, or `nil` if it has another type.
  func value(fromSnapshot coded: (any Codable)?, _ layout: _ModelLayout) -> Any? {
    func open<Value>(_ type: Value.Type) -> Any? {
      guard let coded else { return (Optional<Any>.none as? Value).map { $0 as Any } }
      if let transformed = coded as? TransformedValue { return codec.value(of: [transformed.stored], layout) }
      return (coded as? Value).map { $0 as Any }
    }
    return _openExistential(valueType, do: open)
  }
}
