import Foundation

extension SnapshotValues {
  /// Returns the values of a snapshot of any type, read from its encoded form.
  ///
  /// - Throws: ``FetchError`` that names the unreadable snapshot.
  static func decode(_ snapshot: some DataStoreSnapshot, as layout: _ModelLayout) throws -> SnapshotValues {
    if let known = snapshot as? DefaultSnapshot { return known.values }
    do {
      let decoder = JSONDecoder()
      decoder.nonConformingFloatDecodingStrategy = floatDecodingStrategy
      decoder.userInfo[DecodableSnapshot.target] = (snapshot.persistentIdentifier, layout)
      return try decoder.decode(DecodableSnapshot.self, from: encoder.encode(snapshot)).values
    } catch {
      throw FetchError(
        .unreadableValue, entityName: layout.entityName, identifier: snapshot.persistentIdentifier,
        "The store's snapshot of \(snapshot.persistentIdentifier.debugDescription) cannot be read: \(StoredJSON.reason(error)). "
          + "Give its coded form the names and types of the model's properties.")
    }
  }

  private static let floatDecodingStrategy = JSONDecoder.NonConformingFloatDecodingStrategy.convertFromString(
    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")

  // Sendable, and not changed after it is configured.
  private static let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }()
}

/// A snapshot decoded by the keys of its encoded form.
private struct DecodableSnapshot: Decodable {
  static let target = CodingUserInfoKey(rawValue: "snapshot").unsafelyUnwrapped

  let values: SnapshotValues

  init(from decoder: any Decoder) throws {
    guard let target = decoder.userInfo[DecodableSnapshot.target] as? (PersistentIdentifier, _ModelLayout) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: [], debugDescription: "it is not known which model it is of"))
    }
    let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    values = try SnapshotValues(target.0, target.1, in: container)
  }
}

extension DataStoreSnapshot {
  /// Sets the attributes of backing data from the snapshot. Relationships need a context.
  ///
  /// - Returns: Whether all attributes were set.
  public func _applyToBackingData(_ backingData: any BackingData) -> Bool {
    guard let data = backingData as? any IndexedValues,
      let values = try? SnapshotValues.decode(self, as: data.layout)
    else { return false }
    return data.setAttributes(from: values)
  }
}

extension IndexedValues {
  /// Sets the attributes from a snapshot.
  ///
  /// - Returns: Whether the snapshot has every attribute, with the property's type.
  func setAttributes(from snapshot: SnapshotValues) -> Bool {
    var isWhole = true
    for property in layout.properties where property.relationship == nil && !property.placement.isEphemeral {
      guard let coded = snapshot.attributes[property.name], let value = property.value(fromSnapshot: coded, layout)
      else {
        isWhole = false
        continue
      }
      setValue(value, atIndex: property.index)
    }
    return isWhole
  }
}
