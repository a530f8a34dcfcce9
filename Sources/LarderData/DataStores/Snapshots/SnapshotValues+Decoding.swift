import Foundation

extension SnapshotValues {
  /// The values of a snapshot of any type, by its coded form.
  ///
  /// - Throws: ``FetchError`` that says what cannot be read.
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

  // Sendable, and not changed once it is set up.
  private static let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }()
}

/// A snapshot that is read for what its keys say.
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
  /// Gives backing data the attributes that the snapshot has. Relationships need a context.
  ///
  /// - Returns: Whether all of them could be.
  public func _applyToBackingData(_ backingData: any BackingData) -> Bool {
    guard let data = backingData as? any IndexedValues,
      let values = try? SnapshotValues.decode(self, as: data.layout)
    else { return false }
    return data.setAttributes(from: values)
  }
}

extension IndexedValues {
  /// - Returns: Whether the snapshot has every attribute, as the type that the property has.
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
