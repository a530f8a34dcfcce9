/// What a snapshot has of a model, by the names of its properties: the form that every snapshot is brought to.
///
/// A property that is in neither list is one of which the snapshot says nothing.
// @unchecked: values are those of `DataStoreSnapshotValue`s, which are Sendable; a cast cannot say so.
struct SnapshotValues: @unchecked Sendable {
  let identifier: PersistentIdentifier
  /// nil where the property holds none.
  var attributes: [String: (any Codable)?] = [:]
  /// What relationships lead to; a to-one has at most one.
  var relationships: [String: [PersistentIdentifier]] = [:]

  init(_ identifier: PersistentIdentifier) { self.identifier = identifier }

  /// The same under another identifier.
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
  /// Takes the values that backing data has.
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
  /// The identifiers of what a property's value leads to.
  fileprivate func identifiers(in value: Any) -> [PersistentIdentifier] {
    if let objects = value as? [any PersistentModel] { return objects.map(\.persistentModelID) }
    return (value as? any PersistentModel).map { [$0.persistentModelID] } ?? []
  }
}

// MARK: - Single values

extension PropertyLayout {
  /// The type of the property's values, or what is optional in it; nil where that has no coded form of its own.
  var codedType: (any Codable.Type)? {
    ((valueType as? any OptionalCoding.Type)?.codedType ?? valueType) as? any Codable.Type
  }

  /// A value as a snapshot holds it: itself, or what its transformer makes of it.
  fileprivate func snapshotValue(of value: Any, _ layout: _ModelLayout) -> (any Codable)? {
    guard let held = codec.box(value), !codec.isNil(boxed: held) else { return nil }
    if codedType != nil { return value as? any Codable }
    return TransformedValue(StoredColumns(layout) { codec.write(boxed: held, to: &$0) }.values.first ?? .null)
  }

  /// A snapshot's value as the property's own type; nil where it is none.
  func value(fromSnapshot coded: (any Codable)?, _ layout: _ModelLayout) -> Any? {
    func open<Value>(_ type: Value.Type) -> Any? {
      guard let coded else { return (Optional<Any>.none as? Value).map { $0 as Any } }
      if let transformed = coded as? TransformedValue { return codec.value(of: [transformed.stored], layout) }
      return (coded as? Value).map { $0 as Any }
    }
    return _openExistential(valueType, do: open)
  }
}
